"""The composition root: builds a node from its settings. Only this module chooses an engine."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from hubbub.bus.addresses import HUB, NO_BUS, NatsServer, parse_servers
from hubbub.bus.interface import Alone, Bus
from hubbub.bus.unix import open_hub
from hubbub.config import RESTORING, BadSetting, Settings, check_addresses, make_folder
from hubbub.domain.apps.manage import (
    ManagementCredentials,
    create_app,
    delete_app,
    is_first_start,
    make_management_credentials,
    store_first_credentials,
)
from hubbub.domain.growing.follow import follow_ends
from hubbub.domain.growing.hold import answer_other_nodes
from hubbub.domain.secrets.keys import settle_keys
from hubbub.files.store import open_store
from hubbub.kernel.allowances import Allowances
from hubbub.kernel.cache import ExpiringCache
from hubbub.kernel.clock import Clock, SharedClock, SteadyClock, SystemClock
from hubbub.kernel.ids import Ids, RandomIds
from hubbub.kernel.pieces import Pieces
from hubbub.kernel.rates import Rates
from hubbub.kernel.rests import Rests
from hubbub.kernel.sealing import (
    MasterKeyMissing,
    NotOurSecret,
    Sealer,
    former_key_path,
    load_key_file,
    load_or_make_key_file,
    new_key_path,
    parse_master_key,
)
from hubbub.kernel.threads import Threads
from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.bases import check_bases
from hubbub.outbound.client import OutboundClient
from hubbub.outbox import write_announced
from hubbub.outbox.heads import Heads
from hubbub.records.apps.model import App
from hubbub.records.growing.buffer import Growing
from hubbub.records.keys.model import ApiKey
from hubbub.records.messages.model import MessageView
from hubbub.records.users.model import User
from hubbub.runtime import Runtime
from hubbub.storage.errors import NoStore, StoreUnusable
from hubbub.storage.gate import WriteGate
from hubbub.storage.interface import (
    Database,
    Inspection,
    OnCommit,
    Still,
    Unwritten,
    ignore_commit,
)
from hubbub.storage.measures import EngineMeasures
from hubbub.storage.migrations import plan_migrations
from hubbub.storage.postgres.database import PostgresDatabase
from hubbub.storage.postgres.inspect import PostgresInspection
from hubbub.storage.postgres.still import postgres_still
from hubbub.storage.postgres.tables import PostgresTables
from hubbub.storage.postgres.tables import open_tables as open_postgres_tables
from hubbub.storage.sqlite.copy import NoteBytes, copy_database
from hubbub.storage.sqlite.database import SqliteDatabase
from hubbub.storage.sqlite.inspect import SqliteInspection
from hubbub.storage.sqlite.tables import SqliteTables
from hubbub.storage.timekeeper import Timekeeper


def open_database(
    settings: Settings,
    clock: Clock,
    measures: EngineMeasures | None = None,
    on_commit: OnCommit = ignore_commit,
    rests: Rests | None = None,
    unwritten: Unwritten | None = None,
    gate: WriteGate | None = None,
) -> Database:
    """Return the engine that the settings choose."""
    if settings.database_url:
        return PostgresDatabase(
            settings.database_url,
            write_announced,
            clock,
            connections=settings.database_connections,
            measures=measures,
            on_commit=on_commit,
            rests=rests,
            unwritten=unwritten,
        )
    return SqliteDatabase(
        settings.sqlite_path,
        write_announced,
        clock,
        measures=measures,
        on_commit=on_commit,
        rests=rests,
        unwritten=unwritten,
        gate=gate,
    )


def open_copied_database(settings: Settings, clock: Clock) -> Database:
    """Return the engine of a store that a copy fills; its new history is left to nodes."""
    if not settings.database_url:
        return SqliteDatabase(settings.sqlite_path, write_announced, clock)
    return PostgresDatabase(
        settings.database_url, write_announced, clock, connections=3, is_inspected=True
    )


async def open_tables(settings: Settings) -> SqliteTables | PostgresTables:
    """Return all tables of a store, for a copy from it or into it.

    Raises:
        StoreAway: the database can't be reached.
        StoreUnusable: the database can't be used.
    """
    if settings.database_url:
        return await open_postgres_tables(settings.database_url)
    return SqliteTables(settings.sqlite_path)


def open_inspection(settings: Settings, clock: Clock) -> Inspection:
    """Return the store of the settings, to be read only.

    Raises:
        NoStore: there is none.
        StoreUnusable: it can't be opened.
    """
    if settings.database_url:
        database = PostgresDatabase(
            settings.database_url, write_announced, clock, connections=1, is_inspected=True
        )
        return PostgresInspection(database, connections=settings.database_connections)
    if not settings.sqlite_path.exists():
        raise NoStore(settings.data)
    return SqliteInspection(settings.sqlite_path)


@asynccontextmanager
async def open_still(settings: Settings, scratch: Path, note: NoteBytes) -> AsyncIterator[Still]:
    """Yield the store of the settings as it is now, to be read for long beside nodes that write.

    The embedded one is copied into the folder `scratch` before it is read: as long as a reading
    lasts, no page of its log can be used again. `note` is told how far that is.

    Raises:
        NoStore: there is none.
        SchemaTooNew: a newer Hubbub has migrated it.
        StoreUnusable: it can't be read, or no node has migrated it for this version yet.
    """
    if settings.database_url:
        async with postgres_still(settings.database_url) as database:
            _check_schema(await database.schema_version())
            yield database
        return
    if not settings.sqlite_path.exists():
        raise NoStore(settings.data)
    path = scratch / settings.sqlite_path.name
    copy_database(settings.sqlite_path, path, note)
    copy = SqliteInspection(path)
    try:
        _check_schema(await copy.schema_version())
        yield copy
    finally:
        await copy.close()
        path.unlink()


def _check_schema(version: int) -> None:
    if not version:
        raise NoStore("that database")
    if plan_migrations(version):
        raise StoreUnusable(
            "The store has the schema of an older version. Start a node of this version on it, or"
            " run: hubbub migrate"
        )


async def open_sealer(settings: Settings, clock: Clock, *, makes_store: bool = True) -> Sealer:
    """Return a sealer with the master key of the settings, or of the data folder.

    It also has the key that takes the place of that one, and the former one, if they are given. A
    key is made only for a store that is about to be made; otherwise nothing is written.

    Raises:
        BadMasterKey: the key has no valid form.
        MasterKeyMissing: there is a store, but no key.
        NoStore: there is neither, and the caller does not make a store.
        StoreUnusable: the store can't be opened.
    """
    path = settings.key_path
    if not settings.secret_key and not path.exists():
        if await _has_store(settings, clock):
            raise MasterKeyMissing(path)
        if not makes_store:
            raise NoStore("that database")
    make_folder(settings.data)
    given = [each for each in (settings.secret_key, settings.new_secret_key) if each]
    keys = [parse_master_key(each) for each in given]
    if not settings.secret_key:
        others = [each for each in (new_key_path(path), former_key_path(path)) if each.exists()]
        keys = [load_or_make_key_file(path), *keys, *map(load_key_file, others)]
    return Sealer(*keys)


async def _has_store(settings: Settings, clock: Clock) -> bool:
    try:
        inspection = open_inspection(settings, clock)
    except NoStore:
        return False
    try:
        return await inspection.schema_version() > 0
    finally:
        await inspection.close()


@asynccontextmanager
async def open_runtime(
    settings: Settings,
    clock: Clock | None = None,
    ids: Ids | None = None,
    *,
    machine: Clock | None = None,
    makes_store: bool = True,
) -> AsyncIterator[Runtime]:
    """Open the parts of a node, migrate the database, and close all at the end of the block.

    An empty database is used only if the caller `makes_store`. Without a `clock`, the time is that
    of PostgreSQL; with SQLite that of the `machine`, whose steps are followed when they last.

    Raises:
        BadMasterKey: the master key has no valid form.
        MasterKeyMissing: there is a store, but no master key.
        BadSetting: the data folder, the file store, the bus, or a setting of outbound calls can't
            be used.
        NoStore: the database is empty.
        NotOurSecret: the database was created with another master key.
        StoreUnusable: the database can't be used or reached.
        SchemaTooNew: a newer Hubbub has migrated the database.
    """
    check_addresses(settings)
    _refuse_half_a_store(settings)
    bus_servers = _find_bus_servers(settings)
    rule = parse_rule(settings.outbound_allow)
    check_bases(settings, rule)
    machine = machine or SystemClock()
    kept = SharedClock(machine) if settings.database_url else SteadyClock(machine)
    is_given, clock = clock is not None, clock or kept
    makes_key = not settings.secret_key and not settings.key_path.exists()
    sealer = await open_sealer(settings, clock, makes_store=makes_store)
    outbound = OutboundClient(rule, settings.outbound_ca)
    runtime = _assemble(settings, clock, ids or RandomIds(), sealer, outbound)
    if not is_given:
        runtime.timekeeper = Timekeeper(kept, runtime.database)
    try:
        if not makes_store and not await runtime.database.schema_version():
            raise NoStore("that database")
        await runtime.database.migrate()
        await _settle_master_key(runtime, is_new=makes_key)
        if runtime.timekeeper is not None:
            await runtime.timekeeper.set_clock()
        runtime.bus = runtime.signals.bus = await _join_bus(bus_servers, runtime)
        await answer_other_nodes(runtime)
        follow_ends(runtime)
        runtime.heads.listen(runtime.recent_events.note)
        yield runtime
    finally:
        await runtime.close()


def _assemble(
    settings: Settings, clock: Clock, ids: Ids, sealer: Sealer, outbound: OutboundClient
) -> Runtime:
    """Return the parts of a node, none of which has begun to work."""
    measures, heads, rests, growing = EngineMeasures(), Heads(), Rests(), Growing()
    gate = WriteGate(clock.monotonic)
    database = open_database(settings, clock, measures, heads.note, rests, growing.held, gate)
    return Runtime(
        settings=settings,
        database=database,
        clock=clock,
        ids=ids,
        sealer=sealer,
        threads=Threads(),
        files=open_store(settings.files, settings.data),
        pictures=Threads(),
        outbound=outbound,
        cache=ExpiringCache(clock),
        rates=Rates(clock),
        show=_show,
        measures=measures,
        rests=rests,
        allowances=Allowances(rests),
        frame_allowances=Allowances(rests),
        pieces=Pieces(rests),
        heads=heads,
        growing=growing,
        gate=gate,
    )


def _show(what: MessageView | User) -> bytes:
    """Return a message or a user as JSON, as users are shown them."""
    from hubbub.rest.payloads.render import show  # noqa: PLC0415  # most commands need no shapes

    return show(what)


async def _settle_master_key(runtime: Runtime, *, is_new: bool) -> None:
    """Check the master key; one that was made for a store that another node made is deleted."""
    try:
        await settle_keys(runtime)
    except NotOurSecret:
        if is_new:
            runtime.settings.key_path.unlink()
        raise


def _find_bus_servers(settings: Settings) -> list[NatsServer]:
    if not settings.bus_url or settings.bus_url.startswith(HUB):
        return []
    servers = parse_servers(settings.bus_url)
    if not settings.database_url:
        raise BadSetting(NO_BUS)
    return servers


async def _join_bus(servers: Sequence[NatsServer], runtime: Runtime) -> Bus:
    settings = runtime.settings
    if not settings.bus_url:
        return Alone()
    if settings.bus_url.startswith(HUB):
        bus = open_hub(Path(settings.bus_url.removeprefix(HUB)))
    else:
        # The client takes a fifth of a second to import; most commands and nodes need none.
        from hubbub.bus.nats import open_nats  # noqa: PLC0415

        # Installations that share a server of NATS must not hear each other.
        prefix = f"hubbub.{runtime.sealer.hash('bus')[:16]}"
        bus = open_nats(servers, prefix, settings.outbound_ca)
    await bus.wait_tried()
    return bus


def _refuse_half_a_store(settings: Settings) -> None:
    restoring = settings.data / RESTORING
    if not settings.database_url and restoring.exists() and not settings.sqlite_path.exists():
        raise BadSetting(
            f"A restore into {settings.data} was not completed. Run hubbub restore again, or delete"
            f" {restoring} for a new store."
        )


async def make_first_keys(runtime: Runtime) -> Path | None:
    """At the first start, create an app and management credentials; return the file with them.

    The file is written before the credentials are stored, so a crash can't leave an installation
    with unknown credentials.
    """
    if not await is_first_start(runtime):
        return None
    credentials = make_management_credentials(runtime.ids)
    app, keys = await create_app(runtime, name="First app", region="us")
    path = runtime.settings.data / "first-keys.txt"
    _write_secret_file(path, _format_first_keys(credentials, app, keys))
    if not await store_first_credentials(runtime, credentials):  # another node was faster
        await delete_app(runtime, app.id)
        path.unlink()
        return None
    return path


def _format_first_keys(credentials: ManagementCredentials, app: App, keys: Sequence[ApiKey]) -> str:
    lines = [
        "# Created at the first start. Keep this file secret, or move it to a safe place.",
        "# For management calls (/apps), the headers key and secret:",
        f"key: {credentials.key}",
        f"secret: {credentials.secret}",
        "",
        "# The first app and its API keys (header apikey):",
        f"app: {app.id}",
        *(f"{key.scope}: {key.api_key}" for key in keys),
        "",
    ]
    return "\n".join(lines)


def _write_secret_file(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
