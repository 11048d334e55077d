"""A clock that was far ahead for a moment: it is believed by nobody afterwards, and repaired."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.wire import Asked, InProcess
from tests.world import Node, World

from hubbub.admin.socket import run_command
from hubbub.bootstrap import open_runtime
from hubbub.domain.log.prune import prune_log
from hubbub.domain.metrics.count import count_all
from hubbub.domain.presence.nodes import sweep
from hubbub.domain.search.index import search_consumer
from hubbub.http.app import make_app
from hubbub.kernel.clock import SteadyClock
from hubbub.rest.operations import OPERATIONS
from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Query

DAY, YEAR = 86_400, 365 * 86_400


class WrongClock(ManualClock):
    """A clock whose time somebody sets; elapsed time goes on."""

    ahead = 0

    def now(self) -> int:
        return super().now() + self.ahead

    def milliseconds(self) -> int:
        return super().milliseconds() + 1000 * self.ahead


@dataclass(frozen=True, slots=True)
class Office:
    """A node with an app, and its clock."""

    node: Node
    world: World
    clock: WrongClock

    async def say(self, text: str, by: str = "anna", to: str = "ben") -> Any:
        """Send a message."""
        body = {"receiver": to, "receiverType": "user", "data": {"text": text}}
        return await self.world.post(
            "/messages", {**body, "category": "message", "type": "text"}, as_=by
        )

    async def ready(self) -> int:
        """Return the status of the health check."""
        return (await self.node.sender.send(Asked("GET", "/health/ready"))).status


@pytest.fixture
async def office(new_settings: NewSettings) -> AsyncIterator[Office]:
    """A node whose clock is the one that is wrong."""
    clock = WrongClock()
    async with open_runtime(new_settings(log_requests=False), clock) as runtime:
        node = Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})
        world = await node.world()
        await world.users("anna", "ben", "cora")
        yield Office(node, world, clock)


async def test_a_moment_of_a_fast_clock_does_not_last(office: Office) -> None:
    """Messages after it have right times, are the last ones of lists, and count as unread."""
    await office.say("before")
    office.clock.ahead = YEAR
    await office.say("meanwhile")
    office.clock.ahead = 0
    office.clock.advance(60)

    elsewhere = await office.say("elsewhere", "cora")
    after = await office.say("after")

    assert [elsewhere["sentAt"], after["sentAt"]] == [office.clock.now()] * 2
    [shown, *_] = [
        each
        for each in await office.world.get("/conversations", as_="ben")
        if each["conversationWith"]["uid"] == "anna"
    ]
    assert shown["lastMessage"]["data"]["text"] == "after"
    assert shown["unreadMessageCount"] == "3"
    assert shown["updatedAt"] == office.clock.now()


async def test_a_wrong_time_that_has_nearly_come(office: Office) -> None:
    """A time that was not believed is forgotten: it does not count when it is minutes away."""
    office.clock.ahead = 1_000
    await office.say("meanwhile")
    office.clock.ahead = 0
    await office.say("after")
    office.clock.advance(800)

    assert (await office.say("later"))["sentAt"] == office.clock.now()


@pytest.mark.parametrize("marked", ["before", "meanwhile", "after"])
async def test_unread_counts_after_a_fast_clock(office: Office, marked: str) -> None:
    """Marks go by the order of sending, whatever times the messages have."""
    sent = {"before": await office.say("before")}
    office.clock.ahead = YEAR
    sent["meanwhile"] = await office.say("meanwhile")
    office.clock.ahead = 0
    sent["after"] = await office.say("after")
    sent["last"] = await office.say("last")

    await office.world.post(
        "/users/anna/conversation/read", {"messageId": sent[marked]["id"]}, as_="ben"
    )

    [conversation] = await office.world.get("/conversations", as_="ben")
    assert int(conversation["unreadMessageCount"]) == 3 - list(sent).index(marked)


async def test_pruning_goes_on_after_a_fast_clock(office: Office) -> None:
    """An event from the future holds up no others; young events before it are kept."""
    office.clock.ahead = YEAR
    await office.say("meanwhile")
    office.clock.ahead = 0
    runtime = office.node.runtime

    async def prune() -> int:
        await search_consumer(runtime).consume_all()
        await count_all(runtime)
        await prune_log(runtime, {})
        count = Query("q", "SELECT count(*) FROM events WHERE app_id = :app_id")

        async def look(snapshot: Snapshot) -> int:
            return int((await snapshot.fetch(count))[0][0])

        return await runtime.database.read(office.world.app_id, look)

    before = await prune()
    assert await prune() == before
    for _ in range(30):
        office.clock.advance(DAY)
        await office.say("a day later", "cora")
    assert await prune() <= 8


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)  # a node on SQLite is alone
async def test_a_failed_node_whose_clock_was_fast(office: Office) -> None:
    """Its last beat does not keep it alive for a year."""
    runtime = office.node.runtime
    put = Query("put", "INSERT INTO nodes (id, beat_at, state) VALUES (:id, :at, 'live')")
    ahead = office.clock.now() + YEAR
    await runtime.database.write("", lambda tx: tx.run(put, id="gone", at=ahead))

    await sweep(runtime)

    state = Query("state", "SELECT state FROM nodes WHERE id = 'gone'")
    [[found]] = await runtime.database.read("", lambda snapshot: snapshot.fetch(state))
    assert found == "empty"


async def test_repair(office: Office) -> None:
    """`doctor --repair` gives what lies ahead a believable time, in its order; twice is once."""
    first = await office.say("before")
    office.clock.advance(60)
    office.clock.ahead = YEAR
    await office.world.put("/users/cora", {"name": "Cora later"})
    wrong = [await office.say("meanwhile 1"), await office.say("meanwhile 2")]
    await office.world.put(f"/messages/{wrong[0]['id']}", {"data": {"text": "edited"}}, as_="anna")
    office.clock.ahead = 0
    await office.say("after")
    run = partial(run_command, office.node.runtime)
    app = {"app": office.world.app_id}

    rows = (await run("repair times", app))["rows"]
    again = (await run("repair times", app))["rows"]

    assert rows["messages"] >= 2
    assert rows.keys() >= {"messages", "events", "users"}
    assert again == {}
    listed = await office.world.get("/users/anna/messages?receiver=ben", as_="ben")
    texts = [each["data"].get("text") for each in listed if each["category"] == "message"]
    assert texts == ["before", "edited", "meanwhile 2", "after"]
    assert [each["sentAt"] for each in listed][:1] == [first["sentAt"]]
    assert all(each["sentAt"] <= office.clock.now() for each in listed)
    assert all(each.get("editedAt", 0) <= office.clock.now() for each in listed)
    cora = await office.world.get("/users/cora")
    assert cora["updatedAt"] == office.clock.now()


def test_a_step_of_the_machines_clock() -> None:
    """A node that is alone follows a small step at once, a large one when it has lasted."""
    machine = WrongClock()
    clock = SteadyClock(machine)
    for ahead in (YEAR, -YEAR):
        started = clock.now()
        machine.ahead = ahead
        assert clock.now() == started
        machine.advance(30)
        assert clock.now() == started + 30
        assert abs(clock.skew_seconds) == YEAR
        machine.ahead = 4
        assert clock.now() == started + 34
        machine.ahead = 0
        machine.advance(5)
        assert clock.now() == started + 35

        machine.ahead = ahead
        assert clock.now() == started + 35
        machine.advance(61)
        assert clock.now() == machine.now()
        assert clock.skew_seconds == 0
        machine.ahead = 0
        clock.now()
        machine.advance(61)
        assert clock.now() == machine.now()


async def test_a_fast_machine_under_a_running_node(new_settings: NewSettings) -> None:
    """While the machine's clock is a year ahead, its node sends right times and is not ready."""
    settings = new_settings(log_requests=False)
    machine = WrongClock()
    async with open_runtime(settings, machine=machine) as runtime:
        node = Node(runtime, machine, InProcess(make_app(runtime, OPERATIONS)), {})
        office = Office(node, await node.world(), machine)
        await office.world.users("anna", "ben")
        before = await office.say("before")
        machine.ahead = YEAR
        meanwhile = await office.say("meanwhile")
        status = await office.ready()
        machine.ahead = 0

        assert meanwhile["sentAt"] - before["sentAt"] <= 2
        assert status == 503
        if not settings.database_url:
            machine.ahead = YEAR
            await office.ready()
            machine.advance(61)
            assert await office.ready() == 200
            assert (await office.say("followed"))["sentAt"] == machine.now()
