"""People in the console: found, looked at, signed out, banned, deactivated, exported, erased."""

import re

from tests.console.conftest import SignIn
from tests.console.test_console_keys import actions
from tests.world import Node, World

from hubbub.records.operators.model import OperatorRole

EVIL = "<script>alert(1)</script>"


async def test_people_are_found(world: World, signed_in: SignIn) -> None:
    """People are found by the beginnings of words of their name, by uid, and by state."""
    await world.users("anna", "ben")
    await world.user("chiara", name="Chiara Annoni")
    await world.delete("/users", {"uidsToDeactivate": ["ben"]})
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    people = f"/apps/{world.app_id}/people"

    async def found(query: str) -> set[str]:
        return set(re.findall(r"<td><code>(\w+)</code>", await visitor.get(people + query)))

    assert await found("") == {"anna", "chiara"}
    assert await found("?search=ann") == {"anna", "chiara"}
    assert await found("?search=chi") == {"chiara"}
    assert await found("?state=deactivated") == {"ben"}
    assert await found("?state=online") == set()
    assert await found("?search=zzz") == set()
    assert "Nobody fits" in await visitor.get(people + "?search=zzz")


async def test_a_person_is_shown(world: World, signed_in: SignIn) -> None:
    """The page of a person has what they are signed in with, no token, and only text of theirs."""
    await world.user("anna", name=EVIL, statusMessage=EVIL)
    token = await world.token("anna")
    await world.post("/groups", {"guid": "team", "name": EVIL, "type": "public", "owner": "anna"})
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)

    page = await visitor.get(f"/apps/{world.app_id}/people/anna")

    assert token not in page
    assert EVIL not in page
    assert page.count("&lt;script&gt;alert(1)") >= 3
    assert '<input type="hidden" name="guid" value="team">' in page
    await visitor.get(f"/apps/{world.app_id}/people/nobody", status=404)
    await visitor.get(f"/apps/{world.app_id}/people/no%20uid", status=400)


async def test_a_session_is_ended(world: World, node: Node, signed_in: SignIn) -> None:
    """Sessions are shown with their devices and ends; a moderator ends one, and no other."""
    await world.users("anna")
    fields = {"device": EVIL, "expiresIn": 100}
    phone = (await world.post("/users/anna/auth_tokens", fields))["authToken"]
    web = await world.token("anna")
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    anna = f"/apps/{world.app_id}/people/anna"
    page = await visitor.get(anna)
    assert "&lt;script&gt;" in page
    assert EVIL not in page
    assert ", ends " in page
    sessions = await world.get("/users/anna/sessions")
    await visitor.post(f"{anna}/sessions/{sessions[1]['id']}/end")
    await visitor.post(f"{anna}/sessions/{sessions[1]['id']}/end", status=404)

    code = "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    await world.refused("GET", "/users", token=phone, status=401, code=code)
    await world.get("/users", token=web)
    assert await actions(node, world.app_id) == ["user.end-session"]


async def test_people_are_helped_and_stopped(world: World, node: Node, signed_in: SignIn) -> None:
    """A moderator signs out, bans, deactivates and reactivates; the interface shows it at once."""
    await world.users("anna", "ben")
    token = await world.token("ben")
    await world.post("/groups", {"guid": "team", "name": "Team", "type": "public", "owner": "anna"})
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    ben = f"/apps/{world.app_id}/people/ben"

    await visitor.post(f"{ben}/ban", {"guid": "team"})
    assert await world.uids("/groups/team/bannedusers") == ["ben"]
    await visitor.post(f"{ben}/ban", {"guid": "team"}, status=409)
    await visitor.post(f"{ben}/tokens/revoke")
    code = "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    await world.refused("GET", "/users", token=token, status=401, code=code)
    await visitor.post(f"{ben}/deactivate")
    await world.refused("GET", "/users/ben", status=404, code="ERR_UID_NOT_FOUND")
    assert "deactivated" in await visitor.get(ben)
    await visitor.post(f"{ben}/reactivate")
    await world.get("/users/ben")

    assert await actions(node, world.app_id) == [
        "user.ban",
        "user.deactivate",
        "user.reactivate",
        "user.revoke-tokens",
    ]
    await visitor.post(f"{ben}/erase", {"confirm": "ben"}, status=403)


async def test_a_person_is_erased(world: World, node: Node, signed_in: SignIn) -> None:
    """An admin deletes a person permanently, once they have typed the uid."""
    await world.users("anna")
    visitor = await signed_in(OperatorRole.ADMIN, world.app_id)
    anna = f"/apps/{world.app_id}/people/anna"

    await visitor.post(f"{anna}/erase", {"confirm": "ana"}, status=400)
    await visitor.post(f"{anna}/erase", {"confirm": "anna"})

    await visitor.get(anna, status=404)
    await world.user("anna")  # the uid is free
    assert await actions(node, world.app_id) == ["user.erase"]


async def test_a_person_is_exported(world: World, node: Node, signed_in: SignIn) -> None:
    """An export is asked for as by the interface; its file is not there before it is made."""
    await world.users("anna")
    visitor = await signed_in(OperatorRole.ADMIN, world.app_id)
    anna = f"/apps/{world.app_id}/people/anna"

    await visitor.post(f"{anna}/exports")

    (asked,) = await world.get("/exports")
    assert (asked["user"], asked["state"]) == ("anna", "waiting")
    assert "waiting" in await visitor.get(anna)
    await visitor.post(f"{anna}/exports/{asked['id']}/open", status=404)
    assert await actions(node, world.app_id) == ["user.export"]
