"""The contract of PostgreSQL's engine about broken connections: true answers, and recovery."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import asyncpg
import pytest
from structlog.testing import capture_logs
from tests.postgres import PostgresServer
from tests.storage.notes import SQL, list_authors, putting, writing
from tests.storage.slow_wire import Wire
from tests.storage.stores import OpenPostgres, closing, make_app, make_schema
from tests.storage.turns import Pause, start

from hubbub.kernel.errors import OutcomeUnknown, Unavailable
from hubbub.storage.errors import StoreUnusable
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.postgres.database import PostgresDatabase
from hubbub.storage.queries import Query
from hubbub.storage.together import Asked


@pytest.fixture
def database(postgres: PostgresDatabase) -> PostgresDatabase:
    """PostgreSQL, the engine of these tests."""
    return postgres


@pytest.fixture
async def wire(postgres_server: PostgresServer) -> AsyncIterator[Wire]:
    """A wire to the server, which may break."""
    async with Wire(postgres_server.port) as wire:
        yield wire


@pytest.fixture
async def far(
    open_postgres: OpenPostgres, postgres_server: PostgresServer, wire: Wire
) -> AsyncIterator[PostgresDatabase]:
    """The engine behind the wire; `database` is on the same store without it."""
    async with closing(open_postgres(postgres_server.url("contract", port=wire.port))) as far:
        yield far


class Counted:
    """An operation that writes Anna's note, and the number of its tries."""

    def __init__(self) -> None:
        self.tries = 0

    async def __call__(self, tx: Transaction) -> None:
        self.tries += 1
        await writing("anna")(tx)


@pytest.mark.parametrize(("forward", "stored"), [(True, ["anna"]), (False, [])])
async def test_connection_that_breaks_during_commit(
    far: PostgresDatabase,
    database: Database,
    app_id: str,
    wire: Wire,
    forward: bool,
    stored: list[str],
) -> None:
    """The outcome is unknown: the answer says so, and there is no retry."""
    operation = Counted()
    wire.break_when(b"COMMIT", forward=forward)

    with pytest.raises(OutcomeUnknown):
        await far.write(app_id, operation)

    assert (operation.tries, wire.breaks) == (1, 1)
    assert await list_authors(database, app_id) == stored
    assert await far.write(app_id, writing("ben")) == "ben"


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("piece", [b"BEGIN", b"INSERT INTO notes"])
async def test_connection_that_breaks_before_the_commit(
    far: PostgresDatabase,
    database: Database,
    app_id: str,
    wire: Wire,
    piece: bytes,
    forward: bool,
) -> None:
    """It was certainly not done: the answer says so, nothing is stored, the next write works."""
    wire.break_when(piece, forward=forward)

    with pytest.raises(Unavailable) as refused:
        await far.write(app_id, writing("anna"))

    assert not isinstance(refused.value, OutcomeUnknown)
    assert wire.breaks == 1
    assert await list_authors(database, app_id) == []
    assert await far.write(app_id, writing("ben")) == "ben"


@pytest.mark.parametrize(("forward", "stored"), [(True, ["anna", "ben"]), (False, ["anna"])])
async def test_connection_that_breaks_during_an_optimistic_write(
    far: PostgresDatabase,
    database: Database,
    app_id: str,
    wire: Wire,
    forward: bool,
    stored: list[str],
) -> None:
    """Its one statement has an unknown outcome; the next write counts on from what is stored."""
    await far.write(app_id, putting("anna"), is_optimistic=True)
    wire.break_when(b"ben", forward=forward)

    with pytest.raises(OutcomeUnknown):
        await far.write(app_id, putting("ben"), is_optimistic=True)

    assert wire.breaks == 1
    assert await list_authors(database, app_id) == stored
    count = await far.write(app_id, putting("cleo"), is_optimistic=True)
    assert count == len(stored) + 1


