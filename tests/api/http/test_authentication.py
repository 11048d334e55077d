"""Callers and their rights: keys, tokens, acting users, management credentials."""

from dataclasses import replace

import pytest
from tests.world import Node, World

from hubbub.domain.users.deactivate import deactivate_users, reactivate_users
from hubbub.kernel.cache import ExpiringCache
from hubbub.kernel.sealing import Sealer

NO_ACCESS = "AUTH_ERR_NO_ACCESS"
UNKNOWN_KEY = "AUTH_ERR_APIKEY_NOT_FOUND"
UNKNOWN_TOKEN = "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
BEN = {"uid": "ben", "name": "Ben"}


@pytest.mark.parametrize("key", ["0" * 40, "x", "é", "' OR 1=1 --", "k" * 5_000])
async def test_a_wrong_key_opens_nothing(world: World, key: str) -> None:
    """An unknown key is refused, whatever it looks like."""
    await world.refused("GET", "/users", key=key, status=401, code=UNKNOWN_KEY)


@pytest.mark.parametrize("token", ["0" * 40, "anna_1800000000", "é"])
async def test_a_wrong_token_opens_nothing(world: World, token: str) -> None:
    """An unknown token is refused."""
    await world.refused("GET", "/users", token=token, status=401, code=UNKNOWN_TOKEN)


async def test_a_key_is_no_token_and_a_token_no_key(world: World) -> None:
    """Each is accepted only in its own header."""
    await world.user("anna")
    token = await world.token("anna")

    await world.refused("GET", "/users", token=world.key, status=401, code=UNKNOWN_TOKEN)
    await world.refused("GET", "/users", key=token, status=401, code=UNKNOWN_KEY)


async def test_rights_of_a_sign_in_page(world: World) -> None:
    """A key of scope authOnly creates and changes users and issues tokens."""
    await world.post("/users", BEN, key=world.auth_key)
    await world.put("/users/ben", {"name": "Benjamin"}, key=world.auth_key)
    token = await world.post("/users/ben/auth_tokens", {}, key=world.auth_key)

    assert (await world.get("/users/ben", token=token["authToken"]))["name"] == "Benjamin"


async def test_a_sign_in_page_gives_no_roles(world: World) -> None:
    """A key of scope authOnly neither creates nor changes a user with a role."""
    await world.user("anna")
    body = {**BEN, "role": "default"}

    await world.refused("POST", "/users", body, key=world.auth_key, status=403, code=NO_ACCESS)
    await world.refused(
        "PUT", "/users/anna", {"role": "default"}, key=world.auth_key, status=403, code=NO_ACCESS
    )
    assert await world.uids("/users") == ["anna"]


async def test_a_token_is_its_user(world: World) -> None:
    """The bearer of a token reads users and changes their own profile."""
    await world.users("anna", "ben")
    token = await world.token("anna")

    await world.put("/users/anna", {"name": "Anna Keller"}, token=token)

    assert (await world.get("/users/anna", token=token))["name"] == "Anna Keller"
    assert sorted(await world.uids("/users", token=token)) == ["anna", "ben"]


async def test_a_user_changes_nobody_else(world: World) -> None:
    """The bearer of a token can't touch another user's profile, role, or private details."""
    await world.users("anna", "ben")
    token = await world.token("anna")

    for path, body in [
        ("/users/ben", {"name": "Anna was here"}),
        ("/users/anna", {"role": "default"}),
        ("/users/anna", {"metadata": {"@private": {"email": "anna@example.com"}}}),
    ]:
        await world.refused("PUT", path, body, token=token, status=403, code=NO_ACCESS)
    assert (await world.get("/users/ben"))["name"] == "Ben"
    assert "metadata" not in await world.get("/users/anna")


@pytest.mark.parametrize("body", [{"metadata": {"club": "hikers"}}, {"unset": ["metadata"]}])
async def test_a_user_keeps_private_details(world: World, body: dict[str, object]) -> None:
    """`metadata.@private`, set by the app, is kept when the user changes their metadata."""
    private = {"email": "anna@example.com"}
    await world.user("anna", metadata={"club": "swimmers", "@private": private})

    await world.put("/users/anna", body, token=await world.token("anna"))

    kept = (await world.get("/users/anna"))["metadata"]
    assert kept == {**body.get("metadata", {}), "@private": private}  # type: ignore[dict-item]


async def test_a_user_may_not_what_the_server_may(world: World) -> None:
    """Calls about users, keys and other users' tokens are refused with a token."""
    await world.users("anna", "ben")
    token = await world.token("anna")
    bens = await world.token("ben")

    for method, path, body in [
        ("POST", "/users", BEN),
        ("DELETE", "/users/anna", None),
        ("DELETE", "/users", {"uidsToDeactivate": ["ben"]}),
        ("PUT", "/users", {"uidsToActivate": ["ben"]}),
        ("GET", "/apikeys", None),
        ("POST", "/users/anna/auth_tokens", {}),
        ("GET", "/users/ben/auth_tokens", None),
        ("DELETE", "/users/ben/auth_tokens", None),
        ("DELETE", f"/users/ben/auth_tokens/{bens}", None),
    ]:
        await world.refused(method, path, body, token=token, status=403, code=NO_ACCESS)
    assert sorted(await world.uids("/users")) == ["anna", "ben"]
    assert await world.get("/users", token=bens)


