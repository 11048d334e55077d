"""Create, list and delete apps, and the management credentials that permit it."""

import zlib
from dataclasses import dataclass

from hubbub.domain.access.credentials import find_app
from hubbub.domain.keys.manage import make_built_in_keys
from hubbub.kernel.ids import Ids
from hubbub.kernel.pages import Page, PageRequest
from hubbub.kernel.text import SYSTEM_UID, is_app_id
from hubbub.outbox.heads import Position
from hubbub.outbox.log import insert_counters
from hubbub.records.apps import store
from hubbub.records.apps.model import (
    ARCHIVED_SECONDS,
    App,
    AppAlreadyExists,
    AppNotFound,
    BadAppId,
    InvalidApp,
)
from hubbub.records.keys import store as keys_store
from hubbub.records.keys.model import KEY_LENGTH, ApiKey
from hubbub.records.roles.store import insert_default_role
from hubbub.runtime import Runtime
from hubbub.storage.interface import EPOCH_BITS, INSTALLATION, Snapshot, Transaction

ID_LENGTH = 16


async def create_app(
    runtime: Runtime, *, name: str, region: str, app_id: str | None = None, version: str = "3"
) -> tuple[App, list[ApiKey]]:
    """Create an app with its two built-in keys and the role `default`; without an id one is made.

    Raises:
        BadAppId: the id is not a DNS label.
        AppAlreadyExists: the id is taken.
    """
    app_id = runtime.ids.hexadecimal(ID_LENGTH) if app_id is None else app_id
    if not is_app_id(app_id):
        raise BadAppId(app_id)
    now = runtime.clock.now()
    app = App(app_id, name, region, version, SYSTEM_UID, now, None)
    keys = make_built_in_keys(runtime.ids, now)
    epoch = _make_epoch(app_id, now)

    async def within(tx: Transaction) -> None:
        if not await store.insert_app(tx, app):
            raise AppAlreadyExists(app.id)
        await insert_counters(tx, epoch)
        await insert_default_role(tx, now)
        for key in keys:
            await keys_store.insert_key(tx, runtime.sealer, key)

    await runtime.database.write(app.id, within)
    runtime.heads.advance(app.id, Position(epoch, 0))  # an earlier app may have had this id
    return app, keys


def _make_epoch(app_id: str, now: int) -> int:
    """Return the epoch of a new app's log: later than any of an earlier app with its id.

    It is hardly that of another app, whose cursors would be taken for this one's.
    """
    return now << EPOCH_BITS | zlib.crc32(app_id.encode()) % (1 << EPOCH_BITS)


async def get_app(runtime: Runtime, app_id: str) -> tuple[App, list[ApiKey]]:
    """Return an app with its keys.

    Raises:
        AppNotFound: the app does not exist, or was deleted.
    """
    app = await store.find_app(runtime.database, app_id)
    if app is None or app.is_archived:
        raise AppNotFound(app_id)
    return app, await _list_keys(runtime, app)


async def check_app(runtime: Runtime, app_id: str) -> None:
    """Check that an app exists.

    Raises:
        AppNotFound: the app does not exist, or was deleted.
    """
    try:
        await find_app(runtime, app_id)
    except InvalidApp:
        raise AppNotFound(app_id) from None


async def list_apps(
    runtime: Runtime, search: str, page: PageRequest
) -> Page[tuple[App, list[ApiKey]]]:
    """Return a page of the apps that were not deleted, oldest first, with their keys."""
    apps, total = await runtime.database.read(
        INSTALLATION, lambda snapshot: store.list_apps(snapshot, search, page)
    )
    return Page([(app, await _list_keys(runtime, app)) for app in apps], total, page)


async def _list_keys(runtime: Runtime, app: App) -> list[ApiKey]:
    async def keys(snapshot: Snapshot) -> list[ApiKey]:
        return await keys_store.list_keys(snapshot, runtime.sealer)

    return await runtime.database.read(app.id, keys)


async def delete_app(runtime: Runtime, app_id: str) -> int:
    """Archive an app, which makes it unreachable; return when it will be erased.

    Raises:
        AppNotFound: the app does not exist, or was deleted before.
    """
    now = runtime.clock.now()

    async def within(tx: Transaction) -> None:
        if not await store.archive_app(tx, app_id, now):
            raise AppNotFound(app_id)

    await runtime.database.write(INSTALLATION, within)
    runtime.cache.drop(app_id, app_id=app_id)
    return now + ARCHIVED_SECONDS


@dataclass(frozen=True, slots=True)
class ManagementCredentials:
    """The key and the secret that management calls carry."""

    key: str
    secret: str


def make_management_credentials(ids: Ids) -> ManagementCredentials:
    """Return new credentials, which are not valid until they are stored."""
    return ManagementCredentials(ids.hexadecimal(KEY_LENGTH), ids.hexadecimal(KEY_LENGTH))


async def is_first_start(runtime: Runtime) -> bool:
    """Return whether the installation has no management credentials yet."""
    return not await runtime.database.read(INSTALLATION, store.has_management_key)


async def store_first_credentials(runtime: Runtime, credentials: ManagementCredentials) -> bool:
    """Store the first credentials of the installation; return False if it has some already."""
    hash_ = runtime.sealer.hash(credentials.key)
    secret_hash = runtime.sealer.hash(credentials.secret)
    return await runtime.database.write(
        INSTALLATION,
        lambda tx: store.insert_first_management_key(tx, hash_, secret_hash, runtime.clock.now()),
    )
