"""What the doctor says of the store: broken in each way, it names the fault."""

import asyncio
import itertools
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
from tests.backup.test_backup import damage
from tests.cli.command import make_store, new_folder
from tests.clock import ManualClock
from tests.doctor.conftest import Patient, faults_of, findings_of, the_fault
from tests.files.uploads import files_in, stored_files
from tests.postgres import PostgresServer

from hubbub.config import Settings
from hubbub.doctor.finding import Severity
from hubbub.outbox.set_aside import SetAside, insert_set_aside
from hubbub.storage.migrations import newest_version

CHECKS = [
    "configuration",
    "certificate",
    "disk",
    "bus",
    "store",
    "schema",
    "master key",
    "clock",
    "files",
    "events",
    "providers",
    "webhooks",
    "counts",
]


def healthy(settings: Settings) -> Settings:
    """Return settings without the warning about files of several nodes."""
    return replace(settings, files=str(settings.data / "files"))


async def run(settings: Settings, statement: str) -> None:
    """Run a statement on a store, behind the back of its node."""
    if settings.database_url:
        connection: Any = await asyncpg.connect(settings.database_url)
        assert await connection.execute(statement) != "UPDATE 0"
        await connection.close()
        return
    file = apsw.Connection(str(settings.sqlite_path))
    file.execute(statement).fetchall()
    assert file.changes()
    file.close()


async def test_a_healthy_node(patient: Patient) -> None:
    """Every check is named and ok while a node serves."""
    found = await findings_of(healthy(patient.settings))

    assert [finding.check for finding in found] == CHECKS
    assert {finding.state for finding in found} == {Severity.OK}, found
    counts = found[-1].sentence
    assert counts == "kept and recounted numbers agree: 1 of 1 apps, 2 conversations"


async def test_nothing_is_changed(patient: Patient) -> None:
    """Neither the files of a store that no node serves, nor the rows of a database."""
    settings = healthy(patient.settings)
    await patient.node.runtime.close()
    before = contents(settings.data)
    events = await count_events(settings)
    await findings_of(settings)

    assert await count_events(settings) == events > 0
    added = contents(settings.data).items() - before.items()
    assert {name for name, _ in added} <= {"hubbub.db-shm", "hubbub.db-wal"}
    assert dict(added).get("hubbub.db-wal", b"") == b""


async def test_events_that_were_set_aside(patient: Patient) -> None:
    """Events that could not be processed are counted by what failed, in all apps."""
    runtime = patient.node.runtime
    for number, consumer in ((3, "search"), (3, "webhooks"), (4, "webhooks")):
        row = SetAside(runtime.clock.now(), number, consumer, f"1-{number}", "message_sent", "?")
        insert = partial(insert_set_aside, event=row)
        await runtime.database.write(patient.world.app_id, insert)

    assert await the_fault(healthy(patient.settings)) == (
        "events",
        Severity.WARNING,
        "Some events of 1 apps could not be processed, and were set aside: search 1, webhooks 2.",
    )