async def test_acting_for_a_user(world: World) -> None:
    """A call is made on behalf of a user, whose uid may be in upper case."""
    await world.users("anna", "ben")

    assert sorted(await world.uids("/users", as_="Anna")) == ["anna", "ben"]


@pytest.mark.parametrize("uid", ["nobody", "app_system"])
async def test_acting_for_a_missing_user(world: World, uid: str) -> None:
    """A call on behalf of a missing user is refused."""
    await world.user("anna")

    for path in ("/users", "/users/anna"):
        await world.refused("GET", path, as_=uid, status=404, code="ERR_UID_NOT_FOUND")


@pytest.mark.parametrize("uid", ["anna keller", "änna", "a" * 101, "a/b"])
async def test_acting_for_a_malformed_uid(world: World, uid: str) -> None:
    """A header that cannot be a uid is a bad request, with its name in the details."""
    details = await world.refused("GET", "/users", as_=uid, status=400, code="ERR_BAD_REQUEST")

    assert "onBehalfOf" in details


async def test_acting_for_a_deactivated_user(world: World) -> None:
    """A call on behalf of a deactivated or deleted user is refused."""
    await world.users("anna", "ben")
    await world.delete("/users", {"uidsToDeactivate": ["anna"]})
    await world.delete("/users/ben")

    for uid in ("anna", "ben"):
        await world.refused("GET", "/users", as_=uid, status=404, code="ERR_UID_NOT_FOUND")


async def test_a_token_acts_for_its_user_alone(world: World) -> None:
    """With a token the acting user is its own; another one is refused, even with a key."""
    await world.users("anna", "ben")
    token = await world.token("anna")

    assert await world.get("/users", token=token, as_="ANNA")
    for key in (None, world.key):
        await world.refused(
            "GET", "/users", token=token, key=key, as_="ben", status=403, code=NO_ACCESS
        )


async def test_a_key_beside_a_token_adds_nothing(world: World) -> None:
    """A caller with a token acts as its user, whatever key is sent with it."""
    await world.user("anna")
    token = await world.token("anna")

    await world.refused("GET", "/apikeys", token=token, key=world.key, status=403, code=NO_ACCESS)


async def test_a_deactivated_user_is_shut_out(world: World) -> None:
    """A deactivated user's token is unknown, and known again after reactivation."""
    await world.user("anna")
    token = await world.token("anna")
    await world.get("/users", token=token)

    await world.delete("/users", {"uidsToDeactivate": ["anna"]})
    await world.refused("GET", "/users", token=token, status=401, code=UNKNOWN_TOKEN)

    await world.put("/users", {"uidsToActivate": ["anna"]})
    assert await world.uids("/users", token=token) == ["anna"]


@pytest.mark.parametrize("permanent", [False, True])
async def test_a_deleted_user_is_shut_out(world: World, permanent: bool) -> None:
    """A deleted user's tokens are unknown."""
    await world.user("anna")
    token = await world.token("anna")
    await world.get("/users", token=token)

    await world.delete("/users/anna", {"permanent": permanent})

    await world.refused("GET", "/users", token=token, status=401, code=UNKNOWN_TOKEN)


async def test_a_namesake_gets_no_old_tokens(world: World) -> None:
    """A new user with the uid of a permanently deleted one does not have their tokens."""
    await world.user("anna")
    token = await world.token("anna")
    await world.delete("/users/anna", {"permanent": True})
    await world.user("anna")

    await world.refused("GET", "/users", token=token, status=401, code=UNKNOWN_TOKEN)
    assert await world.get("/users/anna/auth_tokens") == []


async def test_a_revoked_token_is_refused_at_once(world: World) -> None:
    """A deleted token is refused, and other tokens of the user are still accepted."""
    await world.user("anna")
    phone, laptop = await world.token("anna"), await world.token("anna")
    await world.get("/users", token=phone)

    await world.delete(f"/users/anna/auth_tokens/{phone}")

    await world.refused("GET", "/users", token=phone, status=401, code=UNKNOWN_TOKEN)
    assert await world.uids("/users", token=laptop) == ["anna"]


async def test_all_tokens_are_revoked_at_once(world: World) -> None:
    """After a flush none of the user's tokens is accepted."""
    await world.user("anna")
    tokens = [await world.token("anna") for _ in range(2)]
    for token in tokens:
        await world.get("/users", token=token)

    await world.delete("/users/anna/auth_tokens")

    for token in tokens:
        await world.refused("GET", "/users", token=token, status=401, code=UNKNOWN_TOKEN)


