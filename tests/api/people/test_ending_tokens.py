"""Auth tokens that end: when they do, what is refused from then on, and what goes with them."""

import asyncio

import pytest
from tests.api.notifications.push_tokens import all_of, register
from tests.clock import ManualClock
from tests.world import Node, World

from hubbub.domain.tokens.end import end_tokens
from hubbub.http.authenticate import Callers

UNKNOWN = "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
BAD = "ERR_BAD_REQUEST"
TOKENS = "/users/anna/auth_tokens"
LONGEST, DEFAULT = "authTokens.longestSeconds", "authTokens.defaultSeconds"


@pytest.fixture(autouse=True)
async def anna(world: World) -> None:
    """A user without tokens."""
    await world.user("anna")


async def is_accepted(world: World, token: str) -> bool:
    """Return whether a token opens a call; it is refused with the documented error, if not."""
    answer = await world.ask("GET", "/users", token=token)
    if answer.status == 401:
        assert answer.error["code"] == UNKNOWN
    else:
        assert answer.status == 200
    return answer.status == 200


async def test_a_token_ends(world: World, clock: ManualClock) -> None:
    """A token is accepted up to its end, and refused from that second on, also if remembered."""
    made = await world.post(TOKENS, {"expiresIn": 100, "device": "Anna's phone"})
    assert made["expiresAt"] == clock.now() + 100
    assert made["device"] == "Anna's phone"
    clock.advance(99)
    assert await is_accepted(world, made["authToken"])
    assert await is_accepted(world, made["authToken"])
    clock.advance(1)

    assert not await is_accepted(world, made["authToken"])
    assert world.answer.error["message"] == "The auth token has ended."


async def test_a_token_ends_when_the_clock_is_set(world: World, clock: ManualClock) -> None:
    """A remembered caller ends with the time, also if that was set and has not passed."""
    made = await world.post(TOKENS, {"expiresIn": 3_600})
    assert await is_accepted(world, made["authToken"])
    clock.set_ahead(3_600)

    assert not await is_accepted(world, made["authToken"])


async def test_a_token_without_an_end_stays(world: World, node: Node, clock: ManualClock) -> None:
    """Without a setting and without `expiresIn` a token has no end, and nothing ends it."""
    made = await world.post(TOKENS)
    assert "expiresAt" not in made
    clock.advance(100_000_000)
    await end_tokens(node.runtime)

    assert await is_accepted(world, made["authToken"])


@pytest.mark.parametrize("is_looked_for", [True, False])
async def test_what_has_ended_is_no_session(
    world: World, node: Node, clock: ManualClock, *, is_looked_for: bool
) -> None:
    """A session that has ended is not listed, whether or not its row is deleted yet."""
    await world.post(TOKENS, {"expiresIn": 100})
    lasting = await world.post(TOKENS, {"force": True})
    clock.advance(100)
    if is_looked_for:
        await end_tokens(node.runtime)
        assert await world.get(TOKENS) == [lasting]

    sessions = await world.get("/users/anna/sessions")
    assert ["expiresAt" in each for each in sessions] == [False]
    assert world.answer.meta["pagination"]["total"] == 1


async def test_devices_end_with_the_token(world: World, node: Node, clock: ManualClock) -> None:
    """The push tokens of a token that has ended are gone; those of others stay."""
    await world.user("ben")
    ending = await world.post(TOKENS, {"expiresIn": 100})
    lasting = await world.token("anna")
    await register(world, ending["authToken"], "f1")
    await register(world, lasting, "f2")
    clock.advance(100)
    await end_tokens(node.runtime)
    await end_tokens(node.runtime)

    assert await all_of(world, lasting) == ["f2"]


async def test_many_tokens_end_together(world: World, node: Node, clock: ManualClock) -> None:
    """More tokens than one transaction deletes, of several users and apps, end in one run."""
    other = await node.world()
    await other.user("anna")
    for each in (world, other):
        await each.put("/settings", {"settings": {"limits.authTokensPerUser": 500}})
        tasks = (each.ask("POST", TOKENS, {"expiresIn": 60 + n % 7}) for n in range(120))
        assert {answer.status for answer in await asyncio.gather(*tasks)} == {200}
    clock.advance(100)
    await end_tokens(node.runtime)

    for each in (world, other):
        assert await each.get(TOKENS) == []


async def test_a_default_life(world: World, clock: ManualClock) -> None:
    """The settings give tokens an end, also the first one of a new user; `expiresIn` another."""
    await world.put("/settings", {"settings": {DEFAULT: 3_600}})

    made = await world.post(TOKENS)
    assert made["expiresAt"] == clock.now() + 3_600
    longer = await world.post(TOKENS, {"expiresIn": 7_200})
    assert longer["expiresAt"] == clock.now() + 7_200
    ben = await world.post("/users", {"uid": "ben", "name": "Ben", "withAuthToken": True})
    [session] = await world.get("/users/ben/sessions")
    assert session["expiresAt"] == clock.now() + 3_600
    assert await is_accepted(world, ben["authToken"])


