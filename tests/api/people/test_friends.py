"""Friends: create and end friendships, list friends."""

import asyncio
import json
from typing import Any

import pytest
from tests.api.messages.talk import events, import_rows
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import CallOptions, Json, Node, World

BAD = "ERR_BAD_REQUEST"
NOBODY = "ERR_UID_NOT_FOUND"
NO_FRIEND = "ERR_NOT_A_FRIEND"
NO_ACCESS = "AUTH_ERR_NO_ACCESS"
MADE = {"success": True, "message": "Created relationship with status accepted."}
ENDED = {"success": True, "message": "Deleted the friend relations succussfully"}


async def befriend(world: World, uid: str, *others: str) -> Json:
    """Make friends; return the outcomes by uid."""
    answer: Json = await world.post(f"/users/{uid}/friends", {"accepted": list(others)})
    assert list(answer) == ["accepted"]
    outcomes: Json = answer["accepted"]
    return outcomes


async def friends(world: World, uid: str) -> list[str]:
    """Return the uids of a user's friends, sorted; check the total."""
    found = await world.uids(f"/users/{uid}/friends?perPage=1000")
    assert world.answer.meta["pagination"]["total"] == len(found)
    return sorted(found)


def codes(outcomes: Json) -> dict[str, str]:
    """Return the code of each refusal; an empty one for a success."""
    return {uid: outcome.get("error", {}).get("code", "") for uid, outcome in outcomes.items()}


async def fill(world: World, uid: str, count: int) -> None:
    """Create a number of friends of a user."""
    uids = [f"{uid}-{number}" for number in range(count)]
    for start in range(0, count, 50):
        rows = {each: {"uid": each, "name": each} for each in uids[start : start + 50]}
        await import_rows(world, "users", rows)
    for start in range(0, count, 25):
        outcomes = await befriend(world, uid, *uids[start : start + 25])
        assert set(codes(outcomes).values()) == {""}


# Making friends


async def test_befriending_is_mutual(world: World) -> None:
    """Either of two friends finds the other in their list, and nobody else."""
    await world.users("anna", "ben", "chiara", "dai")
    outcomes = await befriend(world, "anna", "ben", "chiara")

    assert outcomes == {"ben": MADE, "chiara": MADE}
    assert await friends(world, "anna") == ["ben", "chiara"]
    assert await friends(world, "ben") == ["anna"]
    assert await friends(world, "chiara") == ["anna"]
    assert await friends(world, "dai") == []


async def test_one_refusal_never_undoes_another(world: World) -> None:
    """Users who cannot be friends are refused with a reason, and the others become friends."""
    await world.users("anna", "ben", "chiara", "gone", "left")
    await befriend(world, "anna", "ben")
    await world.delete("/users", {"uidsToDeactivate": ["gone"]})
    await world.delete("/users/left")

    outcomes = await befriend(
        world, "anna", "anna", "nobody", "gone", "left", "app_system", "ben", "chiara"
    )

    assert codes(outcomes) == {
        "anna": "ERR_CANNOT_FORM_SELF_RELATION",
        "nobody": NOBODY,
        "gone": NOBODY,
        "left": NOBODY,
        "app_system": NOBODY,
        "ben": "ERR_ALREADY_FRIEND",
        "chiara": "",
    }
    assert all(
        uid in outcomes[uid]["error"]["message"] for uid in codes(outcomes) if uid != "chiara"
    )
    assert await friends(world, "anna") == ["ben", "chiara"]


async def test_a_friend_is_named_once(world: World) -> None:
    """A repeated uid, in any case, has one outcome."""
    await world.users("anna", "ben")

    assert await befriend(world, "ANNA", "Ben", "BEN", "ben") == {"ben": MADE}
    assert await friends(world, "anna") == ["ben"]


@pytest.mark.parametrize("body", [{"accepted": []}, {}, None, {"friends": ["ben"]}])
async def test_an_empty_list_of_friends(world: World, body: Json | None) -> None:
    """A call without uids succeeds, and changes nothing."""
    await world.users("anna", "ben")

    assert await world.post("/users/anna/friends", body) == {"accepted": {}}
    assert await friends(world, "anna") == []


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@pytest.mark.parametrize("uid", ["nobody", "gone", "app_system"])
async def test_a_missing_user_has_no_friends(world: World, uid: str, method: str) -> None:
    """For a missing or deactivated user, the whole call is refused."""
    await world.users("ben", "gone")
    await befriend(world, "gone", "ben")
    await world.delete("/users", {"uidsToDeactivate": ["gone"]})

    body = {"accepted": ["ben"], "friends": ["ben"]}
    await world.refused(method, f"/users/{uid}/friends", body, status=404, code=NOBODY)
    await world.refused("GET", f"/users/{uid}/friends", status=404, code=NOBODY)
    await world.put("/users", {"uidsToActivate": ["gone"]})
    assert await friends(world, "gone") == ["ben"]


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
    (["ben"] * 26, ""),
]


