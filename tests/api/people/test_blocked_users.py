"""Blocked users: block, unblock, list."""

import asyncio
import json
from typing import Any

import pytest
from tests.api.messages.talk import events, to_user
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import Json, Node, World

BAD = "ERR_BAD_REQUEST"
NOBODY = "ERR_UID_NOT_FOUND"
NO_ACCESS = "AUTH_ERR_NO_ACCESS"
DENIED = "ERR_PERMISSION_DENIED"
SELF = "ERR_CANNOT_BLOCK_SELF"


async def block(world: World, uid: str, *others: str, token: str | None = None) -> Json:
    """Block users; return the outcomes by uid."""
    body = {"blockedUids": list(others)}
    outcomes: Json = await world.post(f"/users/{uid}/blockedusers", body, token=token)
    return outcomes


async def unblock(world: World, uid: str, *others: str, token: str | None = None) -> Json:
    """Unblock users; return the outcomes by uid."""
    body = {"blockedUids": list(others)}
    outcomes: Json = await world.delete(f"/users/{uid}/blockedusers", body, token=token)
    return outcomes


async def blocked(world: World, uid: str = "anna") -> list[str]:
    """Return the users blocked by a user, newest first; check the total."""
    found = await world.uids(f"/users/{uid}/blockedusers")
    assert world.answer.meta["pagination"]["total"] == len(found)
    return found


def codes(outcomes: Json) -> dict[str, str]:
    """Return the code of each refusal; an empty one for a success."""
    return {uid: outcome.get("error", {}).get("code", "") for uid, outcome in outcomes.items()}


def done(action: str, *uids: str) -> Json:
    """Return the successful answer to Anna's call about several users."""
    sentence = "The user with UID anna has {} user with UID {} successfully."
    return {uid: {"success": True, "message": sentence.format(action, uid)} for uid in uids}


async def send(world: World, sender: str, receiver: str) -> str:
    """Send a message; return the code of its refusal, or an empty text."""
    answer = await world.ask("POST", "/messages", to_user(receiver), as_=sender)
    return "" if answer.status == 200 else str(answer.error["code"])


# Blocking


async def test_a_user_is_blocked(world: World) -> None:
    """A block is answered by uid; the blocked user is in the blocking user's list, only there."""
    await world.users("anna", "ben", "chiara")

    assert await block(world, "anna", "ben", "chiara") == done("blocked", "ben", "chiara")
    assert sorted(await blocked(world)) == ["ben", "chiara"]
    assert await blocked(world, "ben") == []


async def test_a_block_stops_messages_both_ways(world: World) -> None:
    """No message passes between the two until the block is lifted; others are not affected."""
    await world.users("anna", "ben", "chiara")
    await block(world, "anna", "ben")

    assert await send(world, "ben", "anna") == "ERR_BLOCKED_SENDER"
    assert await send(world, "anna", "ben") == "ERR_BLOCKED_RECEIVER"
    assert await send(world, "ben", "chiara") == ""
    await unblock(world, "anna", "ben")
    assert await send(world, "ben", "anna") == ""
    assert await send(world, "anna", "ben") == ""


async def test_one_refusal_never_undoes_another(world: World) -> None:
    """Users who cannot be blocked are refused with a reason, and the others are blocked."""
    await world.users("anna", "ben", "gone", "left")
    await world.delete("/users", {"uidsToDeactivate": ["gone"]})
    await world.delete("/users/left")

    outcomes = await block(world, "anna", "nobody", "anna", "gone", "left", "app_system", "ben")

    refused = {"nobody": NOBODY, "anna": SELF, "gone": NOBODY, "left": NOBODY, "app_system": NOBODY}
    assert codes(outcomes) == {**refused, "ben": ""}
    assert all(uid in outcomes[uid]["error"]["message"] for uid in refused)
    assert await blocked(world) == ["ben"]


async def test_blocking_twice_changes_nothing(world: World, clock: ManualClock) -> None:
    """Blocking again succeeds and keeps the first time."""
    await world.users("anna", "ben")
    at = clock.now()
    await block(world, "anna", "ben")
    clock.advance(60)

    assert await block(world, "Anna", "Ben", "BEN") == done("blocked", "ben")
    (ben,) = await world.get("/users/anna/blockedusers")
    assert ben["blockedByMeAt"] == at