@pytest.mark.parametrize("is_stopped", ["FALSE", "TRUE"])
async def test_webhooks_that_fail(patient: Patient, is_stopped: str) -> None:
    """Webhooks that are not reached are counted, and so are those that are paused for that."""
    hook = {"id": "hook", "name": "Hook", "webhookURL": "https://hooks.example.com/"}
    await patient.world.post("/webhooks", hook)
    await run(
        patient.settings,
        f"UPDATE webhook_queues SET failing_since = 1, is_stopped = {is_stopped}",
    )
    failing, paused = (0, 1) if is_stopped == "TRUE" else (1, 0)

    assert await the_fault(healthy(patient.settings)) == (
        "webhooks",
        Severity.WARNING,
        f"Deliveries to {failing} fail, and to {paused} they are paused.",
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of all files in a folder."""
    return {name: (folder / name).read_bytes() for name in files_in(folder)}


async def count_events(settings: Settings) -> int:
    """Return the number of rows in the log."""
    query = "SELECT count(*) FROM events"
    if settings.database_url:
        connection: Any = await asyncpg.connect(settings.database_url)
        found = await connection.fetchval(query)
        await connection.close()
        return int(found)
    file = apsw.Connection(str(settings.sqlite_path), apsw.SQLITE_OPEN_READONLY)
    number: int = file.execute(query).get
    file.close()
    return number


WRONG_COUNTS = {
    "UPDATE counters SET users = users + 3": "users of app {app}: kept 5, there are 2",
    "UPDATE counters SET groups = 0": "groups of app {app}: kept 0, there are 1",
    "UPDATE counters SET message = message - 1": "newest message of app {app}",
    "UPDATE counters SET event = 0": "newest event of app {app}: kept 0",
    "UPDATE users SET status = 'available' WHERE uid = 'ben'": (
        "online users of app {app}: kept 0, there are 1"
    ),
    "UPDATE groups SET members_count = 7": "members of group hikers: kept 7, there are 1",
    "UPDATE participants SET read_count = 1 WHERE uid = 'ben'": (
        "unread of ben in conversation 1: kept 0, there are 1"
    ),
    "UPDATE conversations SET left_own = 0 WHERE kind = 'user'": (
        "unread of anna in conversation 1: kept 1, there are 0"
    ),
}


@pytest.mark.parametrize("statement", WRONG_COUNTS)
async def test_a_wrong_count(patient: Patient, statement: str) -> None:
    """A kept number that differs from the rows is named, with both numbers."""
    await run(patient.settings, statement)

    check, state, sentence = await the_fault(healthy(patient.settings))
    assert (check, state) == ("counts", Severity.WRONG)
    assert WRONG_COUNTS[statement].format(app=patient.world.app_id) in sentence


async def test_deleted_messages_are_no_fault(patient: Patient) -> None:
    """Unread messages that were deleted permanently are still counted, and that is right."""
    await patient.world.delete("/messages/1", {"permanent": True}, as_="anna")
    await patient.world.delete("/groups/hikers")

    assert not [
        fault for fault in await faults_of(healthy(patient.settings)) if fault.check == "counts"
    ]


async def test_a_missing_file(patient: Patient) -> None:
    """A file that a message holds but that is not there is named."""
    [path] = stored_files(patient.node)
    (patient.settings.data / "files" / path).write_bytes(b"The p")

    check, state, sentence = await the_fault(healthy(patient.settings))
    assert (check, state) == ("files", Severity.WRONG)
    assert path in sentence


async def test_another_master_key(patient: Patient) -> None:
    """A master key that is missing, malformed, or another one is a fault."""
    settings, path = healthy(patient.settings), patient.settings.data / "secret.key"
    said = [await the_fault(replace(settings, secret_key="ab" * 32))]
    path.write_text("no key")
    said.append(await the_fault(settings))
    path.unlink()
    said.append(await the_fault(settings))

    assert {(check, state) for check, state, _ in said} == {("master key", Severity.WRONG)}
    sentences = [sentence for _, _, sentence in said]
    assert "another one" in sentences[0]
    assert "must be 32 bytes" in sentences[1]
    assert "is missing" in sentences[2]
    assert not path.exists(), "the doctor makes none"


NEWEST = newest_version()


@pytest.mark.parametrize(
    ("statement", "state", "said"),
    [
        (
            f"UPDATE schema_migrations SET version = {NEWEST + 1} WHERE version = {NEWEST}",
            Severity.WRONG,
            f"It has version {NEWEST + 1}; this Hubbub knows up to {NEWEST}.",
        ),
        (
            f"DELETE FROM schema_migrations WHERE version = {NEWEST}",
            Severity.WARNING,
            f"It has version {NEWEST - 1}; this Hubbub needs {NEWEST}.",
        ),
    ],
)
async def test_another_schema(patient: Patient, statement: str, state: Severity, said: str) -> None:
    """A schema of another version is named; a newer one is a fault, an older one a warning."""
    await run(patient.settings, statement)

    assert await the_fault(healthy(patient.settings)) == ("schema", state, said)


async def test_a_clock_that_is_behind(patient: Patient) -> None:
    """A clock behind the database's, or behind the newest message, is a fault."""
    clock = ManualClock(patient.node.clock.now() - 3_600)

    check, state, _ = await the_fault(healthy(patient.settings), clock=clock)
    assert (check, state) == ("clock", Severity.WRONG)


async def test_a_clock_of_long_ago(tmp_path: Path) -> None:
    """A clock that shows 1970 is a fault, even where there is no store."""
    faults = await faults_of(Settings(data=tmp_path), clock=ManualClock(1_000))

    assert "It shows a time long past." in [fault.sentence for fault in faults]


async def test_no_store(tmp_path: Path) -> None:
    """A folder without a store is a fault; nothing is made there."""
    check, state, sentence = await the_fault(Settings(data=tmp_path / "no"))

    assert (check, state) == ("store", Severity.WRONG)
    assert "There is no Hubbub in" in sentence
    assert not (tmp_path / "no").exists()


async def test_a_damaged_file(tmp_path: Path) -> None:
    """A damaged index is found, and so is a file that is no database."""
    settings = Settings(data=tmp_path)
    await asyncio.to_thread(new_folder, tmp_path)
    damage(settings.sqlite_path)
    check, state, sentence = await the_fault(settings)
    settings.sqlite_path.write_bytes(b"Dear Anna" * 1_000)
    other = await the_fault(settings)

    assert (check, state) == ("store", Severity.WRONG)
    assert "it is damaged" in sentence
    assert other[:2] == ("store", Severity.WRONG)
    assert "is damaged: file is not a database" in other[2]


@pytest.fixture
def on_postgresql(postgres_server: PostgresServer, tmp_path: Path) -> Settings:
    """The settings of an empty database of PostgreSQL."""
    postgres_server.create_database(name := f"doctor_{next(_databases)}")
    settings = Settings(data=tmp_path, database_url=postgres_server.url(name))
    return healthy(settings)


_databases = itertools.count(1)


async def test_a_server_that_may_lose_messages(on_postgresql: Settings) -> None:
    """A PostgreSQL that answers before a commit is on disk is a fault."""
    await asyncio.to_thread(make_store, on_postgresql)
    name = on_postgresql.database_url.rpartition("/")[2]
    await run(on_postgresql, f"ALTER DATABASE {name} SET synchronous_commit = off")

    check, state, sentence = await the_fault(on_postgresql)
    assert (check, state) == ("store", Severity.WRONG)
    assert "its synchronous_commit is off: a crash can lose messages" in sentence


async def test_an_empty_database(on_postgresql: Settings) -> None:
    """A database without tables is a fault; none are made."""
    for _ in range(2):
        check, state, sentence = await the_fault(on_postgresql)
        assert (check, state, sentence) == ("schema", Severity.WRONG, "The database is empty.")


async def test_too_few_connections(on_postgresql: Settings) -> None:
    """A server that can't take all connections of a node is a warning."""
    await asyncio.to_thread(make_store, on_postgresql)
    fault = await the_fault(replace(on_postgresql, database_connections=10_000))

    assert fault[:2] == ("store", Severity.WARNING)
    assert "a node opens up to 10000" in fault[2]


async def test_a_server_that_is_away(tmp_path: Path) -> None:
    """A PostgreSQL that can't be reached is a fault, named without the password."""
    url = "postgresql://anna:hush@127.0.0.1:1/chat"
    check, state, sentence = await the_fault(healthy(Settings(data=tmp_path, database_url=url)))

    assert (check, state) == ("store", Severity.WRONG)
    assert sentence == "PostgreSQL can't be reached at 127.0.0.1:1: Connection refused."
