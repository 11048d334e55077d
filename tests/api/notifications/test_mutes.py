"""Muted conversations of users."""

from typing import Any

import pytest
from tests.api.messages.talk import group
from tests.clock import FAR_AHEAD
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.records.notifications.model import GROUP, MOST_MUTES, ONE_ON_ONE, Mute
from hubbub.records.notifications.preference_store import list_mutes_of, put_mutes

PATH = "/notifications/v1/preferences/mute?uid=anna"
SETTINGS = "/notifications/v1/settings"
HOUR = 3_600_000


@pytest.fixture(autouse=True)
async def people(world: World) -> None:
    """Create three users and two groups."""
    await world.users("anna", "ben", "chiara")
    await group(world, "hikers", "anna", "ben")
    await group(world, "divers", "ben")


@pytest.fixture
def later(node: Node) -> int:
    """Return a time in an hour, in milliseconds."""
    return node.clock.milliseconds() + HOUR


def one(id_: str, type_: str, until: Any = None) -> Json:
    """Return a conversation on the wire."""
    return {"id": id_, "type": type_} | ({} if until is None else {"until": until})


async def mute(world: World, *conversations: Json, uid: str = "anna") -> None:
    """Mute conversations of a user."""
    path = PATH.replace("anna", uid)
    assert await world.put(path, {"conversations": conversations}) == {"success": True}


async def muted(world: World, uid: str = "anna") -> list[Json]:
    """Return the muted conversations of a user."""
    found: list[Json] = (await world.get(PATH.replace("anna", uid)))["mutedConversations"]
    return found


async def test_conversations_are_muted_and_unmuted(world: World, later: int) -> None:
    """Muted conversations are listed for their user, with their ends, until they are unmuted."""
    assert await muted(world) == []
    all_of_them = [
        one("ben", "oneOnOne", later),
        one("chiara", "oneOnOne", later + 1),
        one("divers", "group", later + 2),
        one("hikers", "group", later + 3),
    ]
    await mute(world, *all_of_them)
    assert await muted(world) == all_of_them
    assert await muted(world, "ben") == []

    named = {"conversations": [one("ben", "oneOnOne"), one("hikers", "group")]}
    assert await world.delete(PATH, named) == {"success": True}
    assert await muted(world) == all_of_them[1:3]
    assert await world.delete(PATH, named) == {"success": True}


async def test_a_mute_ends(world: World, node: Node, later: int) -> None:
    """A muted conversation is not listed any more once its time is over."""
    await mute(world, one("ben", "oneOnOne", later), one("hikers", "group", later + HOUR))
    node.clock.advance(HOUR / 1000)

    assert await muted(world) == [one("hikers", "group", later + HOUR)]


async def test_muting_again_replaces_the_end(world: World, later: int) -> None:
    """The last end that was given counts, also within one call."""
    await mute(world, one("ben", "oneOnOne", later + HOUR), one("hikers", "group", later))
    await mute(world, one("ben", "oneOnOne", later))
    await mute(world, one("HIKERS", "group", later + 5), one("hikers", "group", later + 9))

    assert await muted(world) == [one("ben", "oneOnOne", later), one("hikers", "group", later + 9)]