async def test_a_user_is_blocked_once_by_concurrent_calls(world: World, node: Node) -> None:
    """Many concurrent calls block once, and each of them succeeds."""
    await world.users("anna", "ben")
    answers = await asyncio.gather(*(block(world, "anna", "ben") for _ in range(8)))

    assert answers == [done("blocked", "ben")] * 8
    assert await blocked(world) == ["ben"]
    assert [row[2] for row in await events(node, world)] == ["user_blocked"]


# Unblocking


async def test_a_user_is_unblocked(world: World) -> None:
    """An unblocked user is no longer listed; their own block is not affected."""
    await world.users("anna", "ben", "chiara")
    await block(world, "anna", "ben", "chiara")
    await block(world, "ben", "anna")

    assert await unblock(world, "anna", "Ben", "ben") == done("unblocked", "ben")
    assert await blocked(world) == ["chiara"]
    assert await blocked(world, "ben") == ["anna"]
    assert await send(world, "anna", "ben") == "ERR_BLOCKED_SENDER"


async def test_unblocking_without_a_block(world: World) -> None:
    """Unblocking a user who is not blocked succeeds, unless they cannot be blocked at all."""
    await world.users("anna", "ben", "left")
    await world.delete("/users/left")

    outcomes = await unblock(world, "anna", "ben", "anna", "nobody", "left")
    assert codes(outcomes) == {"ben": "", "anna": SELF, "nobody": NOBODY, "left": NOBODY}
    assert {"ben": outcomes["ben"]} == done("unblocked", "ben")


async def test_a_deactivated_user_is_hidden_and_can_be_unblocked(world: World) -> None:
    """A deactivated user is not listed; a block that was not lifted is listed on their return."""
    await world.users("anna", "ben", "chiara")
    await block(world, "anna", "ben", "chiara")
    await world.delete("/users", {"uidsToDeactivate": ["ben", "chiara"]})

    assert await blocked(world) == []
    assert await unblock(world, "anna", "ben") == done("unblocked", "ben")
    await world.put("/users", {"uidsToActivate": ["ben", "chiara"]})
    assert await blocked(world) == ["chiara"]


@pytest.mark.parametrize("body", [{}, {"permanent": True}])
async def test_deletion_lifts_blocks(world: World, body: Json) -> None:
    """A deletion, permanent or not, lifts all blocks of and by a user."""
    await world.users("anna", "ben", "chiara")
    await block(world, "anna", "ben")
    await block(world, "ben", "chiara")
    await world.delete("/users/ben", body)

    assert await blocked(world) == []
    await world.ask("DELETE", "/users/ben", {"permanent": True})  # the uid is free, or was
    await world.user("ben")
    assert await blocked(world) == []
    assert await blocked(world, "ben") == []
    assert await send(world, "ben", "anna") == ""


# What is refused


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@pytest.mark.parametrize("uid", ["nobody", "gone", "app_system"])
async def test_a_missing_user_blocks_nobody(world: World, uid: str, method: str) -> None:
    """For a missing or deactivated user, the whole call is refused."""
    await world.users("ben", "gone")
    await block(world, "gone", "ben")
    await world.delete("/users", {"uidsToDeactivate": ["gone"]})

    path = f"/users/{uid}/blockedusers"
    await world.refused(method, path, {"blockedUids": ["ben"]}, status=404, code=NOBODY)
    await world.refused("GET", path, status=404, code=NOBODY)
    await world.put("/users", {"uidsToActivate": ["gone"]})
    assert await blocked(world, "gone") == ["ben"]


BAD_LISTS: list[tuple[Any, str]] = [
    ("ben", ""),
    ({"ben": True}, ""),
    (None, ""),
    (["ben", 7], ".1"),
    (["ben", None], ".1"),
    (["ben", ""], ".1"),
    (["ben", "a b"], ".1"),
    (["ben", "b\0"], ".1"),
    (["ben", "ben\n"], ".1"),
    (["ben", "\u212aim"], ".1"),
    (["ben", "x" * 101], ".1"),
    (["ben", ["ben"]], ".1"),
    (["ben"] * 101, ""),
]


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@pytest.mark.parametrize(("value", "place"), BAD_LISTS)
@one_engine
async def test_a_malformed_list_of_uids_is_refused(
    world: World, method: str, value: Any, place: str
) -> None:
    """A list with a bad item, or more than 100, is refused as a whole, with its place named."""
    await world.users("anna", "ben", "chiara")
    await block(world, "anna", "chiara")

    path, body = "/users/anna/blockedusers", json.dumps({"blockedUids": value}).encode()
    details = await world.refused(method, path, body, status=400, code=BAD)
    assert list(details) == ["blockedUids" + place]
    assert await blocked(world) == ["chiara"]


