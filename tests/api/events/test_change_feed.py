"""The change feed: the log of events for an app's server, with a long poll."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from tests.api.events.events_calls import STEPS, Drawn
from tests.api.events.test_events_agree import FEW, run_on
from tests.api.http.connections import Connection, Served, connection, head_of, serving
from tests.api.messages.talk import say, to_user
from tests.api.payloads.rendered import list_events
from tests.contract import load_contract
from tests.eventlog import list_logged
from tests.soon import SOON_SECONDS
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all
from hubbub.http.app import make_app
from hubbub.outbox.heads import Position
from hubbub.rest.events import feed
from hubbub.rest.operations import OPERATIONS
from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query

EXPIRED = "ERR_CURSOR_EXPIRED"
NEW_EPOCH = Query("new_epoch", "UPDATE counters SET epoch = epoch + 1 WHERE app_id = :app_id")
PRUNE = Query("prune", "DELETE FROM events WHERE app_id = :app_id AND number <= :upto")
START = "0"
"""The number of a cursor before all events."""


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben may talk."""
    await world.users("anna", "ben")
    return world


async def poll(world: World, since: str | None = None, **query: Any) -> tuple[list[Json], str]:
    """Return the events of an answer and its cursor; all data must conform to the document."""
    asked = {**({} if since is None else {"since": since}), **query}
    path = "/events?" + "&".join(f"{name}={value}" for name, value in asked.items())
    answer = await world.ask("GET", path)
    assert answer.status == 200, answer
    for each in answer.data:
        load_contract().check_event(each["event"], each["data"])
    return answer.data, answer.meta["cursor"]


async def start_of(world: World) -> str:
    """Return the cursor before all events."""
    _, now = await poll(world)
    return f"{now.split('-')[0]}-{START}"


async def follow(world: World, since: str, **query: Any) -> list[Json]:
    """Return all events after a cursor, page by page."""
    found: list[Json] = []
    _, end = await poll(world)
    while since != end:
        page, since = await poll(world, since, **query)
        found += page
    return found


async def run_query(node: Node, world: World, query: Query, **args: Any) -> None:
    """Change the store behind the node's back."""

    async def within(tx: Transaction) -> int:
        return await tx.run(query, **args)

    await node.runtime.database.write(world.app_id, within)


async def test_it_begins_now(talk: World) -> None:
    """Without a cursor there are no events, only the cursor of now; what follows comes after it."""
    await say(talk, "anna", to_user("ben", "Before"))
    found, cursor = await poll(talk)
    assert found == []
    sent = await say(talk, "anna", to_user("ben", "After"))

    [event], after = await poll(talk, cursor)
    assert event["event"] == "message_sent"
    assert event["data"] == {"message": await talk.get(f"/messages/{sent['id']}")}
    assert event["at"] == sent["sentAt"]
    assert event["cursor"] == after
    assert await poll(talk, after) == ([], after)


async def test_the_id_is_that_of_the_log(node: Node, talk: World) -> None:
    """An event's id is the one that the log has, also that webhooks are sent."""
    _, cursor = await poll(talk)
    await say(talk, "anna", to_user("ben"))

    [event], _ = await poll(talk, cursor)
    logged = await node.runtime.database.read(talk.app_id, list_logged)
    assert event["id"] == logged[-1][1]


async def test_each_event_has_a_cursor(talk: World) -> None:
    """Each event's cursor leads to the next one; a page has at most `limit`."""
    start = await start_of(talk)
    for number in range(5):
        await say(talk, "anna", to_user("ben", f"Message {number}"))

    found, cursor = await poll(talk, start)
    assert len(found) == 5
    assert found[-1]["cursor"] == cursor
    for index, event in enumerate(found):
        rest, _ = await poll(talk, event["cursor"])
        assert rest == found[index + 1 :]
    first, cursor = await poll(talk, start, limit=2)
    assert first == found[:2]
    assert cursor == found[1]["cursor"]
    assert await follow(talk, start, limit=2) == found


async def test_internal_events_are_passed_over(talk: World) -> None:
    """Events that clients are not told of are left out, and the cursor goes on beyond them."""
    _, before = await poll(talk)
    await talk.post("/users/anna/friends", {"accepted": ["ben"]})
    found, after = await poll(talk, before)
    assert found == []
    assert after != before
    await say(talk, "anna", to_user("ben"))

    assert [each["event"] for each in await follow(talk, before, limit=1)] == ["message_sent"]


