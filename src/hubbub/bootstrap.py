"""The composition root: from settings to a running node. The only place that picks engines."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import structlog

from hubbub.config import Settings
from hubbub.domain.apps.manage import (
    ManagementCredentials,
    check_master_key,
    create_app,
    delete_app,
    is_first_start,
    make_management_credentials,
    store_first_credentials,
)
from hubbub.domain.apps.model import App
from hubbub.domain.attachments.remove import remove_leftovers
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.erasure.erase_apps import erase_archived_apps
from hubbub.domain.idempotency.prune import prune_keys
from hubbub.domain.keys.model import ApiKey
from hubbub.domain.search.index import index_all
from hubbub.files.store import open_store
from hubbub.kernel.cache import ExpiringCache
from hubbub.kernel.clock import Clock, SystemClock
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.ids import Ids, RandomIds
from hubbub.kernel.rates import Rates
from hubbub.kernel.sealing import Sealer, load_or_make_key_file, parse_master_key
from hubbub.kernel.threads import Threads
from hubbub.outbox import write_announced
from hubbub.runtime import Runtime
from hubbub.storage.interface import Database
from hubbub.storage.postgres import PostgresDatabase
from hubbub.storage.sqlite.database import SqliteDatabase

log = structlog.get_logger()


def open_database(settings: Settings, clock: Clock) -> Database:
    """The engine that the settings name."""
    if settings.database_url:
        return PostgresDatabase(
            settings.database_url,
            write_announced,
            clock,
            connections=settings.database_connections,
        )
    return SqliteDatabase(settings.sqlite_path, write_announced, clock)


def open_sealer(settings: Settings) -> Sealer:
    """The master key of the settings, or of the data folder.

    Raises:
        BadMasterKey: it can't be one.
    """
    if settings.secret_key:
        return Sealer(parse_master_key(settings.secret_key))
    return Sealer(load_or_make_key_file(settings.data / "secret.key"))


@asynccontextmanager
async def open_runtime(
    settings: Settings, clock: Clock | None = None, ids: Ids | None = None
) -> AsyncIterator[Runtime]:
    """The parts of a node on a migrated store, closed cleanly at the end.

    Raises:
        BadMasterKey: the master key can't be one.
        BadSetting: the address of the files can't be one.
        NotOurSecret: the store was made with another one.
        StoreUnusable: the database file is none.
        SchemaTooNew: a newer Hubbub wrote the store.
        Unavailable: the store can't be reached.
    """
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    clock = clock or SystemClock()
    runtime = Runtime(
        settings=settings,
        database=open_database(settings, clock),
        clock=clock,
        ids=ids or RandomIds(),
        sealer=open_sealer(settings),
        threads=Threads(),
        files=open_store(settings.files, settings.data),
        pictures=Threads(),
        known=ExpiringCache(clock),
        rates=Rates(clock),
    )
    try:
        await runtime.database.migrate()
        await check_master_key(runtime)
        yield runtime
    finally:
        await runtime.close()


async def make_first_keys(runtime: Runtime) -> Path | None:
    """At the first start: an app and management credentials, written to `first-keys.txt`.

    The file is written before the credentials are stored, so that no crash leaves an installation
    whose credentials nobody knows.
    """
    if not await is_first_start(runtime):
        return None
    credentials = make_management_credentials(runtime.ids)
    app, keys = await create_app(runtime, name="First app", region="us")
    path = runtime.settings.data / "first-keys.txt"
    _write_secret_file(path, _first_keys(credentials, app, keys))
    if not await store_first_credentials(runtime, credentials):  # another node was quicker
        await delete_app(runtime, app.id)
        path.unlink()
        return None
    return path


def _first_keys(credentials: ManagementCredentials, app: App, keys: Sequence[ApiKey]) -> str:
    lines = [
        "# Made at the first start. Keep this file secret, or move it to a safe place.",
        "# Management calls (/apps) carry the headers key and secret:",
        f"key: {credentials.key}",
        f"secret: {credentials.secret}",
        "",
        "# The first app, and its API keys (header apikey):",
        f"app: {app.id}",
        *(f"{key.scope}: {key.api_key}" for key in keys),
        "",
    ]
    return "\n".join(lines)


def _write_secret_file(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)


@asynccontextmanager
async def running_workers(runtime: Runtime) -> AsyncIterator[None]:
    """The loops that work in the background, for as long as the node runs."""
    workers = [
        asyncio.create_task(_repeat(runtime, work, seconds)) for work, seconds in BACKGROUND.items()
    ]
    try:
        yield
    finally:
        for worker in workers:
            worker.cancel()
        for worker in workers:
            with suppress(asyncio.CancelledError):
                await worker


async def _tend(runtime: Runtime) -> None:
    await runtime.database.tend()


async def _erase(runtime: Runtime) -> None:
    await erase_all(runtime)
    await erase_archived_apps(runtime)


BACKGROUND: Mapping[Callable[[Runtime], Awaitable[None]], float] = {
    _erase: 1.0,
    _tend: 1.0,
    index_all: 1.0,
    remove_leftovers: 5.0,
    prune_keys: 300.0,
}
"""What is done again and again, each so many seconds after it was done last."""


async def _repeat(
    runtime: Runtime, work: Callable[[Runtime], Awaitable[None]], seconds: float
) -> None:
    """Do it for ever; what fails is tried again, and keeps nothing else from being done."""
    while True:
        try:
            await work(runtime)
        except Unavailable as failure:
            log.warning("postponed", work=work.__name__, reason=failure.message)
        except Exception as defect:
            log.error("background_defect", work=work.__name__, exc_info=defect)
        await asyncio.sleep(seconds)