@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_the_list_is_required(world: World, method: str) -> None:
    """Without `blockedUids` the call is refused; an empty list does nothing."""
    await world.user("anna")

    for body in ({}, None, {"uids": ["ben"]}):
        details = await world.refused(
            method, "/users/anna/blockedusers", body, status=400, code=BAD
        )
        assert details == {"blockedUids": ["The blockedUids field is required."]}
    assert await world.call(method, "/users/anna/blockedusers", {"blockedUids": []}) == {}


async def test_100_users_are_blocked_at_once(world: World) -> None:
    """A call may name 100 users, each with an outcome."""
    await world.users("anna", "ben")
    others = [f"nobody-{number}" for number in range(99)]

    outcomes = await block(world, "anna", *others, "ben")
    assert codes(outcomes) == {**dict.fromkeys(others, NOBODY), "ben": ""}


# Listing


async def test_rows_are_users_with_both_blocks(world: World, clock: ManualClock) -> None:
    """The rows are users, with their conversation, both directions of blocks, and their times."""
    await world.user("mo")
    ben = await world.user("ben", name="Ben Osei", tags=["diver"])
    zoe = await world.user("zoe", metadata={"@private": {"email": "zoe@example.com"}})
    at = clock.now()
    await block(world, "ben", "mo")
    clock.advance(1)
    await block(world, "mo", "ben")
    clock.advance(1)
    await block(world, "mo", "zoe")
    del ben["tags"]

    assert await world.get("/users/mo/blockedusers") == [
        {**zoe, "conversationId": "mo_user_zoe", "blockedByMe": True, "blockedByMeAt": at + 2},
        {
            **ben,
            "conversationId": "ben_user_mo",
            "blockedByMe": True,
            "blockedByMeAt": at + 1,
            "hasBlockedMe": True,
            "blockedAt": at,
        },
    ]


async def test_the_newest_block_comes_first(world: World, clock: ManualClock) -> None:
    """The list is ordered by the time of the block, not by that of creation or change."""
    await world.users("anna", "ben", "chiara", "dai")
    for uid in ("chiara", "ben", "dai"):
        clock.advance(1)
        await block(world, "anna", uid)
    clock.advance(1)
    await world.put("/users/chiara", {"name": "Chiara Rossi"})

    assert await blocked(world) == ["dai", "ben", "chiara"]


async def test_the_blocked_come_in_pages(world: World) -> None:
    """Pages follow one another without overlap, and have the total."""
    await world.users("anna", "ben", "chiara", "dai", "eva", "farid", "gone")
    await block(world, "anna", "ben", "chiara", "dai", "eva", "farid", "gone")
    await world.delete("/users", {"uidsToDeactivate": ["gone"]})
    pages = []
    for page in (1, 2, 3, 4):
        pages.append(await world.uids(f"/users/anna/blockedusers?perPage=2&page={page}"))
        assert world.answer.meta["pagination"] == {
            "total": 5,
            "count": len(pages[-1]),
            "per_page": 2,
            "current_page": page,
            "total_pages": 3,
        }
    assert pages == [["farid", "eva"], ["dai", "chiara"], ["ben"], []]


async def test_the_blocked_are_followed_by_the_cursor(world: World, clock: ManualClock) -> None:
    """Each page's cursor leads to the next older blocks, also within the same second."""
    await world.users("anna", "ben", "chiara", "dai", "eva")
    await block(world, "anna", "eva", "ben")
    clock.advance(1)
    await block(world, "anna", "chiara", "dai")
    found, query = [], ""
    for _ in range(4):
        page = await world.uids(f"/users/anna/blockedusers?perPage=3{query}")
        found.append(page)
        assert world.answer.meta["pagination"]["total"] == 4
        if not page:
            break
        query = "".join(f"&{name}={text}" for name, text in world.answer.meta["cursor"].items())

    assert found == [["dai", "chiara", "eva"], ["ben"], []]