async def test_the_work_for_a_page_is_bounded(talk: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page passes over so many events, then answers without any; the next one goes on."""
    monkeypatch.setattr(feed, "MOST_READ", 3)
    _, start = await poll(talk)
    for _ in range(4):
        await talk.post("/users/anna/friends", {"accepted": ["ben"]})
        await talk.delete("/users/anna/friends", {"friends": ["ben"]})
    await say(talk, "anna", to_user("ben"))

    found, cursor = await poll(talk, start, wait=30)
    assert (found, number_of(cursor)) == ([], number_of(start) + 3)
    assert len(await follow(talk, start)) == 1


def number_of(cursor: str) -> int:
    """Return the number in a cursor."""
    return int(cursor.split("-")[1])


async def test_deleted_content_is_in_no_event(node: Node, talk: World) -> None:
    """An event shows no content that was deleted since; if all is gone, it is left out."""
    start = await start_of(talk)
    kept = await say(talk, "anna", to_user("ben", "Secret"))
    await talk.delete(f"/messages/{kept['id']}", as_="anna")
    gone = await say(talk, "anna", to_user("ben", "Secret"))
    await talk.put(f"/messages/{gone['id']}", {"data": {"text": "Secret!"}}, as_="anna")
    await talk.delete(f"/messages/{gone['id']}", {"permanent": True}, as_="anna")

    found = await follow(talk, start)
    assert "Secret" not in str(found)
    names = ["message_sent", "message_deleted", "message_deleted"]
    assert [each["event"] for each in found] == names
    await talk.delete("/users/anna", {"permanent": True})
    await erase_all(node.runtime)
    assert "Secret" not in str(await follow(talk, start))


async def test_apps_are_apart(node: Node, talk: World) -> None:
    """Nobody sees the events of another app, nor continues from its cursors."""
    other = await node.world()
    await other.users("anna", "ben")
    mine, theirs = await start_of(talk), await start_of(other)
    await say(other, "anna", to_user("ben"))

    assert await follow(talk, mine) == []
    refused = await talk.refused("GET", f"/events?since={theirs}", status=400, code=EXPIRED)
    assert refused.keys() == {"since"}


@pytest.mark.parametrize(
    "since", ["7", "a-b", "1-", "-1", "1--1", "1-1-1", "١-١", "1-" + "9" * 30, " 1-1", "1-1\n"]
)
async def test_what_is_no_cursor_is_refused(world: World, since: str) -> None:
    """A text that is no cursor is refused, with the field."""
    details = await world.refused(
        "GET", f"/events?since={since}", status=400, code="ERR_BAD_REQUEST"
    )
    assert details.keys() == {"since"}


@pytest.mark.parametrize("query", ["wait=31", "wait=-1", "wait=x", "limit=0", "limit=1001"])
async def test_limits(world: World, query: str) -> None:
    """The wait and the size of a page are limited."""
    details = await world.refused("GET", f"/events?{query}", status=400, code="ERR_BAD_REQUEST")
    assert details.keys() == {query.split("=", maxsplit=1)[0]}


async def test_a_cursor_ahead_of_the_log(talk: World) -> None:
    """A cursor that the log has not reached is of another history, such as before a restore."""
    _, cursor = await poll(talk)
    epoch, number = cursor.split("-")
    path = f"/events?since={epoch}-{int(number) + 1}"
    await talk.refused("GET", path, status=400, code=EXPIRED)


async def test_a_new_epoch(node: Node, talk: World) -> None:
    """In a new epoch old cursors are refused, and events keep their ids."""
    start = await start_of(talk)
    await say(talk, "anna", to_user("ben"))
    [before] = await follow(talk, start)
    await run_query(node, talk, NEW_EPOCH)

    await talk.refused("GET", f"/events?since={before['cursor']}", status=400, code=EXPIRED)
    [after] = await follow(talk, await start_of(talk))
    assert after == {**before, "cursor": after["cursor"]}
    assert after["cursor"] != before["cursor"]
    _, now = await poll(talk)
    assert now == after["cursor"]
    await say(talk, "anna", to_user("ben"))
    [new], _ = await poll(talk, now)
    assert new["id"] == new["cursor"]


async def test_events_that_are_kept_no_longer(node: Node, talk: World) -> None:
    """A cursor before the oldest kept event is refused; the one right before it is not."""
    _, start = await poll(talk)
    for _ in range(3):
        await say(talk, "anna", to_user("ben"))
    await asyncio.gather(*(say(talk, "anna", to_user("ben")) for _ in range(9)))
    rows = await node.runtime.database.read(talk.app_id, list_logged)
    found = await follow(talk, start)
    await run_query(node, talk, PRUNE, upto=rows[4][0])
    kept = await node.runtime.database.read(talk.app_id, list_logged)

    oldest = kept[0][0]
    assert len(kept) < len(rows), "need a shorter log for this to mean anything"
    epoch = start.split("-")[0]
    for each in found:
        since = f"{epoch}-{number_of(each['cursor']) - 1}"
        if number_of(each["cursor"]) < oldest:
            await talk.refused("GET", f"/events?since={since}", status=400, code=EXPIRED)
        else:
            rest, _ = await poll(talk, since)
            assert rest[0] == each
    await run_query(node, talk, PRUNE, upto=rows[-1][0])
    await talk.refused("GET", f"/events?since={start}", status=400, code=EXPIRED)
    assert await poll(talk, found[-1]["cursor"]) == ([], found[-1]["cursor"])


# Long polls -------------------------------------------------------------------------------------


async def test_a_long_poll_ends_with_the_next_event(talk: World) -> None:
    """A long poll is answered at once with what happens, and not by what is internal."""
    _, cursor = await poll(talk)
    waiting = asyncio.create_task(poll(talk, cursor, wait=30))
    await talk.post("/users/anna/friends", {"accepted": ["ben"]})
    assert not waiting.done()
    sent = await say(talk, "anna", to_user("ben"))

    [event], _ = await asyncio.wait_for(waiting, SOON_SECONDS)
    assert event["data"]["message"]["id"] == sent["id"]


async def test_a_long_poll_without_a_cursor(talk: World) -> None:
    """A long poll without a cursor waits for the first event from now on."""
    await say(talk, "anna", to_user("ben", "Before"))
    waiting = asyncio.create_task(poll(talk, wait=30))
    for _ in range(1000):
        await say(talk, "anna", to_user("ben", "After"))
        if waiting.done():
            break

    [event, *_], _ = await asyncio.wait_for(waiting, SOON_SECONDS)
    assert event["data"]["message"]["data"]["text"] == "After"


@dataclass(slots=True)
class NothingHappens:
    """A log that nobody writes to: a wait for it ends in time, which passes at once."""

    waited: list[float] = field(default_factory=list)

    async def wait_beyond(self, app_id: str, position: Position, seconds: float) -> bool:
        self.waited.append(seconds)
        return False


async def test_a_long_poll_ends_in_time(
    node: Node, talk: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an event, a long poll answers after its seconds with the same cursor."""
    _, cursor = await poll(talk)
    newest = NothingHappens()
    monkeypatch.setattr(node.runtime, "newest", newest)

    assert await poll(talk, cursor, wait=30) == ([], cursor)
    [seconds] = newest.waited
    assert 0 < seconds <= 30


async def test_long_polls_hold_no_connection(talk: World) -> None:
    """Many more long polls than connections to the database leave room for other calls."""
    _, cursor = await poll(talk)
    waiting = [asyncio.create_task(poll(talk, cursor, wait=30)) for _ in range(60)]
    await asyncio.sleep(0)
    await asyncio.wait_for(talk.get("/users"), SOON_SECONDS)
    assert not any(each.done() for each in waiting)
    await say(talk, "anna", to_user("ben"))

    answers = await asyncio.wait_for(asyncio.gather(*waiting), SOON_SECONDS)
    assert all(answer == answers[0] for answer in answers)
    assert len(answers[0][0]) == 1


async def begin_poll(served: Served, world: World, peer: Connection) -> set["asyncio.Task[None]"]:
    """Begin a long poll on a connection; return the tasks of the server, when it waits."""
    _, cursor = await poll(world)
    await peer.send(head_of(world, "GET", f"/events?since={cursor}&wait=30"))
    async with connection(served.port) as other:
        await other.ask(head_of(world, "GET", "/users"))
    tasks: set[asyncio.Task[None]] = set(served.server.server_state.tasks)
    assert len(tasks) == 1
    return tasks


async def test_a_long_poll_ends_when_its_client_leaves(node: Node, talk: World) -> None:
    """Nothing waits for a client that has left."""
    async with serving(make_app(node.runtime, OPERATIONS)) as served:
        async with connection(served.port) as peer:
            tasks = await begin_poll(served, talk, peer)

        done, _ = await asyncio.wait(tasks, timeout=SOON_SECONDS)
        assert done == tasks


async def test_a_long_poll_ends_when_the_node_stops(node: Node, talk: World) -> None:
    """A node that stops answers its long polls, with the cursor to go on from, and stops."""
    app = make_app(node.runtime, OPERATIONS)
    async with serving(app) as served, connection(served.port) as peer:
        await begin_poll(served, talk, peer)
        stopping = asyncio.create_task(served.stop())
        answer = await peer.answer()

        assert (answer.status, answer.data) == (200, [])
        assert answer.meta["cursor"] == (await poll(talk))[1]
        await asyncio.wait_for(stopping, SOON_SECONDS)


# Random histories -------------------------------------------------------------------------------


@given(steps=STEPS)
@settings(FEW, max_examples=8)
async def test_the_feed_is_the_log(node: Node, steps: Sequence[Sequence[Drawn]]) -> None:
    """A follower gets each event of the log once, in order, whatever the size of its pages."""
    run = await run_on(node)
    start = await start_of(run.world)
    for step in steps:
        await run.take(step)
    await erase_all(node.runtime)

    expected = [each for each in await list_events(node, run.world) if each[1] is not None]
    logged = {row[1]: row[2] for row in await run.log(0)}
    for limit in (1000, 7, 1):
        found = await follow(run.world, start, limit=limit)
        assert [(each["event"], each["data"]) for each in found] == expected
        assert all(logged[each["id"]] == each["event"] for each in found)
        numbers = [number_of(each["cursor"]) for each in found]
        assert numbers == sorted(set(numbers))
