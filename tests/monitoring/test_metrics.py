"""What the metrics say, as the parser of Prometheus' own library reads it."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.live import LiveNode
from tests.monitoring.scrape import Scrape, ask, scrape
from tests.soon import SOON_SECONDS
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.background import BACKGROUND
from hubbub.bootstrap import open_runtime
from hubbub.domain.log.consumers import CONSUMERS
from hubbub.http.app import make_app
from hubbub.http.pages.metrics.store import KEPT_SECONDS, StoreState
from hubbub.outbox import lock_counters
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction
from hubbub.storage.queries import Query

LIST_CONSUMERS = Query("list_consumers", "SELECT DISTINCT consumer FROM consumer_positions")
LOCK_TABLE = Query("lock_table", "LOCK TABLE counters IN ACCESS EXCLUSIVE MODE")
HOOK = "https://hooks.example.com/chat"
REQUESTS = "hubbub_requests_total"
SECONDS = "hubbub_request_duration_seconds"
ALLOWED_LABELS = {"operation", "status", "le", "version", "engine", "state", "consumer", "outcome"}
ALLOWED_LABELS |= {"code", "provider", "queue"}


@asynccontextmanager
async def new_node(new_settings: NewSettings) -> AsyncIterator[Node]:
    """Open a node on a new store."""
    clock = ManualClock()
    async with open_runtime(new_settings(log_requests=False), clock) as runtime:
        yield Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})


async def send(world: World, text: str, **how: Any) -> Any:
    """Send a message from anna to ben."""
    body = {
        "receiver": "ben",
        "receiverType": "user",
        "category": "message",
        "type": "text",
        "data": {"text": text},
    }
    return await world.post("/messages", body, as_="anna", **how)


async def add_receivers(world: World) -> None:
    """Have events and pushes sent to a server."""
    await world.post("/webhooks", {"id": "server", "name": "Server", "webhookURL": HOOK})
    provider = {
        "isEnabled": True,
        "webhookURL": HOOK,
        "useBasicAuth": False,
        "basicAuthUsername": "",
        "basicAuthPassword": "",
    }
    await world.post("/notifications/push/v1/providers/custom", provider)


async def greet(world: World) -> None:
    """Create anna and ben, and send a message: one event."""
    await world.users("anna", "ben")
    await send(world, "hello")


async def test_all_families_are_there_from_the_start(new_settings: NewSettings) -> None:
    """Before the first request each family has its samples, and what counts requests is zero."""
    async with new_node(new_settings) as node:
        first = await scrape(node.sender)
        later = await scrape(node.sender)

    assert first.families.keys() == later.families.keys()
    assert all(family.samples for family in first.families.values())
    assert all(name.startswith("hubbub_") for name in first.families)
    for operation in OPERATIONS:
        assert first.value(REQUESTS, operation=operation.name, status="200") == 0
        assert first.value(f"{SECONDS}_count", operation=operation.name) == 0
        assert first.value(f"{SECONDS}_sum", operation=operation.name) == 0
        assert first.value(f"{SECONDS}_bucket", operation=operation.name, le="+Inf") == 0


async def test_requests_are_counted_by_operation_and_status(world: World, node: Node) -> None:
    """Each answer counts for its operation and status, with its time; refusals too."""
    before = await scrape(node.sender)
    await world.users("anna", "ben")
    for number in range(3):
        await send(world, f"hello {number}")
    await world.get("/users/carl", status=404)
    await world.get("/users/carl", status=401, key="wrong")
    after = await scrape(node.sender)

    def rise(name: str, **labels: str) -> float:
        key = (name, *sorted(labels.items()))
        return after.values[key] - before.values.get(key, 0)

    assert rise(REQUESTS, operation="create_user", status="200") == 2
    assert rise(REQUESTS, operation="send_message", status="200") == 3
    assert rise(REQUESTS, operation="get_user", status="404") == 1
    assert rise(REQUESTS, operation="get_user", status="401") == 1
    assert rise(f"{SECONDS}_count", operation="get_user") == 2
    assert rise(f"{SECONDS}_count", operation="send_message") == 3
    assert rise(f"{SECONDS}_sum", operation="send_message") > 0
    assert rise(f"{SECONDS}_bucket", operation="send_message", le="+Inf") == 3


async def test_unknown_paths_make_no_series(world: World, node: Node) -> None:
    """Whatever is asked for, there are no more series than operations and statuses."""
    before = await scrape(node.sender)
    for number in range(20):
        await world.get(f"/nothing/{number}", status=404)
        await world.ask("PURGE", f"/users/{number}")
        await ask(node.sender, "POST")
    after = await scrape(node.sender)

    assert after.values.keys() == before.values.keys()


async def test_labels_name_nobody(world: World, node: Node) -> None:
    """Labels have the names of operations, statuses, engines and consumers, and no ids or keys."""
    await world.users("anna-uid-in-no-label", "ben")
    await world.get("/users/anna-uid-in-no-label")
    answer = await ask(node.sender)
    text = answer.body.decode()
    families = Scrape(text).families.values()

    labels = {name for family in families for sample in family.samples for name in sample.labels}
    assert labels == ALLOWED_LABELS
    for secret in ("anna-uid-in-no-label", world.app_id, world.key, world.auth_key):
        assert secret not in text


async def test_batches_and_commits_are_measured(new_settings: NewSettings, engine: str) -> None:
    """Concurrent sends make few batches and commits, whose sizes and times are there."""
    async with new_node(new_settings) as node:
        world = await node.world()
        await world.users("anna", "ben")
        before = await scrape(node.sender)
        await asyncio.gather(*(send(world, f"hello {number}") for number in range(60)))
        after = await scrape(node.sender)

    def rise(name: str) -> float:
        return after.value(name) - before.value(name)

    assert rise("hubbub_batch_drafts_sum") == 60
    assert 1 <= rise("hubbub_batch_drafts_count") <= 20
    assert rise("hubbub_commit_operations_sum") >= rise("hubbub_batch_drafts_count")
    assert rise("hubbub_commit_duration_seconds_count") >= 1
    assert rise("hubbub_write_duration_seconds_count") == rise("hubbub_commit_operations_count")
    assert rise("hubbub_write_duration_seconds_sum") >= rise("hubbub_commit_duration_seconds_sum")
    assert rise("hubbub_write_duration_seconds_sum") > 0
    assert after.value("hubbub_batches_running") == 0
    for queue in ("drafts", "writes"):
        assert after.value("hubbub_waiting", queue=queue) == 0
    assert after.value("hubbub_info", version="0.1.0", engine=engine) == 1
    assert after.value("hubbub_disk_free_bytes") > 0


async def until(is_so: Callable[[], bool]) -> None:
    """Yield to other tasks until something is so; the caller limits the time."""
    for _ in itertools.count():
        if is_so():
            return
        await asyncio.sleep(0)


async def test_waiting_drafts_are_counted(node: Node, world: World, engine: str) -> None:
    """While a batch of the app waits for its lock, the drafts of others wait and are counted."""
    await greet(world)
    await scrape(node.sender)  # asks the store, so that the next one need not
    locked, released, release = threading.Event(), threading.Event(), asyncio.Event()

    async def hold(tx: Transaction) -> None:
        await lock_counters(tx)
        locked.set()
        if engine == "sqlite":
            released.wait(SOON_SECONDS)  # on the writer's thread, where nothing may be awaited
        else:
            await release.wait()

    async with asyncio.timeout(SOON_SECONDS), asyncio.TaskGroup() as tasks:
        tasks.create_task(node.runtime.database.write(world.app_id, hold))
        await until(locked.is_set)
        tasks.create_task(send(world, "in the batch"))
        await until(lambda: bool(node.runtime.batches.running))
        await asyncio.sleep(0)
        for number in range(5):
            tasks.create_task(send(world, f"waiting {number}"))
        await until(lambda: node.runtime.batches.waiting == 5)
        found = await scrape(node.sender)
        released.set()
        release.set()

    assert found.value("hubbub_waiting", queue="drafts") == 5
    assert found.value("hubbub_batches_running") == 1


@pytest.fixture
async def unused(new_settings: NewSettings) -> AsyncIterator[Node]:
    """A node on a store of its own, where nothing waits."""
    async with new_node(new_settings) as node:
        yield node


QUEUES = {"calls", "drafts", "writes", "slow_threads", "pictures", "files", "webhooks", "providers"}
QUEUES_OF_ENGINE = {
    "sqlite": {"readers"},
    "postgresql": {
        "connections_for_writes",
        "connections_for_pages",
        "connections_for_searches",
    },
}


async def test_every_queue_has_a_depth(unused: Node, engine: str) -> None:
    """All queues of a node and of its engine are there, empty at first, and no others."""
    found = await scrape(unused.sender)
    depths = {
        dict(key[1:])["queue"]: value
        for key, value in found.values.items()
        if key[0] == "hubbub_waiting"
    }

    assert depths == dict.fromkeys(QUEUES | QUEUES_OF_ENGINE[engine], 0)


@pytest.mark.parametrize("queue", ["slow_threads", "pictures", "files"])
async def test_work_that_waits_for_a_thread_is_counted(unused: Node, queue: str) -> None:
    """Count what waits while all threads that an app gets are busy, in its queue alone."""
    runtime = unused.runtime
    await scrape(unused.sender)  # asks the store, so that the next one need not
    threads = {
        "slow_threads": runtime.threads,
        "pictures": runtime.pictures,
        "files": runtime.files.threads,
    }[queue]
    release = threading.Event()

    async with asyncio.timeout(SOON_SECONDS), asyncio.TaskGroup() as tasks:
        for _ in range(40):
            tasks.create_task(threads.run("anns-app", partial(release.wait, SOON_SECONDS)))
        await until(lambda: threads.places.turns.waiting > 0)
        found = await scrape(unused.sender)
        waiting = threads.places.turns.waiting
        release.set()

    assert found.value("hubbub_waiting", queue=queue) == waiting > 0
    for other in QUEUES - {queue}:
        assert found.value("hubbub_waiting", queue=other) == 0


async def test_readings_that_wait_are_counted(node: Node, world: World, engine: str) -> None:
    """Long readings wait for a thread on SQLite, for a connection on PostgreSQL."""
    await scrape(node.sender)  # asks the store, so that the next one need not
    release, ended = threading.Event(), asyncio.Event()

    async def hold(snapshot: Snapshot) -> None:
        if engine == "sqlite":
            release.wait(SOON_SECONDS)  # on a reader's thread, where nothing may be awaited
        else:
            await ended.wait()

    queue = "readers" if engine == "sqlite" else "connections_for_searches"
    async with asyncio.timeout(SOON_SECONDS), asyncio.TaskGroup() as tasks:
        for _ in range(9):
            tasks.create_task(node.runtime.database.read(world.app_id, hold))
        await until(lambda: node.runtime.measures.count_waiting()[queue] > 0)
        found = await scrape(node.sender)
        waiting = node.runtime.measures.count_waiting()[queue]
        release.set()
        ended.set()

    assert found.value("hubbub_waiting", queue=queue) == waiting > 0


async def test_those_to_whom_something_is_to_be_sent_are_counted(unused: Node) -> None:
    """Webhooks and providers are counted from when something waits for them."""
    world = await unused.world()
    await add_receivers(world)
    await world.post("/webhooks/server/triggers", {"triggerIds": ["message_sent"]})
    await greet(world)
    before = await _ask_waiting(unused.runtime)
    for work in BACKGROUND:
        await work(unused.runtime)
    after = await _ask_waiting(unused.runtime)

    assert before == {"webhooks": 0, "providers": 0}
    assert after == {"webhooks": 1, "providers": 1}


async def _ask_waiting(runtime: Runtime) -> dict[str, int]:
    state = StoreState(runtime.database)
    await state.ask()
    return state.waiting


async def test_readings_are_measured(node: Node, world: World) -> None:
    """Each reading of the store counts, with its time."""
    before = await scrape(node.sender)
    await world.get("/users")
    after = await scrape(node.sender)

    for part in ("count", "sum"):
        name = f"hubbub_read_duration_seconds_{part}"
        assert after.value(name) > before.value(name)


async def test_connections_are_counted(node: Node, world: World, engine: str) -> None:
    """On PostgreSQL the pool's connections are shown; SQLite has none."""
    found = await scrape(node.sender)
    idle = found.value("hubbub_database_connections", state="idle")
    used = found.value("hubbub_database_connections", state="used")

    assert (idle + used > 0) == (engine == "postgresql")