@pytest.mark.parametrize(("method", "field"), [("POST", "accepted"), ("DELETE", "friends")])
@pytest.mark.parametrize(("value", "place"), BAD_LISTS)
@one_engine
async def test_a_malformed_list_of_uids_is_refused(
    world: World, method: str, field: str, value: Any, place: str
) -> None:
    """A list with a bad item, or more than 25, is refused as a whole, with its place named."""
    await world.users("anna", "ben", "chiara")
    await befriend(world, "anna", "chiara")

    path, body = "/users/anna/friends", json.dumps({field: value}).encode()
    details = await world.refused(method, path, body, status=400, code=BAD)
    assert list(details) == [field + place]
    assert await friends(world, "anna") == ["chiara"]


async def test_a_user_has_1_000_friends_at_most(world: World) -> None:
    """A user with 1,000 friends gets no more, from either side, also within one call."""
    await world.users("anna", "ben", "chiara", "dai")
    await fill(world, "anna", 998)

    outcomes = await befriend(world, "anna", "ben", "nobody", "chiara", "dai")

    assert codes(outcomes) == {
        "ben": "",
        "nobody": NOBODY,
        "chiara": "",
        "dai": "ERR_LIMIT_EXCEEDED",
    }
    assert "anna" in outcomes["dai"]["error"]["message"]
    refused = await befriend(world, "dai", "anna", "ben")
    assert codes(refused) == {"anna": "ERR_LIMIT_EXCEEDED", "ben": ""}
    assert "anna" in refused["anna"]["error"]["message"]
    assert "1,000" in refused["anna"]["error"]["details"]["accepted"][0]
    assert len(await friends(world, "anna")) == 1000
    assert await friends(world, "dai") == ["ben"]


async def test_how_many_friends_is_a_setting(world: World) -> None:
    """The app's setting limits a user's friends; existing ones beyond it are kept."""
    await world.users("anna", "ben", "chiara", "dai", "eva")
    await world.put("/settings", {"settings": {"limits.friendsPerUser": 2}})
    refused = codes(await befriend(world, "anna", "ben", "chiara", "dai"))
    assert refused == {"ben": "", "chiara": "", "dai": "ERR_LIMIT_EXCEEDED"}

    await world.put("/settings", {"settings": {"limits.friendsPerUser": 1}})
    assert await friends(world, "anna") == ["ben", "chiara"]
    (outcome,) = (await befriend(world, "eva", "ben")).values()
    assert outcome["error"]["details"]["accepted"] == ["The limit is 1 friends per user."]
    await world.delete("/settings", {"keys": ["limits.friendsPerUser"]})
    assert codes(await befriend(world, "anna", "dai", "eva")) == {"dai": "", "eva": ""}


async def test_the_last_place_is_given_once(world: World) -> None:
    """Of several users who want the last place among a user's friends one gets it."""
    others = ["ben", "chiara", "dai", "eva"]
    await world.users("anna", *others)
    await fill(world, "anna", 999)

    answers = await asyncio.gather(
        befriend(world, "anna", "ben"),
        befriend(world, "chiara", "anna"),
        befriend(world, "anna", "dai"),
        befriend(world, "eva", "anna"),
    )

    results = sorted(code for outcomes in answers for code in codes(outcomes).values())
    assert results == ["", *["ERR_LIMIT_EXCEEDED"] * 3]
    assert len(await friends(world, "anna")) == 1000
    assert sum([await friends(world, each) == ["anna"] for each in others]) == 1


async def test_two_befriend_each_other_at_the_same_time(world: World) -> None:
    """Of two concurrent calls for the same friendship one creates it, the other finds it."""
    await world.users("anna", "ben")
    answers = await asyncio.gather(befriend(world, "anna", "ben"), befriend(world, "ben", "anna"))

    results = sorted(code for outcomes in answers for code in codes(outcomes).values())
    assert results == ["", "ERR_ALREADY_FRIEND"]
    assert await friends(world, "anna") == ["ben"]
    assert await friends(world, "ben") == ["anna"]