async def test_a_longest_life(world: World, clock: ManualClock) -> None:
    """No token lives longer than the app allows; without `expiresIn` it lives as long as that."""
    await world.put("/settings", {"settings": {LONGEST: 1_000}})

    details = await world.refused("POST", TOKENS, {"expiresIn": 1_001}, status=400, code=BAD)
    assert list(details) == ["expiresIn"]
    assert LONGEST in details["expiresIn"][0]
    assert await world.get(TOKENS) == []
    assert (await world.post(TOKENS, {"expiresIn": 1_000}))["expiresAt"] == clock.now() + 1_000
    assert (await world.post(TOKENS, {"force": True}))["expiresAt"] == clock.now() + 1_000
    await world.put("/settings", {"settings": {DEFAULT: 5_000}})
    assert (await world.post(TOKENS, {"force": True}))["expiresAt"] == clock.now() + 1_000


@pytest.mark.parametrize("seconds", [9, 0, -1, 315_360_001, 60.5, "60", True])
async def test_lives_that_are_none(world: World, seconds: object) -> None:
    """A life is a whole number of seconds from 10 to ten years."""
    details = await world.refused("POST", TOKENS, {"expiresIn": seconds}, status=400, code=BAD)

    assert list(details) == ["expiresIn"]
    assert await world.get(TOKENS) == []


async def test_which_token_is_given_again(world: World, clock: ManualClock) -> None:
    """A token is given again while half of its life is left, unless a field wants a new one."""
    await world.put("/settings", {"settings": {DEFAULT: 100}})
    first = await world.post(TOKENS)
    clock.advance(50)
    assert await world.post(TOKENS) == first
    clock.advance(1)
    second = await world.post(TOKENS)
    assert second["expiresAt"] == clock.now() + 100
    assert (await world.post(TOKENS, {"device": "x"}))["authToken"] != second["authToken"]


async def test_a_token_without_end_is_not_given_again(world: World, clock: ManualClock) -> None:
    """Once tokens must end, one without an end, or that lives longer, is not given out again."""
    endless = await world.post(TOKENS)
    await world.put("/settings", {"settings": {LONGEST: 1_000}})
    ending = await world.post(TOKENS)
    assert ending["expiresAt"] == clock.now() + 1_000
    await world.put("/settings", {"settings": {LONGEST: 500}})

    assert (await world.post(TOKENS))["expiresAt"] == clock.now() + 500
    assert await is_accepted(world, endless["authToken"])


async def test_callers_are_remembered_as_before(
    world: World, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A further call within seconds is not authenticated again, whether or not the token ends."""
    authenticated: list[str] = []
    before = Callers.authenticate

    async def count(self: Callers, *given: object) -> object:
        authenticated.append("again")
        return await before(self, *given)  # type: ignore[arg-type]  # as it is given

    monkeypatch.setattr(Callers, "authenticate", count)
    for body in ({"expiresIn": 100}, {"force": True}):
        token = (await world.post(TOKENS, body))["authToken"]
        authenticated.clear()
        for _ in range(3):
            assert await is_accepted(world, token)
        assert authenticated == ["again"]


async def test_a_user_lists_their_sessions(world: World, clock: ManualClock) -> None:
    """A session shows the device and the end, and which is the one of the call; never its token."""
    phone = await world.post(TOKENS, {"expiresIn": 100, "device": "Phone"})
    web = (await world.post(TOKENS, {"force": True}))["authToken"]
    await world.put(f"{TOKENS}/{web}", {"platform": "web", "userAgent": "Firefox"})

    sessions = await world.get("/users/anna/sessions", token=web)
    assert [each["isCurrent"] for each in sessions] == [True, False]
    assert sessions[0].items() >= {"platform": "web", "userAgent": "Firefox"}.items()
    assert sessions[1].items() >= {"device": "Phone", "expiresAt": clock.now() + 100}.items()
    assert phone["authToken"] not in str(sessions)
    assert [each["isCurrent"] for each in await world.get("/users/anna/sessions")] == [False, False]


async def test_a_user_ends_a_session(world: World) -> None:
    """Ending a session revokes its token and no other; a second time there is none."""
    phone, web = [await world.token("anna") for _ in range(2)]
    _, first = await world.get("/users/anna/sessions", token=web)
    path = f"/users/anna/sessions/{first['id']}"
    assert await is_accepted(world, phone)
    await world.delete(path, token=web)

    assert not await is_accepted(world, phone)
    assert await is_accepted(world, web)
    await world.refused("DELETE", path, token=web, status=404, code="ERR_SESSION_NOT_FOUND")


@pytest.mark.parametrize("name", ["x", "0" * 31, "0" * 33, "0" * 32, "%00" * 32, "G" * 32, "%25"])
async def test_sessions_that_there_are_not(world: World, name: str) -> None:
    """A name that is none ends nothing."""
    token = await world.token("anna")
    [session] = await world.get("/users/anna/sessions")
    for each in (name, session["id"][:-1], session["id"].upper() + "0"):
        answer = await world.ask("DELETE", f"/users/anna/sessions/{each}")
        assert answer.status in {400, 404}

    assert await is_accepted(world, token)


async def test_sessions_of_others_are_not_ended(world: World, node: Node) -> None:
    """The session of another user, or of a user of another app, is none of this one's."""
    await world.user("ben")
    other = await node.world()
    await other.user("anna")
    theirs = [await world.token("ben"), await other.token("anna")]
    ids = [
        (await each.get(f"/users/{uid}/sessions"))[0]["id"]
        for each, uid in ((world, "ben"), (other, "anna"))
    ]
    for id_ in ids:
        await world.refused(
            "DELETE", f"/users/anna/sessions/{id_}", status=404, code="ERR_SESSION_NOT_FOUND"
        )

    assert await is_accepted(world, theirs[0])
    assert await is_accepted(other, theirs[1])
