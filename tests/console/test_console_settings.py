"""Settings and bots at the console: shown as the reference has them, changed by its rules."""

import json
from html import unescape

from tests.console.conftest import SignIn
from tests.console.test_console_frame import EVIL, Elements
from tests.contract import load_contract
from tests.world import Node, World

from hubbub.domain.audit.find import list_audit
from hubbub.records.audit.model import AuditFilter
from hubbub.records.operators.model import OperatorRole
from hubbub.records.settings.model import DEFAULTS

DEVELOPER = OperatorRole.DEVELOPER


async def values(world: World) -> dict[str, bool | int | float | str]:
    """Return the settings of the app as the interface answers them."""
    return {each["key"]: each["value"] for each in await world.get("/settings")}


async def test_every_setting_is_shown_with_its_meaning(world: World, signed_in: SignIn) -> None:
    """Each setting has its value, its default, and the words of the OpenAPI document."""
    developer = await signed_in(DEVELOPER, world.app_id)
    documented = load_contract().document["components"]["schemas"]["Settings"]["properties"]

    page = unescape(await developer.get(f"/apps/{world.app_id}/settings"))

    said = page.replace("<code>", "`").replace("</code>", "`")
    assert documented.keys() == DEFAULTS.keys()
    for key, schema in documented.items():
        assert f"<code>{key}</code>" in page
        assert schema["description"] in said, key


async def test_settings_are_set_and_reset(world: World, node: Node, signed_in: SignIn) -> None:
    """A setting is set by the rules of the interface, and reset; before and after are recorded."""
    developer = await signed_in(DEVELOPER, world.app_id)
    address = f"/apps/{world.app_id}/settings"

    await developer.post(f"{address}/limits.bots", {"value": "7"})
    await developer.post(f"{address}/groups.historyForNewMembers", {"value": "false"})
    assert (await values(world))["limits.bots"] == 7
    assert (await values(world))["groups.historyForNewMembers"] is False
    for key, value, reason in (
        ("limits.bots", "-1", "a whole number from 0"),
        ("limits.bots", "many", "a whole number from 0"),
        ("limits.authTokensPerUser", "0", "a whole number from 1"),
        ("groups.historyForNewMembers", "1", "true or false"),
        ("limits.none", "1", "There is no setting limits.none"),
    ):
        refused = await developer.post(f"{address}/{key}", {"value": value}, status=400)
        assert reason in refused, (key, value)
    await developer.post(f"{address}/limits.bots/reset")
    await developer.post(f"{address}/limits.none/reset", status=400)

    assert (await values(world))["limits.bots"] == DEFAULTS["limits.bots"]
    found = await list_audit(node.runtime, AuditFilter(app=world.app_id), limit=9)
    changes = {
        (each.action, each.subject): (
            json.loads(each.before or "null"),
            json.loads(each.after or "null"),
        )
        for each in found
    }
    assert changes == {
        ("setting.set", "limits.bots"): ({"value": 25}, {"value": 7}),
        ("setting.set", "groups.historyForNewMembers"): ({"value": True}, {"value": False}),
        ("setting.reset", "limits.bots"): ({"value": 7}, None),
    }


async def test_settings_that_are_texts_are_set(world: World, node: Node, signed_in: SignIn) -> None:
    """Texts and parts of one are set as they are written; a secret is in no page and no entry."""
    developer = await signed_in(DEVELOPER, world.app_id)
    address = f"/apps/{world.app_id}/settings"
    url, secret = "https://moderation.example.com/judge", f"whsec_{'QUJD' * 8}"

    await developer.post(f"{address}/moderation.customEngine.url", {"value": url})
    await developer.post(f"{address}/moderation.customEngine.secret", {"value": secret})
    await developer.post(f"{address}/moderation.customEngine.confidence", {"value": "0.75"})
    for value in ("1.5", "nan", "much"):
        path = f"{address}/moderation.customEngine.confidence"
        assert "from 0 to 1" in await developer.post(path, {"value": value}, status=400)

    stored = await values(world)
    engine = "moderation.customEngine."
    assert (stored[f"{engine}url"], stored[f"{engine}confidence"]) == (url, 0.75)
    page = await developer.get(address)
    entries = await list_audit(node.runtime, AuditFilter(app=world.app_id), limit=9)
    assert url in page
    assert secret not in page
    assert not [each for each in entries if secret in f"{each.before}{each.after}"]
    await developer.post(f"{address}/moderation.customEngine.url", {"value": ""})
    assert (await values(world))[f"{engine}url"] == ""


async def test_bots_are_managed(world: World, node: Node, signed_in: SignIn) -> None:
    """A bot is created, changed and deleted, as by the interface; its name is only text."""
    developer = await signed_in(DEVELOPER, world.app_id)
    address = f"/apps/{world.app_id}/bots"
    picture = "https://example.com/a.png"

    await developer.post(address, {"uid": "Helper", "name": EVIL, "avatar": picture})
    page = await developer.get(address)
    assert "&lt;script&gt;alert(1)" in page
    assert not [tag for tag, _ in Elements(page).found if tag == "img"]
    await developer.post(f"{address}/helper", {"name": "Helper 2"})
    (bot,) = await world.get("/bots")
    assert (bot["uid"], bot["name"], bot["avatar"]) == ("helper", "Helper 2", picture)

    for fields, status in (
        ({"uid": "helper", "name": "Again"}, 409),
        ({"uid": "a b", "name": "Blank"}, 400),
        ({"uid": "other", "name": ""}, 400),
        ({"uid": "other", "name": "Other", "avatar": "javascript:alert(1)"}, 400),
    ):
        await developer.post(address, fields, status=status)
    await developer.post(f"{address}/nobody/delete", status=404)
    await developer.post(f"{address}/helper/delete")

    assert await world.get("/bots") == []
    found = await list_audit(node.runtime, AuditFilter(app=world.app_id), limit=9)
    assert sorted((each.action, each.subject) for each in found) == [
        ("bot.change", "helper"),
        ("bot.create", "helper"),
        ("bot.delete", "helper"),
    ]


async def test_settings_and_bots_of_another_app(
    world: World, node: Node, signed_in: SignIn
) -> None:
    """A developer of another app changes nothing here."""
    other = await node.world()
    stranger = await signed_in(DEVELOPER, other.app_id)
    base = f"/apps/{world.app_id}"

    await stranger.post(f"{base}/settings/limits.bots", {"value": "7"}, status=404)
    await stranger.post(f"{base}/bots", {"uid": "spy", "name": "Spy"}, status=404)

    assert (await values(world))["limits.bots"] == DEFAULTS["limits.bots"]
    assert await world.get("/bots") == []
