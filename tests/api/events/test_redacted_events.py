"""Events of erased users: they stay in the log, without what the users wrote."""

from collections.abc import Sequence

import pytest
from tests.api.events.test_change_feed import follow, start_of
from tests.api.events.test_set_aside import spoil_newest
from tests.api.messages.talk import events, say, to_group
from tests.api.people.erasing import rows_of
from tests.world import Node, World

from hubbub.domain.erasure.erase import erase_all, erase_chunk, find_erasures
from hubbub.records.erasure.model import TRACES

GONE = {"permanent": True}


@pytest.fixture
async def hikers(node: Node, world: World) -> str:
    """A message to a group of Anna, Ben and Cora."""
    await erase_all(node.runtime)  # left by other tests
    await world.users("anna", "ben", "cora")
    await open_group(world, "anna", "cora")
    return f"/messages/{(await say(world, 'ben', to_group('hikers')))['id']}"


async def erase_in_spans(node: Node) -> None:
    """Carry out all erasures; the log is searched in small spans."""
    while found := await find_erasures(node.runtime):
        await erase_chunk(node.runtime, found, span=2)


async def open_group(world: World, *uids: str) -> None:
    """Have Ben open a group with others."""
    group = {"guid": "hikers", "name": "Hikers", "type": "public", "owner": "ben"}
    await world.post("/groups", group)
    await world.post("/groups/hikers/members", {"participants": list(uids)})


async def react(world: World, message: str, uid: str, *reactions: str) -> None:
    """Have a user react to a message."""
    for reaction in reactions:
        await world.post(f"{message}/reactions/{reaction}", as_=uid)


async def left_of(node: Node, world: World, *texts: str) -> list[str]:
    """Return which of some texts are in the log."""
    log = str(await events(node, world))
    return [text for text in texts if text in log]


async def names_of(world: World, since: str) -> Sequence[str]:
    """Return the reactions that the change feed tells of, and by whom."""
    found = await follow(world, since)
    reactions = [each["data"]["reaction"] for each in found if "reaction" in each["data"]]
    return [f"{each['uid']} {each['reaction']}" for each in reactions]


async def test_reactions_of_an_erased_user(node: Node, world: World, hikers: str) -> None:
    """Those that were taken back as well; the events keep their numbers, and nobody is told."""
    since = await start_of(world)
    await react(world, hikers, "anna", "good", "bad")
    await world.delete(f"{hikers}/reactions/bad", as_="anna")
    await react(world, hikers, "cora", "fine")
    before = await events(node, world)

    await world.delete("/users/anna", GONE)
    assert await names_of(world, since) == ["cora fine"]
    await erase_in_spans(node)

    assert await left_of(node, world, "good", "bad", "fine") == ["fine"]
    after = await events(node, world)
    assert [each[:4] for each in after[: len(before)]] == [each[:4] for each in before]
    assert await names_of(world, since) == ["cora fine"]


async def test_reactions_of_the_next_holder(node: Node, world: World, hikers: str) -> None:
    """Who takes the uid of an erased user before the erasure is done keeps what they wrote."""
    await react(world, hikers, "anna", "old")
    await world.delete("/users/anna", GONE)
    since = await start_of(world)
    await world.user("anna")
    await world.post("/groups/hikers/members", {"participants": ["anna"]})
    await react(world, hikers, "anna", "new")

    await erase_in_spans(node)

    assert await left_of(node, world, "old", "new") == ["new"]
    assert await names_of(world, since) == ["anna new"]


async def test_several_erasures(node: Node, world: World, hikers: str) -> None:
    """Users who are erased at different times are searched for together."""
    await react(world, hikers, "anna", "good")
    await react(world, hikers, "cora", "fine")
    await world.delete("/users/anna", GONE)
    await erase_chunk(node.runtime, await find_erasures(node.runtime), span=2)
    await world.user("anna")
    await world.delete("/users/anna", GONE)
    await world.delete("/users/cora", GONE)

    await erase_in_spans(node)

    assert await left_of(node, world, "good", "fine") == []
    assert await find_erasures(node.runtime) == []


async def test_a_search_that_was_interrupted(node: Node, world: World, hikers: str) -> None:
    """A span that is searched twice, as after a crash, is searched on from there."""
    await react(world, hikers, "anna", "good")
    await react(world, hikers, "anna", "bad")
    await world.delete("/users/anna", GONE)
    while (found := await find_erasures(node.runtime))[0].kind != TRACES:
        await erase_chunk(node.runtime, found, span=2)
    await erase_chunk(node.runtime, found, span=2)
    await erase_chunk(node.runtime, found, span=2)

    assert await find_erasures(node.runtime), "it was done before it was interrupted"
    await erase_in_spans(node)
    assert await left_of(node, world, "good", "bad") == []


async def test_a_group_that_an_erased_user_deleted(node: Node, world: World, hikers: str) -> None:
    """Its last name goes with them; that of a group that somebody else deleted stays."""
    for guid, uid in (("sailors", "anna"), ("divers", "cora")):
        group = {"guid": guid, "name": f"The {guid}", "type": "public", "description": f"We {guid}"}
        await world.post("/groups", group, as_=uid)
        await world.delete(f"/groups/{guid}", as_=uid)

    await world.delete("/users/anna", GONE)
    await erase_in_spans(node)

    found = await left_of(node, world, "The sailors", "We sailors", "The divers", "We divers")
    assert found == ["The divers", "We divers"]
    told = await follow(world, await start_of(world))
    deleted = [each["data"]["group"] for each in told if each["event"] == "group_deleted"]
    assert [(each["guid"], each["name"]) for each in deleted] == [
        ("sailors", ""),
        ("divers", "The divers"),
    ]


async def test_an_event_that_can_not_be_read(node: Node, world: World, hikers: str) -> None:
    """It does not keep the others from losing what an erased user wrote."""
    await react(world, hikers, "anna", "good")
    await react(world, hikers, "cora", "fine")
    await spoil_newest(node, world)
    await react(world, hikers, "anna", "bad")

    await world.delete("/users/anna", GONE)
    await erase_in_spans(node)

    assert await find_erasures(node.runtime) == []
    rows = str(await rows_of(node, world, ["events"]))
    assert [text for text in ("good", "bad") if f'"{text}"' in rows] == []
