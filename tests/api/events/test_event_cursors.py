"""`meta.eventCursor` of lists: from where to follow the events so that nothing is missed."""

import asyncio

import pytest
from tests.api.groups.clubs import create_group
from tests.api.messages.talk import say, to_user
from tests.world import Json, World

from hubbub.rest.operations import OPERATIONS

LISTS = (
    "/messages",
    "/users/ben/messages",
    "/groups/hikers/messages",
    "/messages/1/thread",
    "/conversations",
    "/users",
    "/groups",
    "/groups/hikers/members",
)


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben may talk, also in the group of the hikers."""
    await world.users("anna", "ben")
    await create_group(world, by="anna", members={"participants": ["ben"]})
    await say(world, "anna", to_user("ben"))
    return world


async def events_after(world: World, cursor: str) -> list[Json]:
    """Return the events after a cursor."""
    found: list[Json] = await world.get(f"/events?since={cursor}&limit=1000")
    return found


@pytest.mark.parametrize("path", LISTS)
async def test_a_list_is_followed_from_its_cursor(talk: World, path: str) -> None:
    """After a list, exactly what happens later is told."""
    await talk.get(path.replace("/1/", "/2/"), as_="anna")
    cursor = talk.answer.meta["eventCursor"]
    assert await events_after(talk, cursor) == []
    sent = await say(talk, "anna", to_user("ben"))

    [event] = await events_after(talk, cursor)
    assert event["data"]["message"]["id"] == sent["id"]


def test_which_lists_are_followed() -> None:
    """These lists have a cursor of events, and no others."""
    followed = {entry.path for entry in OPERATIONS if entry.is_followed}
    paths = {path.replace("ben", "{uid}").replace("hikers", "{guid}") for path in LISTS}
    assert followed == {path.replace("/1/", "/{id}/") for path in paths}


async def test_nothing_is_missed(talk: World) -> None:
    """Beside many sends, each list has all messages of the events up to its cursor."""
    first = (await talk.ask("GET", "/events")).meta["cursor"]
    lists: list[tuple[set[str], int]] = []

    async def write_and_read() -> None:
        for number in range(10):
            await say(talk, "anna", to_user("ben", f"Message {number}"))
            answer = await talk.ask("GET", "/users/ben/messages?limit=1000", as_="anna")
            ids = {each["id"] for each in answer.data}
            lists.append((ids, number_of(answer.meta["eventCursor"])))

    await asyncio.gather(*(write_and_read() for _ in range(8)))

    events = await events_after(talk, first)
    sent = [(number_of(each["cursor"]), each["data"]["message"]["id"]) for each in events]
    assert len(sent) == 80
    for ids, upto in lists:
        assert ids >= {id_ for number, id_ in sent if number <= upto}
    assert len({upto for _, upto in lists}) > 5, "need different lists for this to mean anything"


def number_of(cursor: str) -> int:
    """Return the number in a cursor."""
    return int(cursor.split("-")[1])
