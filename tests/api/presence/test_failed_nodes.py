"""Nodes that fail: their sessions are closed, by one of the others, and restored if they return."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.api.presence.sessions import (
    another_node,
    check_totals,
    connect,
    disconnect,
    list_online,
    status_of,
)
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.live import LiveNode
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.background import running_workers
from hubbub.bootstrap import open_runtime
from hubbub.domain.apps.manage import create_app
from hubbub.domain.presence import nodes
from hubbub.domain.presence.batch import Presence
from hubbub.domain.presence.connect import NewSession, store_sessions
from hubbub.domain.presence.nodes import Watch, beat, sweep
from hubbub.http.app import make_app
from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.records.presence.model import LATE_SECONDS
from hubbub.records.presence.store import find_online
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime
from hubbub.storage.batched import MOST_WAITING


class Told:
    """Whose presence has changed, as a sweep tells it."""

    def __init__(self, world: World) -> None:
        self._app_id = world.app_id
        self.statuses: dict[str, str] = {}

    async def __call__(self, app_id: str, changes: Sequence[Presence]) -> None:
        assert changes
        if app_id == self._app_id:
            users = [each.user for each in changes if each.user is not None]
            self.statuses |= {user.uid: user.status for user in users}


async def beat_all(*runtimes: Runtime) -> None:
    """Have nodes say that they run."""
    for runtime in runtimes:
        await beat(runtime)


async def test_sessions_of_a_failed_node_are_closed(
    node: Node, world: World, clock: ManualClock
) -> None:
    """15 s after its last beat, a node's users are offline as of that beat, and others are told."""
    await world.users("anna", "ben")
    told = Told(world)
    async with another_node(node) as failing:
        await beat_all(node.runtime, failing)
        beaten_at = clock.now()
        await connect(failing, world, "anna", "1", "2")
        await connect(failing, world, "ben", "3")
        await connect(node.runtime, world, "ben", "4")
        if node.runtime.database.is_shared:
            clock.advance(LATE_SECONDS - 1)
            await beat(node.runtime)
            await sweep(node.runtime, told)
            assert (told.statuses, await list_online(world)) == ({}, {"anna", "ben"})

        clock.advance(1)
        await sweep(node.runtime, told)

    assert told.statuses == {"anna": "offline"}
    assert await list_online(world) == {"ben"}
    assert (await world.get("/users/anna"))["lastActiveAt"] == beaten_at
    await check_totals(node.runtime, world)
    await disconnect(node.runtime, world, "ben", "4")


async def test_many_sessions_are_closed_in_chunks(node: Node, world: World) -> None:
    """However many sessions a failed node had, one sweep closes all of them."""
    await world.users("anna")
    async with another_node(node) as failing:
        await beat(failing)
        sessions = [NewSession(f"{number}", "anna") for number in range(nodes.CHUNK * 2 + 1)]
        await store_sessions(failing, world.app_id, sessions)
    node.clock.advance(LATE_SECONDS)
    await beat(node.runtime)

    await sweep(node.runtime)

    assert await status_of(world, "anna") == "offline"
    await check_totals(node.runtime, world)


async def test_a_late_node_restores_its_sessions(
    node: Node, world: World, clock: ManualClock
) -> None:
    """A node that was held up learns that its sessions were closed, and stores them again."""
    await world.users("anna", "ben")
    told = Told(world)
    sessions = [NewSession("1", "anna"), NewSession("2", "ben")]
    async with another_node(node) as late:
        await beat_all(node.runtime, late)
        assert not await beat(late)
        await store_sessions(late, world.app_id, sessions)
        clock.advance(LATE_SECONDS)
        await beat(node.runtime)
        await sweep(node.runtime, told)
        assert told.statuses == {"anna": "offline", "ben": "offline"}
        await world.delete("/users", {"uidsToDeactivate": ["ben"]})

        assert await beat(late)
        anna, ben = await store_sessions(late, world.app_id, sessions)

        assert isinstance(anna, Presence)
        assert anna.has_changed
        assert isinstance(ben, Refusal)
        assert await list_online(world) == {"anna"}
        await beat(late)
        assert not await beat(late)
        await disconnect(late, world, "anna", "1")
    await check_totals(node.runtime, world)


async def test_a_late_node_that_opens_a_session_is_not_forgotten(
    node: Node, world: World, clock: ManualClock
) -> None:
    """A node was swept, opens a session, and fails before its next beat: that one is closed too."""
    await world.users("anna")
    async with another_node(node) as late:
        await beat_all(node.runtime, late)
        clock.advance(LATE_SECONDS)
        await beat(node.runtime)
        await sweep(node.runtime)
        await connect(late, world, "anna", "1")
    clock.advance(LATE_SECONDS)
    await beat(node.runtime)

    await sweep(node.runtime)

    assert await list_online(world) == set()


async def test_a_node_that_never_beat(node: Node, world: World, clock: ManualClock) -> None:
    """The sessions of a node that failed before its first beat are closed, too."""
    await world.users("anna")
    async with another_node(node) as failing:
        await connect(failing, world, "anna", "1")
    clock.advance(LATE_SECONDS)
    await beat(node.runtime)

    await sweep(node.runtime)

    assert await list_online(world) == set()