async def test_lag_is_counted_over_all_apps(new_settings: NewSettings) -> None:
    """The lag of a consumer is what it has not covered in all apps together; then it is zero."""
    async with new_node(new_settings) as node:
        runtime = node.runtime
        for _ in range(2):
            await greet(await node.world())
        behind = await _ask_again(runtime)
        for work in BACKGROUND:
            await work(runtime)
        at_end = await _ask_again(runtime)

    assert behind == {"metrics": 2, "search": 2, "webhooks": 0, "notifications": 0}
    assert at_end == dict.fromkeys(CONSUMERS, 0)


async def _ask_again(runtime: Runtime) -> dict[str, int]:
    state = StoreState(runtime.database)
    await state.ask()
    return state.lags


async def test_every_consumer_has_a_lag(node: Node, world: World) -> None:
    """The metrics name each consumer that the background work runs."""
    await add_receivers(world)
    await greet(world)
    for work in BACKGROUND:
        await work(node.runtime)
    rows = await node.runtime.database.read(
        INSTALLATION, lambda snapshot: snapshot.fetch(LIST_CONSUMERS)
    )

    assert {row[0] for row in rows} == set(CONSUMERS)


async def test_lags_are_kept_for_a_moment(new_settings: NewSettings) -> None:
    """However often it is scraped, a node asks its store for the lags every few seconds only."""
    now = ManualClock()
    async with new_node(new_settings) as node:
        state = StoreState(node.runtime.database, now.monotonic)
        await state.ask()
        await greet(await node.world())
        await state.ask()
        kept = dict(state.lags)
        now.advance(KEPT_SECONDS)
        await state.ask()

    assert kept == {"metrics": 0, "search": 0, "webhooks": 0, "notifications": 0}
    assert state.lags == {"metrics": 1, "search": 1, "webhooks": 0, "notifications": 0}