@pytest.mark.parametrize(
    ("conversation", "field"),
    [
        ({"type": "oneOnOne", "until": FAR_AHEAD * 1_000}, "id"),
        ({"id": "ben", "until": FAR_AHEAD * 1_000}, "type"),
        ({"id": "ben", "type": "user", "until": FAR_AHEAD * 1_000}, "type"),
        ({"id": "b n", "type": "oneOnOne", "until": FAR_AHEAD * 1_000}, "id"),
        ({"id": "ben", "type": "oneOnOne"}, "until"),
        ({"id": "ben", "type": "oneOnOne", "until": f"{FAR_AHEAD}000"}, "until"),
        ({"id": "ben", "type": "oneOnOne", "until": 1_800_000_000}, "until"),
        ({"id": "ben", "type": "oneOnOne", "until": 1_800_000_000_000}, "until"),
        ({"id": "ben", "type": "oneOnOne", "until": 10**14}, "until"),
        ({"id": "ben", "type": "oneOnOne", "until": -1}, "until"),
    ],
)
@one_engine
async def test_an_invalid_mute(world: World, later: int, conversation: Json, field: str) -> None:
    """A conversation that is not complete, or ends in the past, is refused with its field."""
    body = {"conversations": [one("chiara", "oneOnOne", later), conversation]}
    details = await world.refused("PUT", PATH, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [f"conversations.1.{field}"]
    assert await muted(world) == []


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("body", [None, {}, {"conversations": None}, {"conversations": "ben"}])
async def test_conversations_must_be_given(world: World, method: str, body: Any) -> None:
    """A call without the list of conversations is refused."""
    details = await world.refused(method, PATH, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == ["conversations"]


async def test_unknown_conversations(world: World, later: int) -> None:
    """Only users and groups that exist can be muted; any can be unmuted."""
    for conversation, code in (
        (one("eve", "oneOnOne", later), "ERR_UID_NOT_FOUND"),
        (one("hikers", "oneOnOne", later), "ERR_UID_NOT_FOUND"),
        (one("ben", "group", later), "ERR_GUID_NOT_FOUND"),
    ):
        body = {"conversations": [one("ben", "oneOnOne", later), conversation]}
        await world.refused("PUT", PATH, body, status=404, code=code)
    assert await muted(world) == []

    await world.delete(PATH, {"conversations": [one("eve", "oneOnOne"), one("ben", "group")]})


@pytest.mark.parametrize(
    ("lock", "left"),
    [
        ({"mutedGroupsOverride": False}, ["ben"]),
        ({"mutedOneOnOnesOverride": False}, ["hikers"]),
    ],
)
async def test_what_users_may_not_mute(
    world: World, later: int, lock: Json, left: list[str]
) -> None:
    """A locked kind is ignored without an error, and earlier mutes of it are not listed."""
    both = [one("ben", "oneOnOne", later), one("hikers", "group", later)]
    await mute(world, *both)
    await world.patch(SETTINGS, {"preferences": {"mute": lock}})
    assert [each["id"] for each in await muted(world)] == left

    await mute(world, *both, uid="chiara")
    assert [each["id"] for each in await muted(world, "chiara")] == left
    await world.delete(SETTINGS)
    assert [each["id"] for each in await muted(world, "chiara")] == left
    assert await muted(world) == both


async def test_a_new_group_is_not_muted(world: World, later: int) -> None:
    """A group of the same guid as a deleted one is muted by nobody."""
    await mute(world, one("hikers", "group", later))
    await world.delete("/groups/hikers")
    assert await muted(world) == []
    await group(world, "hikers", "anna")

    assert await muted(world) == []


async def test_a_new_user_is_not_muted(world: World, later: int) -> None:
    """A user of the same uid as a deleted one has muted nobody, and is muted by nobody."""
    await mute(world, one("ben", "oneOnOne", later), one("hikers", "group", later))
    await mute(world, one("anna", "oneOnOne", later), uid="ben")
    await world.delete("/users/ben", {"permanent": True})
    await world.user("ben")
    assert [each["id"] for each in await muted(world)] == ["hikers"]
    assert await muted(world, "ben") == []

    await world.delete("/users/anna", {"permanent": True})
    await world.user("anna")
    assert await muted(world) == []


async def test_a_user_has_so_many(world: World, node: Node, later: int) -> None:
    """A user has a limit of muted conversations; those whose time is over do not count."""
    some = [Mute(f"user-{number}", ONE_ON_ONE, later) for number in range(MOST_MUTES - 2)]
    await node.runtime.database.write(world.app_id, lambda tx: put_mutes(tx, "anna", some, {}))
    await mute(world, one("ben", "oneOnOne", later), one("divers", "group", later))
    body = {"conversations": [one("hikers", "group", later)]}
    details = await world.refused("PUT", PATH, body, status=400, code="ERR_LIMIT_EXCEEDED")

    assert details == {"conversations": ["The limit is 5,000."]}
    assert "hikers" not in {each["id"] for each in await muted(world)}
    many = {"conversations": [one("ben", "oneOnOne", later)] * 101}
    await world.refused("PUT", PATH, many, status=400, code="ERR_BAD_REQUEST")


async def test_mutes_of_a_conversation(world: World, node: Node, later: int) -> None:
    """The mutes of a conversation are found for many users at once."""
    await mute(world, one("ben", "oneOnOne", later), one("hikers", "group", later))
    await mute(world, one("hikers", "group", later + 1), uid="ben")
    await mute(world, one("hikers", "group", later + 2), uid="chiara")

    async def find(kind: str, receiver: str, uids: list[str]) -> dict[str, int]:
        return await node.runtime.database.read(
            world.app_id, lambda snapshot: list_mutes_of(snapshot, uids, kind, receiver)
        )

    everybody = [*(f"user-{number}" for number in range(2_000)), "anna", "ben"]
    assert await find(GROUP, "hikers", everybody) == {"anna": later, "ben": later + 1}
    assert await find(ONE_ON_ONE, "ben", everybody) == {"anna": later}
    assert await find(ONE_ON_ONE, "anna", everybody) == {}
    assert await find(GROUP, "nowhere", everybody) == {}
    assert await find(GROUP, "hikers", []) == {}