async def test_friendships_are_events(world: World, node: Node, clock: ManualClock) -> None:
    """The log has the actual changes, and nothing else."""
    await world.users("anna", "ben", "chiara")
    await befriend(world, "anna", "ben", "nobody", "chiara")
    await befriend(world, "anna", "ben")
    await befriend(world, "anna")
    await world.delete("/users/anna/friends", {"friends": ["Chiara"]})
    await world.delete("/users/anna/friends", {"friends": []})

    logged = [(row[2], json.loads(row[4])) for row in await events(node, world)]
    at = clock.now()
    assert logged == [
        ("friends_added", {"uid": "anna", "friends": ["ben", "chiara"], "at": at}),
        ("friends_removed", {"uid": "anna", "friends": ["chiara"], "at": at}),
    ]


# Ending friendships


async def test_a_friendship_ends_from_both_sides(world: World) -> None:
    """A removed friend is removed on both sides; other friendships are unchanged."""
    await world.users("anna", "ben", "chiara", "dai")
    await befriend(world, "anna", "ben", "chiara", "dai")

    body = {"friends": ["Ben", "ben", "dai"]}
    assert await world.delete("/users/anna/friends", body) == ENDED
    assert await friends(world, "anna") == ["chiara"]
    assert await friends(world, "ben") == []
    assert await friends(world, "chiara") == ["anna"]
    assert codes(await befriend(world, "ben", "anna")) == {"anna": ""}


@pytest.mark.parametrize("stranger", ["dai", "nobody", "anna", "app_system"])
async def test_a_user_who_is_no_friend_keeps_the_others(world: World, stranger: str) -> None:
    """A call that names a user who is no friend is refused, names them, and ends nothing."""
    await world.users("anna", "ben", "chiara", "dai")
    await befriend(world, "anna", "ben", "chiara")

    body = {"friends": ["ben", stranger, "chiara"]}
    await world.refused("DELETE", "/users/anna/friends", body, status=404, code=NO_FRIEND)
    assert stranger in world.answer.error["message"]
    assert await friends(world, "anna") == ["ben", "chiara"]


@pytest.mark.parametrize("body", [{"friends": []}, {}, None])
async def test_no_friendship_ends(world: World, body: Json | None) -> None:
    """A call without uids succeeds, and all friendships remain."""
    await world.users("anna", "ben")
    await befriend(world, "anna", "ben")

    assert await world.delete("/users/anna/friends", body) == ENDED
    assert await friends(world, "anna") == ["ben"]


async def test_a_deactivated_friend_is_hidden(world: World) -> None:
    """A deactivated friend is not listed, can be removed, and is listed after reactivation."""
    await world.users("anna", "ben", "chiara")
    await befriend(world, "anna", "ben", "chiara")
    await world.delete("/users", {"uidsToDeactivate": ["ben", "chiara"]})

    assert await friends(world, "anna") == []
    assert await world.delete("/users/anna/friends", {"friends": ["ben"]}) == ENDED
    await world.put("/users", {"uidsToActivate": ["ben", "chiara"]})
    assert await friends(world, "anna") == ["chiara"]


@pytest.mark.parametrize("body", [{}, {"permanent": True}])
async def test_deletion_ends_friendships(world: World, body: Json) -> None:
    """A deletion, permanent or not, ends friendships; a new holder of the uid has none."""
    await world.users("anna", "ben", "chiara")
    await befriend(world, "anna", "ben", "chiara")
    await world.delete("/users/ben", body)

    assert await friends(world, "anna") == ["chiara"]
    await world.refused(
        "DELETE", "/users/anna/friends", {"friends": ["ben"]}, status=404, code=NO_FRIEND
    )
    await world.ask("DELETE", "/users/ben", {"permanent": True})  # the uid is free, or was
    await world.user("ben")
    assert await friends(world, "ben") == []


# Listing


async def test_friends_are_users(world: World) -> None:
    """The list shows friends as users, without tags."""
    await world.user("anna")
    ben = await world.user("ben", name="Ben Osei", metadata={"team": "red"}, tags=["diver"])
    await befriend(world, "anna", "ben")
    del ben["tags"]

    assert await world.get("/users/anna/friends") == [ben]


async def test_friends_are_listed_newest_change_first(world: World, clock: ManualClock) -> None:
    """The users created or changed last come first, whenever they became friends."""
    for uid in ("anna", "ben", "chiara", "dai"):
        await world.user(uid)
        clock.advance(1)
    for uid in ("chiara", "ben", "dai"):
        await befriend(world, "anna", uid)
        clock.advance(1)
    await world.put("/users/ben", {"name": "Ben Osei"})

    assert await world.uids("/users/anna/friends") == ["ben", "dai", "chiara"]