async def test_concurrent_optimistic_writes_begin_no_transaction(
    far: PostgresDatabase, app_id: str, wire: Wire
) -> None:
    """Those of one node wait for each other, so that each is one statement."""
    await far.write(app_id, putting("anna"), is_optimistic=True)
    wire.break_when(b"BEGIN", forward=False)

    counts = await asyncio.gather(
        *(far.write(app_id, putting(f"ben-{each}"), is_optimistic=True) for each in range(8))
    )

    assert sorted(counts) == [*range(2, 10)]
    assert wire.breaks == 0


async def test_connection_that_breaks_during_a_reading(
    far: PostgresDatabase, database: Database, app_id: str, wire: Wire
) -> None:
    """A read and a look-up are unavailable then, and the next ones work."""
    wire.break_when(b"FROM notes", forward=True)
    with pytest.raises(Unavailable):
        await list_authors(far, app_id)
    wire.break_when(b"FROM notes", forward=True)
    with pytest.raises(Unavailable):
        await far.point(app_id, SQL.find_note, author="anna")

    assert wire.breaks == 2
    assert await list_authors(far, app_id) == []
    assert await far.point(app_id, SQL.find_note, author="anna") is None


async def test_a_reading_of_which_all_is_foreseen_begins_no_transaction(
    far: PostgresDatabase, app_id: str, wire: Wire
) -> None:
    """It is one statement, which is a snapshot of its own; one that asks more begins one."""
    note = Asked(SQL.find_note, {"author": "anna"})

    async def within(snapshot: Snapshot) -> str:
        await snapshot.foresee(lambda: [note], is_all=True)
        row = await snapshot.fetch_one(SQL.find_note, author="anna")
        return str(row and row[0])

    async def more(snapshot: Snapshot) -> int:
        return len(await within(snapshot)) + len(await snapshot.fetch(SQL.list_notes))

    await far.write(app_id, writing("anna", "hello"))
    wire.break_when(b"BEGIN", forward=False)

    assert await far.read(app_id, within) == "hello"
    assert wire.breaks == 0
    with pytest.raises(Unavailable):
        await far.read(app_id, more)
    assert wire.breaks == 1
    assert await far.read(app_id, more) == 6


async def test_session_that_the_server_ends(
    database: Database, app_id: str, postgres_url: str, pause: Pause
) -> None:
    """An operation whose session an administrator ends is not done, and reported so."""
    sessions = []

    async def within(tx: Transaction) -> None:
        await writing("anna")(tx)
        row = await tx.fetch_one(Query("session", "SELECT pg_backend_pid()"))
        sessions.append(row and row[0])
        await pause()
        await writing("ben")(tx)

    [write] = await start(database.write(app_id, within))
    await pause.reached.wait()
    administrator = await asyncpg.connect(postgres_url)
    await administrator.execute("SELECT pg_terminate_backend($1, 10000)", *sessions)
    await administrator.close()
    pause.end()

    with pytest.raises(Unavailable):
        await write
    assert await list_authors(database, app_id) == []


@pytest.mark.parametrize("breaks", [False, True])
async def test_what_ends_later_is_not_news(
    database: Database, app_id: str, pause: Pause, breaks: bool
) -> None:
    """Work that began before the log said `store_lost` says nothing of the time since."""

    async def within(tx: Transaction) -> None:
        await pause()
        if breaks:
            await tx.run(END_SESSION)

    await list_authors(database, app_id)
    with capture_logs() as lines:
        [write] = await start(database.write(app_id, within))
        await pause.reached.wait()
        with pytest.raises(Unavailable):
            await database.write(await make_app(database), lambda tx: tx.run(END_SESSION))
        if breaks:
            assert await list_authors(database, app_id) == []
        pause.end()
        await asyncio.wait([write])
        told = [line["event"] for line in lines]

    assert told == (["store_lost", "store_back"] if breaks else ["store_lost"])
    assert isinstance(write.exception(), Unavailable) == breaks


