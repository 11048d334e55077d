"""A legal hold keeps what it is on, whatever else says that it should go."""

import pytest
from tests.api.messages.talk import group, say, stored, texts, to_group, to_user
from tests.api.retention.removals import DAY, hold, keep, remove_due
from tests.world import Node, World

from hubbub.domain.retention.old import CHUNK
from hubbub.domain.retention.run import Removing

BEN, CLUB = "/users/ben", "/groups/club"


@pytest.fixture(scope="module")
def node(lone_node: Node) -> Node:
    """Return a node whose clock may go on for years."""
    return lone_node


@pytest.fixture
async def talk(world: World) -> World:
    """Anna, Ben and Carla have said something, also in a group; it is kept for a day."""
    await world.users("anna", "ben", "carla")
    await group(world, "club", "anna", "ben", "carla")
    await say(world, "anna", to_user("ben", "To Ben"))
    await say(world, "ben", to_user("anna", "To Anna"))
    await say(world, "anna", to_user("carla", "To Carla"))
    await say(world, "anna", to_group("club", "Anna to all"))
    await say(world, "ben", to_group("club", "Ben to all"))
    await keep(world, days=1)
    return world


async def pass_days(node: Node, days: int = 2) -> None:
    """Advance the clock by days, and have removed what is due then."""
    node.clock.advance(days * DAY)
    await remove_due(node)


async def left(talk: World) -> dict[str, list[str]]:
    """Return the texts that Anna still sees."""
    paths = {"ben": f"{BEN}/messages", "carla": "/users/carla/messages", "club": f"{CLUB}/messages"}
    return {name: await texts(talk, path, as_="anna") for name, path in paths.items()}


NOTHING: dict[str, list[str]] = {"ben": [], "carla": [], "club": []}


async def test_a_user_on_hold(node: Node, talk: World) -> None:
    """Messages that the user sent stay, and their conversations with others; no more of groups."""
    state = await hold(talk, BEN)
    assert state == {"hold": True, "since": node.clock.now()}
    await pass_days(node)

    kept = {"ben": ["To Ben", "To Anna"], "carla": [], "club": ["Ben to all"]}
    assert await left(talk) == kept

    assert await hold(talk, BEN, is_on=False) == {"hold": False}
    await pass_days(node)
    assert await left(talk) == NOTHING


async def test_a_group_on_hold(node: Node, talk: World) -> None:
    """All messages of the group stay."""
    await hold(talk, CLUB)
    await pass_days(node)

    assert await left(talk) == NOTHING | {"club": ["Anna to all", "Ben to all"]}


async def test_an_app_on_hold(node: Node, talk: World) -> None:
    """Nothing of the app is removed, until the hold is lifted."""
    before = await left(talk)
    await hold(talk)
    await pass_days(node)
    assert await left(talk) == before
    assert await talk.get("/retention_runs") == []

    await hold(talk, is_on=False)
    await pass_days(node)
    assert await left(talk) == NOTHING


@pytest.mark.parametrize("path", ["", BEN, CLUB])
async def test_what_disappears_is_held_too(node: Node, talk: World, path: str) -> None:
    """A hold keeps messages that would disappear; when it is lifted they do, soon."""
    place = f"{BEN}/conversation/retention" if path == BEN else f"{CLUB}/conversation/retention"
    list_ = f"{BEN}/messages" if path == BEN else f"{CLUB}/messages"
    body = to_user("anna", "Brief") if path == BEN else to_group("club", "Brief")
    await keep(talk, days=0)
    await talk.put(place, {"disappearAfter": 60}, as_="anna" if path == BEN else None)
    await hold(talk, path)
    await say(talk, "ben", body)
    await pass_days(node)
    assert (await texts(talk, list_, as_="anna"))[-1] == "Brief"

    await hold(talk, path, is_on=False)
    await remove_due(node)
    assert (await texts(talk, list_, as_="anna"))[-1] != "Brief"


async def test_a_hold_ends_a_run_in_its_middle(node: Node, talk: World) -> None:
    """Messages that are left when a hold is set stay, though a run has begun."""
    for number in range(CHUNK):
        await say(talk, "carla", to_group("club", f"Old {number}"))
    await remove_due(node)
    node.clock.advance(2 * DAY)
    removing = Removing(node.runtime, talk.app_id)
    for _ in range(3):
        planned = await removing.list_next((), 1)
        await removing.do(planned[""][0])
    query = "SELECT count(*) FROM messages WHERE app_id = :app_id"
    ((kept,),) = await stored(node, talk, query)
    await hold(talk)
    await remove_due(node)
    await pass_days(node)

    assert 0 < kept < CHUNK
    assert await stored(node, talk, query) == [(kept,)]


async def test_holds_are_listed_and_recorded(node: Node, talk: World) -> None:
    """The list has each hold once; the audit log has who set and lifted them."""
    for path in ("", BEN, CLUB, BEN):
        await hold(talk, path)
    listed = await talk.get("/legal_holds")
    since = node.clock.now()

    assert listed == [
        {"kind": "app", "since": since},
        {"kind": "group", "guid": "club", "since": since},
        {"kind": "user", "uid": "ben", "since": since},
    ]

    await hold(talk, CLUB, is_on=False)
    await hold(talk, CLUB, is_on=False)
    query = "SELECT action, subject, operator FROM audit WHERE app = :app_id ORDER BY at, action"
    assert sorted(map(tuple, await stored(node, talk, query))) == [
        ("hold.lift", "group club", "(API key)"),
        ("hold.set", "app", "(API key)"),
        ("hold.set", "group club", "(API key)"),
        ("hold.set", "user ben", "(API key)"),
    ]


@pytest.mark.parametrize(
    ("path", "code"),
    [("/users/nobody", "ERR_UID_NOT_FOUND"), ("/groups/none", "ERR_GUID_NOT_FOUND")],
)
async def test_nobody_can_be_on_hold_who_is_not_there(talk: World, path: str, code: str) -> None:
    """A hold is on a user or group of the app."""
    await talk.refused("PUT", f"{path}/legal_hold", {"hold": True}, status=404, code=code)


@pytest.mark.parametrize("body", [{}, {"hold": None}, {"hold": "yes"}, {"hold": 1}])
async def test_a_hold_is_on_or_off(talk: World, body: dict[str, object]) -> None:
    """Another value is refused with the field named, and changes nothing."""
    details = await talk.refused("PUT", "/legal_hold", body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == ["hold"]
    assert await talk.get("/legal_holds") == []


@pytest.mark.parametrize("path", [BEN, CLUB])
async def test_a_later_holder_of_an_id_is_not_on_hold(talk: World, path: str) -> None:
    """A hold ends with the user or the group that it is on."""
    await hold(talk, path)
    await talk.delete(path, {"permanent": True})

    assert await talk.get("/legal_holds") == []