async def test_friends_come_in_pages(world: World) -> None:
    """Pages follow one another without overlap, and have the total."""
    await world.users("anna", "ben", "chiara", "dai", "eva", "farid", "stranger")
    await befriend(world, "anna", "ben", "chiara", "dai", "eva", "farid")
    pages = []
    for page in (1, 2, 3, 4):
        pages.append(await world.uids(f"/users/anna/friends?perPage=2&page={page}"))
        assert world.answer.meta["pagination"] == {
            "total": 5,
            "count": len(pages[-1]),
            "per_page": 2,
            "current_page": page,
            "total_pages": 3,
        }
    assert pages == [["farid", "eva"], ["dai", "chiara"], ["ben"], []]


async def test_friends_are_followed_by_the_cursor(world: World, clock: ManualClock) -> None:
    """Each page's cursor leads to the next older friends, also within the same second."""
    await world.users("anna", "ben", "chiara")
    clock.advance(1)
    await world.users("dai", "stranger", "eva")
    await befriend(world, "anna", "ben", "chiara", "dai", "eva")
    found, query = [], ""
    for _ in range(4):
        page = await world.uids(f"/users/anna/friends?perPage=3{query}")
        found.append(page)
        assert world.answer.meta["pagination"]["total"] == 4
        if not page:
            break
        query = "".join(f"&{name}={text}" for name, text in world.answer.meta["cursor"].items())

    assert found == [["eva", "dai", "chiara"], ["ben"], []]


async def test_a_cursor_leads_to_newer_friends_too(world: World, clock: ManualClock) -> None:
    """With `affix=append` a cursor leads to the nearest newer friends."""
    await world.users("anna", "ben")
    at = clock.now()
    clock.advance(1)
    await world.users("chiara", "dai", "stranger")
    await befriend(world, "anna", "ben", "chiara", "dai")

    query = f"/users/anna/friends?affix=append&perPage=2&updatedAt={at}"
    assert await world.uids(f"{query}&id=Anna") == ["chiara", "ben"]
    assert await world.uids(f"{query}&id=ben") == ["dai", "chiara"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("k", ["k2", "anna"]),
        ("KEL", ["anna"]),
        ("k2", ["k2"]),
        ("émile", ["k2"]),
        ("eller", []),
        ("zoe", []),
        ("%25", []),
    ],
)
async def test_a_search_finds_friends(world: World, search: str, found: list[str]) -> None:
    """A search finds the beginning of a friend's uid, or of a word of their name; no strangers."""
    await world.user("zoe", name="Zoé Kaya")
    await world.user("anna", name="Anna Keller")
    await world.user("k2", name="Émile Durand")
    await world.user("kim", name="Kim Keller")
    await befriend(world, "zoe", "anna", "k2")

    assert await world.uids(f"/users/zoe/friends?searchKey={search}") == found
    assert world.answer.meta["pagination"]["total"] == len(found)


# Permissions


async def test_a_user_lists_their_own_friends(world: World) -> None:
    """A user, by token or by key, sees only their own friends, in relation to themselves."""
    await world.users("anna", "chiara")
    await world.user("ben", metadata={"@private": {"email": "ben@example.com"}, "team": "red"})
    await befriend(world, "anna", "ben")
    await befriend(world, "ben", "chiara")
    ways: list[CallOptions] = [{"token": await world.token("anna")}, {"as_": "anna"}]

    for how in ways:
        (ben,) = await world.get("/users/Anna/friends", **how)
        assert (ben["uid"], ben["conversationId"]) == ("ben", "anna_user_ben")
        assert ben["metadata"] == {"team": "red"}
        for uid in ("ben", "nobody"):
            path = f"/users/{uid}/friends"
            await world.refused("GET", path, status=403, code=NO_ACCESS, **how)


@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_a_user_does_not_change_friends(world: World, method: str) -> None:
    """Friendships are created and ended by the app; a user's token is not sufficient."""
    await world.users("anna", "ben", "chiara")
    await befriend(world, "anna", "ben")
    token = await world.token("anna")

    body = {"accepted": ["chiara"], "friends": ["ben"]}
    await world.refused(
        method, "/users/anna/friends", body, status=403, code=NO_ACCESS, token=token
    )
    assert await friends(world, "anna") == ["ben"]


async def test_friends_of_another_app_are_apart(world: World, node: Node) -> None:
    """Users with the same uids in another app are not friends."""
    other = await node.world()
    for each in (world, other):
        await each.users("anna", "ben")
    await befriend(world, "anna", "ben")

    assert await friends(other, "anna") == []
    body = {"friends": ["ben"]}
    await other.refused("DELETE", "/users/anna/friends", body, status=404, code=NO_FRIEND)
    assert await friends(world, "anna") == ["ben"]