async def test_a_cursor_leads_to_newer_blocks_too(world: World, clock: ManualClock) -> None:
    """With `affix=append` a cursor leads to the nearest newer blocks."""
    await world.users("anna", "ben", "chiara", "dai", "eva")
    at = clock.now()
    await block(world, "anna", "ben", "chiara")
    clock.advance(1)
    await block(world, "anna", "dai", "eva")

    query = f"/users/anna/blockedusers?affix=append&perPage=2&updatedAt={at}"
    assert await world.uids(f"{query}&id=BEN") == ["dai", "chiara"]
    assert await world.uids(f"{query}&id=chiara") == ["eva", "dai"]


# Permissions


async def test_a_user_blocks_with_a_token(world: World, node: Node, clock: ManualClock) -> None:
    """With a token a user blocks, unblocks and lists; the log names the user."""
    await world.users("anna", "ben")
    await world.user("chiara", metadata={"@private": {"email": "c@example.com"}, "team": "red"})
    token, at = await world.token("anna"), clock.now()

    assert codes(await block(world, "anna", "ben", "chiara", token=token)) == {
        "ben": "",
        "chiara": "",
    }
    assert codes(await unblock(world, "anna", "ben", token=token)) == {"ben": ""}
    (chiara,) = await world.get("/users/anna/blockedusers", token=token)
    assert chiara["metadata"] == {"team": "red"}
    await unblock(world, "anna", "chiara", "ben")
    await unblock(world, "anna", "chiara", "ben")
    assert [(row[2], json.loads(row[4])) for row in await events(node, world)] == [
        ("user_blocked", {"uid": "anna", "blocked": ["ben", "chiara"], "by": "anna", "at": at}),
        ("user_unblocked", {"uid": "anna", "unblocked": ["ben"], "by": "anna", "at": at}),
        ("user_unblocked", {"uid": "anna", "unblocked": ["chiara"], "by": "app_system", "at": at}),
    ]


async def test_the_app_blocks_on_behalf_of_a_user(world: World, node: Node) -> None:
    """With onBehalfOf the user is the one who blocks; no other caller can do it for them."""
    await world.users("anna", "ben")
    path, body = "/users/anna/blockedusers", {"blockedUids": ["ben"]}

    await world.refused("POST", path, body, as_="ben", status=403, code=NO_ACCESS)
    await world.refused("POST", path, body, as_="nobody", status=404, code=NOBODY)
    assert await blocked(world) == []
    await world.post(path, body, as_="ANNA")
    assert await world.uids(path, as_="anna") == ["ben"]
    (row,) = await events(node, world)
    assert json.loads(row[4])["by"] == "anna"


@pytest.mark.parametrize("method", ["POST", "DELETE", "GET"])
@pytest.mark.parametrize("uid", ["ben", "nobody"])
async def test_a_user_has_access_to_own_blocks_only(world: World, uid: str, method: str) -> None:
    """With a token a user can neither block for another user nor see that user's blocks."""
    await world.users("anna", "ben", "chiara")
    await block(world, "ben", "anna")
    token = await world.token("anna")

    body = {"blockedUids": ["chiara", "anna"]} if method != "GET" else None
    path = f"/users/{uid}/blockedusers"
    await world.refused(method, path, body, status=403, code=NO_ACCESS, token=token)
    assert await blocked(world, "ben") == ["anna"]


@pytest.mark.parametrize(
    ("method", "feature"),
    [("POST", "blockUser"), ("DELETE", "unblockUser"), ("GET", "getBlockedUsers")],
)
async def test_a_role_is_kept_from_blocks(world: World, method: str, feature: str) -> None:
    """A restricted feature is denied to users of the role, and not to the app."""
    await world.users("anna", "ben", "chiara")
    await block(world, "anna", "ben")
    token = await world.token("anna")
    features = {"featuresToRestrict": [feature]}
    await world.post("/roles/default/restrictedfeatures", features)

    body = {"blockedUids": ["ben", "chiara"]} if method != "GET" else None
    path = "/users/anna/blockedusers"
    details = await world.refused(method, path, body, status=403, code=DENIED, token=token)
    assert list(details) == [f"u.{feature}"]
    assert await blocked(world) == ["ben"]
    await world.call(method, path, body)


async def test_blocks_of_another_app_are_apart(world: World, node: Node) -> None:
    """Users with the same uids in another app have blocked nobody."""
    other = await node.world()
    for each in (world, other):
        await each.users("anna", "ben")
    await block(world, "anna", "ben")

    assert await blocked(other) == []
    await unblock(other, "anna", "ben")
    assert await blocked(world) == ["ben"]
