"""Guesses at a group's password are limited, for each group and user."""

from tests.clock import ManualClock
from tests.world import CallOptions, World

from hubbub.domain.members.join import GUESSES_PER_MINUTE

WRONG, RIGHT = {"password": "guess"}, {"password": "open sesame"}
TOO_MANY = "ERR_TOO_MANY_REQUESTS"


async def exhaust(world: World, guid: str, **how: str) -> None:
    """Guess until the limit is reached."""
    options: CallOptions = how  # type: ignore[assignment]  # only names of options are given
    for _ in range(GUESSES_PER_MINUTE):
        await world.refused(
            "POST", f"/groups/{guid}/members", WRONG, status=403, code="ERR_WRONG_GROUP_PASS",
            **options,
        )  # fmt: skip


async def test_guesses_are_limited(world: World, clock: ManualClock) -> None:
    """Beyond the limit even the right password is refused, until the minute is over."""
    await world.users("anna", "ben")
    for guid in ("den", "hut"):
        await world.post("/groups", {"guid": guid, "name": "D", "type": "password", **RIGHT})
    token = await world.token("anna")
    path = "/groups/den/members"

    await exhaust(world, "den", as_="anna")
    for how in ({"as_": "anna"}, {"token": token}):
        await world.refused("POST", path, RIGHT, status=429, code=TOO_MANY, **how)  # type: ignore[arg-type]  # as above
        assert 1 <= int(world.answer.headers["retry-after"]) <= 60
        assert "x-rate-limit-reset" in world.answer.headers
    await world.post(path, RIGHT, as_="ben")
    await world.post("/groups/hut/members", RIGHT, as_="anna")
    clock.advance(60)
    await world.post(path, RIGHT, as_="anna")


async def test_what_is_no_guess_is_not_counted(world: World) -> None:
    """Joins without a password, and of groups that have none, are no guesses."""
    await world.users("anna")
    await world.post("/groups", {"guid": "den", "name": "D", "type": "password", **RIGHT})
    await world.post("/groups", {"guid": "open", "name": "O", "type": "public"})
    for _ in range(GUESSES_PER_MINUTE + 1):
        answer = await world.ask("POST", "/groups/den/members", {}, as_="anna")
        assert answer.error["code"] == "ERR_EMPTY_GROUP_PASS"
        answer = await world.ask("POST", "/groups/nothing/members", WRONG, as_="anna")
        assert answer.error["code"] == "ERR_GUID_NOT_FOUND"
        await world.post("/groups/open/members", WRONG, as_="anna")
        await world.delete("/groups/open/members/anna", as_="anna")
    await world.post("/groups/den/members", RIGHT, as_="anna")