async def test_a_deleted_key_is_refused_at_once(world: World) -> None:
    """A deleted key is refused at once."""
    key = (await world.post("/apikeys", {"name": "Backend", "scope": "fullAccess"}))["apiKey"]
    await world.get("/users", key=key)

    await world.delete(f"/apikeys/{key}")

    await world.refused("GET", "/users", key=key, status=401, code=UNKNOWN_KEY)


async def test_a_narrowed_key_is_narrow_at_once(world: World) -> None:
    """A key whose scope is narrowed is refused more calls from then on."""
    key = (await world.post("/apikeys", {"name": "Backend", "scope": "fullAccess"}))["apiKey"]
    await world.get("/users", key=key)

    await world.put(f"/apikeys/{key}", {"scope": "authOnly"})

    await world.refused("GET", "/users", key=key, status=403, code=NO_ACCESS)


async def test_the_management_credentials_open_the_apps(node: Node) -> None:
    """Management calls take the key with its own secret, at a host name without an app."""
    manager = node.manager()

    await manager.get("/apps")
    await manager.get("/apps", headers={"Host": "apimgmt.example.com"})
    manager.prefix = ""
    await manager.get("/apps", headers={"Host": "apimgmt.example.com"})


@pytest.mark.parametrize("wrong", ["key", "secret"])
@pytest.mark.parametrize("text", ["", "0" * 40, "é"])
async def test_wrong_management_credentials_open_nothing(node: Node, wrong: str, text: str) -> None:
    """Neither half of the credentials may be missing or wrong."""
    manager = node.manager()

    await manager.refused(
        "GET", "/apps", headers={wrong: text}, status=401, code="AUTH_ERR_EMPTY_AUTH_HEADER"
    )


async def test_a_key_of_an_app_does_not_manage(node: Node, world: World) -> None:
    """An app's key is refused for management calls, and the management key for an app's."""
    shown = {"key": world.key, "secret": world.key}

    for headers in ({}, shown):
        await world.refused(
            "GET", "/apps", headers=headers, status=401, code="AUTH_ERR_EMPTY_AUTH_HEADER"
        )
    await world.refused("GET", "/users", key=node.management["key"], status=401, code=UNKNOWN_KEY)


async def test_a_change_on_another_node_is_seen_within_seconds(node: Node, world: World) -> None:
    """A change of a user on another node takes effect here within five seconds."""
    await world.user("anna")
    token = await world.token("anna")
    await world.get("/users", token=token)
    another = replace(node.runtime, cache=ExpiringCache(node.clock))

    await deactivate_users(another, world.app_id, ["anna"])
    node.clock.advance(5.1)
    await world.refused("GET", "/users", token=token, status=401, code=UNKNOWN_TOKEN)

    await reactivate_users(another, world.app_id, ["anna"])
    assert await world.uids("/users", token=token) == ["anna"]


# Callers are remembered


async def test_a_repeated_credential_is_not_looked_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same headers lead to the same caller for a while, until a credential changes."""
    await world.user("anna")
    hashed: list[str] = []
    hash_ = Sealer.hash

    def spy(sealer: Sealer, secret: str) -> str:
        hashed.append(secret)
        return hash_(sealer, secret)

    monkeypatch.setattr(Sealer, "hash", spy)
    token = await world.token("anna")
    for key, shown in ((world.key, None), (None, token)):
        await world.get("/users", key=key, token=shown)
        hashed.clear()
        await world.get("/users", key=key, token=shown)

        assert hashed == []
    await world.delete(f"/users/anna/auth_tokens/{token}")
    hashed.clear()
    await world.refused("GET", "/users", token=token, status=401, code=UNKNOWN_TOKEN)

    assert hashed == [token]


async def test_large_headers_are_not_remembered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A header that nobody reads fills no memory: callers who send kilobytes are looked up."""
    hashed: list[str] = []
    hash_ = Sealer.hash

    def spy(sealer: Sealer, secret: str) -> str:
        hashed.append(secret)
        return hash_(sealer, secret)

    monkeypatch.setattr(Sealer, "hash", spy)
    host = {"host": f"{world.app_id}.api-us.example.com"}
    for unused, is_remembered in (("x", True), ("x" * 1_000, False)):
        for _ in range(2):
            hashed.clear()
            await world.get("/users", headers={**host, "appId": unused})

        assert (hashed == []) == is_remembered


async def test_a_remembered_caller_may_do_no_more_than_before(world: World) -> None:
    """Who may call one operation is not admitted to another by that, nor as another user."""
    await world.users("anna", "ben")
    token = await world.token("anna")
    for _ in range(2):
        await world.get("/users", token=token)
        await world.put("/users/anna", {"name": "Anna"}, key=world.auth_key)
        await world.refused("GET", "/apikeys", token=token, status=403, code=NO_ACCESS)
        await world.refused("GET", "/apikeys", key=world.auth_key, status=403, code=NO_ACCESS)
        await world.refused("GET", "/users", token=token, as_="ben", status=403, code=NO_ACCESS)
        await world.get("/users", token=token, as_="anna")