async def test_the_last_lags_stay_while_the_store_is_away(new_settings: NewSettings) -> None:
    """While the store can't be asked, the last known lags are shown, and that it is down."""
    now = ManualClock()
    async with new_node(new_settings) as node:
        await greet(await node.world())
        state = StoreState(node.runtime.database, now.monotonic)
        await state.ask()
        was_up = state.is_up
        await node.runtime.database.close()
        now.advance(KEPT_SECONDS)
        await state.ask()

    assert was_up
    assert not state.is_up
    assert state.lags == {"metrics": 1, "search": 1, "webhooks": 0, "notifications": 0}


async def test_a_hanging_store_holds_up_no_scrape(node: Node, world: World, engine: str) -> None:
    """If PostgreSQL does not answer in time, the store counts as down."""
    if engine == "sqlite":
        pytest.skip("nobody can lock SQLite's readers out")
    state = StoreState(node.runtime.database, most_seconds=0.2)
    locked, release = asyncio.Event(), asyncio.Event()

    async def lock(tx: Transaction) -> None:
        await tx.run(LOCK_TABLE)
        locked.set()
        await release.wait()

    holder = asyncio.create_task(node.runtime.database.write(world.app_id, lock))
    await locked.wait()
    await state.ask()
    release.set()
    await holder

    assert not state.is_up


