"""The identity provider of an app in the console."""

from tests.console.conftest import SignIn
from tests.console.test_console_keys import actions
from tests.world import Node, World

from hubbub.records.operators.model import OperatorRole

SECRET = "a secret that is as long as it must be"
GIVEN = {"issuer": "https://id.example.com/<b>", "audience": "chat"}


async def test_a_provider_is_set_up(world: World, node: Node, signed_in: SignIn) -> None:
    """A developer sets up a provider, whose secret is shown nowhere, revokes, and removes it."""
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    path = f"/apps/{world.app_id}/identity"
    assert "There is no identity provider" in await visitor.get(path)
    await visitor.post(path, GIVEN, status=400)
    await visitor.post(path, {**GIVEN, "secret": "short"}, status=400)
    await visitor.post(path, {**GIVEN, "secret": SECRET})
    page = await visitor.get(path)
    assert SECRET not in page
    assert "&lt;b&gt;" in page
    await visitor.post(path, {**GIVEN, "audience": "other", "create_users": "yes"})
    stored = await world.get("/identity_provider")
    assert (stored["secret"], stored["audience"], stored["createUsers"]) == ("•••", "other", True)
    await visitor.post(f"{path}/revoke")
    assert (await world.get("/identity_provider"))["validAfter"] > 0
    keys = {**GIVEN, "jwks_url": "https://id.example.com/keys"}
    await visitor.post(path, keys)
    assert "secret" not in await world.get("/identity_provider")
    assert "https://id.example.com/keys" in await visitor.get(path)
    await visitor.post(f"{path}/delete")
    await visitor.post(f"{path}/delete", status=404)

    assert sorted(set(await actions(node, world.app_id))) == [
        "identity.delete",
        "identity.revoke",
        "identity.set",
    ]