async def test_a_restart_closes_all_sessions_of_before(node: Node, world: World) -> None:
    """On SQLite, the first watch of a node closes what its earlier run left, without waiting."""
    if node.runtime.database.is_shared:
        return  # other nodes may serve them: the sweep waits for their beats
    await world.users("anna")
    async with another_node(node) as before:
        await beat(before)
        await connect(before, world, "anna", "1")

    async with another_node(node) as after:
        await Watch(after).run(after)

        assert await list_online(world) == set()


async def test_a_watch_restores_until_it_has(node: Node, clock: ManualClock) -> None:
    """If the sessions can't be restored, the next run does it again; then it is done."""
    tries: list[int] = []

    async def restore() -> None:
        tries.append(clock.now())
        if len(tries) == 1:
            raise Unavailable("The database is away.")

    async with another_node(node) as late:
        watch = Watch(late, restore=restore)
        await beat_all(node.runtime, late)
        await watch.run(late)
        assert not tries
        clock.advance(LATE_SECONDS)
        await beat(node.runtime)
        await sweep(node.runtime)
        with pytest.raises(Unavailable):
            await watch.run(late)
        await watch.run(late)
        await watch.run(late)

    assert len(tries) == 2


async def test_one_of_several_nodes_sweeps(node: Node, world: World, clock: ManualClock) -> None:
    """Several nodes sweep at the same time: each change is told once, and nobody is left."""
    uids = [f"u{number}" for number in range(30)]
    await world.users(*uids)
    told: list[str] = []

    async def tell(app_id: str, changes: Sequence[Presence]) -> None:
        if app_id == world.app_id:
            told.extend(each.user.uid for each in changes if each.user is not None)

    async with another_node(node) as failing, another_node(node) as other:
        for uid in uids:
            await connect(failing, world, uid, f"{uid}-1")
        clock.advance(LATE_SECONDS)
        await beat_all(node.runtime, other)
        await asyncio.gather(*(sweep(each, tell) for each in (node.runtime, other) * 3))
        await sweep(node.runtime, tell)

    assert sorted(told) == sorted(uids)
    assert await list_online(world) == set()
    await check_totals(node.runtime, world)


async def test_nodes_at_the_same_time(node: Node, world: World) -> None:
    """Users connect and disconnect on two nodes at once: the rows and the totals agree."""
    uids = [f"u{number}" for number in range(8)]
    await world.users(*uids)

    async def come_and_go(runtime: Runtime, uid: str, times: int) -> None:
        for number in range(times):
            await connect(runtime, world, uid, f"{uid}-{number}")
            if number % 3:
                await disconnect(runtime, world, uid, f"{uid}-{number - 1}", f"{uid}-{number}")
        await disconnect(runtime, world, uid, *(f"{uid}-{number}" for number in range(times)))

    async with another_node(node) as other:
        await connect(other, world, uids[0], "stays")
        calls = [come_and_go(each, uid, 7) for each in (node.runtime, other) for uid in uids]
        await asyncio.gather(*calls)

        assert await list_online(world) == {uids[0]}
        await check_totals(node.runtime, world)
        await disconnect(other, world, uids[0], "stays")


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
async def test_a_started_node_has_nobody_online(new_settings: NewSettings) -> None:
    """A process that is started on the store of one that failed shows its users as offline."""
    settings = new_settings()
    async with open_runtime(settings) as failing:
        app, (key, auth_key) = await create_app(failing, name="A world", region="us")
        keys = app.id, key.api_key, auth_key.api_key
        world = World(InProcess(make_app(failing, OPERATIONS)), *keys)
        await world.users("anna")
        await beat(failing)
        await connect(failing, world, "anna", "1")
        assert await status_of(world, "anna") == "available"

    with LiveNode(settings) as live:
        restarted = World(live, *keys)
        assert await status_of(restarted, "anna") == "offline"


async def test_many_sessions_are_restored(node: Node, world: World) -> None:
    """A node may restore more sessions than may wait for a transaction."""
    await world.users("anna")
    sessions = [NewSession(f"{number}", "anna") for number in range(MOST_WAITING + 1)]

    outcomes = await store_sessions(node.runtime, world.app_id, sessions)

    changed = [isinstance(each, Presence) and each.has_changed for each in outcomes]
    assert changed == [True] + [False] * MOST_WAITING
    await check_totals(node.runtime, world)
    async with another_node(node) as other:
        node.clock.advance(LATE_SECONDS)
        await beat(other)
        await sweep(other)
    assert await list_online(world) == set()


@pytest.mark.parametrize("failure", [Unavailable("The disk is full."), OSError()], ids=["503", "?"])
async def test_a_node_starts_although_its_watch_fails(node: Node, failure: Exception) -> None:
    """A store that can't be written at the start keeps no node from serving what it can."""

    async def restore() -> None:
        raise failure

    async with another_node(node) as starting:
        watch = Watch(starting, restore=restore)
        async with running_workers(starting, watch):
            assert await find_online(starting.database, "no-such-app") == 0