async def test_a_lost_store_is_scraped(new_settings: NewSettings) -> None:
    """A node whose database was closed answers a scrape, and says that the store is down."""
    async with new_node(new_settings) as node:
        await node.runtime.database.close()
        found = await scrape(node.sender)

    assert found.value("hubbub_store_up") == 0
    assert found.value("hubbub_consumer_lag_events", consumer="search") == 0


async def test_a_real_node_is_scraped_over_a_socket(live: LiveNode) -> None:
    """Memory, processor time and open files of its process are there."""
    world = await live.world()
    await world.users("anna", "ben")
    found = await scrape(live)

    assert found.value("hubbub_process_resident_memory_bytes") > 20_000_000
    assert found.value("hubbub_process_cpu_seconds_total") > 0
    assert found.value("hubbub_process_open_fds") > 5
    assert found.value(REQUESTS, operation="create_user", status="200") >= 2
    assert found.value("hubbub_store_up") == 1


async def test_metrics_have_no_line_twice(node: Node) -> None:
    """Each family is described once, and no sample occurs twice: Prometheus refuses such a page."""
    lines = (await ask(node.sender)).body.decode().splitlines()
    described = [line for line in lines if line.startswith("# TYPE ")]
    samples = [line.rpartition(" ")[0] for line in lines if not line.startswith("#")]

    assert len(described) == len(set(described)) > 20
    assert len(samples) == len(set(samples)) > 1_000