async def test_connections_are_renewed_once_one_is_lost(
    database: Database, app_id: str, pause: Pause
) -> None:
    """The server is back when a new connection works, not one that may be the next to end."""
    session = Query("session", "SELECT pg_backend_pid()")
    sessions: list[int] = []

    async def note(tx: Transaction) -> None:
        row = await tx.fetch_one(session)
        assert row is not None
        sessions.append(row[0])

    async def within(tx: Transaction) -> None:
        await note(tx)
        await pause()

    [write] = await start(database.write(app_id, within))
    await pause.reached.wait()
    with pytest.raises(Unavailable):
        await database.write(await make_app(database), lambda tx: tx.run(END_SESSION))
    pause.end()
    await write
    await database.write(app_id, note)

    assert len(set(sessions)) == 2


END_SESSION = Query("end_session", "SELECT pg_terminate_backend(pg_backend_pid())")


async def test_session_that_has_ended_before_the_commit(database: Database, app_id: str) -> None:
    """A commit that cannot be sent is not an unknown outcome: nothing was done."""

    async def within(tx: Transaction) -> None:
        await writing("anna")(tx)
        for _ in range(2):  # the second one finds the connection closed
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError):
                await tx.run(END_SESSION)

    with pytest.raises(Unavailable) as refused:
        await database.write(app_id, within)

    assert not isinstance(refused.value, OutcomeUnknown)
    assert await list_authors(database, app_id) == []


async def test_no_connection_is_lost(
    open_postgres: OpenPostgres, database: Database, app_id: str, pause: Pause
) -> None:
    """Callers who fail or leave return their connection: the only one serves them all."""
    async with closing(open_postgres(connections=1)) as single:
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await single.write(app_id, divide_by_zero)
        [left] = await start(single.write(app_id, pause))
        await pause.reached.wait()
        left.cancel()
        [waiting] = await start(single.write(app_id, writing("anna")))
        waiting.cancel()
        pause.end()
        await asyncio.wait([left, waiting])

        assert await single.write(app_id, writing("ben")) == "ben"
    assert await list_authors(database, app_id) == ["ben"]


async def divide_by_zero(_: Transaction) -> None:
    """Run an operation with a defect."""
    raise ZeroDivisionError


@pytest.fixture(scope="module")
def own_server(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    """A server for these tests alone, which may be stopped."""
    with PostgresServer() as server:
        server.create_database("hubbub")
        yield server


async def test_unreachable_server(open_postgres: OpenPostgres, own_server: PostgresServer) -> None:
    """While the server is stopped everything is unavailable; after its restart everything works."""
    async with closing(open_postgres(own_server.url("hubbub"))) as database:
        await make_schema(database)
        app_id = await make_app(database)
        await asyncio.to_thread(own_server.stop)
        with pytest.raises(Unavailable):
            await database.write(app_id, writing("anna"))
        with pytest.raises(Unavailable):
            await list_authors(database, app_id)
        with pytest.raises(Unavailable):
            await database.point(app_id, SQL.find_note, author="anna")
        await asyncio.to_thread(own_server.start)

        assert await database.write(app_id, writing("ben")) == "ben"
        assert await list_authors(database, app_id) == ["ben"]


async def test_server_that_was_never_there(open_postgres: OpenPostgres) -> None:
    """A node that starts before its database is told that it can't be reached."""
    async with closing(open_postgres("postgresql://postgres@127.0.0.1:1/hubbub")) as database:
        with pytest.raises(StoreUnusable, match=r"can't be reached at 127\.0\.0\.1:1"):
            await database.migrate()


async def test_calls_do_not_wait_for_a_server_that_hangs(
    open_postgres: OpenPostgres, app_id: str
) -> None:
    """If nothing that has a connection ends for long, those who wait for one are refused."""
    hanging = asyncio.Event()

    async def hang(_: Transaction) -> None:
        await hanging.wait()

    async with closing(open_postgres(connections=3, patience=0.1)) as database:
        first = asyncio.create_task(database.write(app_id, hang))
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(60):
                for _ in range(2):
                    with pytest.raises(Unavailable):
                        await database.write(app_id, writing("anna"))
        finally:
            hanging.set()
        await first
        assert await database.write(app_id, writing("ben")) == "ben"
