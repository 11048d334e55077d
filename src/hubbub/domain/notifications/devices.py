"""Register, list and unregister the push tokens of users.

An auth token says which user, and which of their devices, a push token is for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from hubbub.domain.notifications.preferences import check_time_zone, store_choices
from hubbub.domain.notifications.subscriptions import encode_subscription
from hubbub.outbox import lock_counters
from hubbub.records.devices import store
from hubbub.records.devices.model import MOST_DEVICES, Device, Subscription
from hubbub.records.notifications.preferences import Choices
from hubbub.records.tokens.model import AuthToken, AuthTokenNotFound
from hubbub.records.tokens.store import find_token, open_tokens
from hubbub.records.users.store import find_user
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


@dataclass(frozen=True, slots=True)
class Registration:
    """A push token to register."""

    auth_token: str
    platform: str
    token: str | Subscription
    provider_id: str | None = None
    timezone: str | None = None


@dataclass(frozen=True, slots=True)
class ShownDevice:
    """A device, and the auth token with which it was registered."""

    device: Device
    auth_token: str


async def register_device(runtime: Runtime, app_id: str, given: Registration) -> None:
    """Register a push token for the user of an auth token; a time zone becomes the user's.

    It replaces the push token of the same auth token and kind, and leaves another user who had it.
    If the user has 100, the one that was registered first is dropped.

    Raises:
        AuthTokenNotFound: no active user has the auth token.
        BadInput: the time zone does not exist, or the subscription is not valid.
    """
    check_time_zone(given.timezone)
    token = given.token
    if isinstance(token, Subscription):
        token = encode_subscription(runtime.outbound, token)
    now = runtime.clock.milliseconds()

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        uid = (await _access_bearer(tx, runtime, given.auth_token)).uid
        device = Device(
            uid=uid,
            platform=given.platform,
            token=token,
            provider_id=given.provider_id,
            auth_hash=runtime.sealer.hash(given.auth_token),
            created_at=now,
            updated_at=now,
        )
        await _replace_device(tx, device)
        if given.timezone is not None:
            await store_choices(tx, uid, Choices(timezone=given.timezone))

    await runtime.database.write(app_id, within)


async def _replace_device(tx: Transaction, device: Device) -> None:
    """Store a device in place of those that it replaces; it keeps the age of the same one."""
    replaced = await store.list_replaced(tx, device)
    await store.delete_devices(tx, {other.token for other in replaced})
    same = [each for each in replaced if (each.uid, each.token) == (device.uid, device.token)]
    if same:
        device = msgspec.structs.replace(device, created_at=same[0].created_at)
    await store.insert_device(tx, device)
    devices = await store.list_devices(tx, [device.uid])
    await store.delete_devices(tx, [oldest.token for oldest in devices[MOST_DEVICES:]])


async def list_devices(
    runtime: Runtime, app_id: str, auth_token: str, *, is_for_all: bool
) -> list[ShownDevice]:
    """Return the devices of an auth token, or all of its user, the latest registration first.

    Raises:
        AuthTokenNotFound: no active user has the auth token.
    """

    async def within(snapshot: Snapshot) -> list[ShownDevice]:
        bearer = await _access_bearer(snapshot, runtime, auth_token)
        found = await _find_devices(snapshot, runtime, bearer, is_for_all=is_for_all)
        return await _show_devices(snapshot, runtime, found)

    return await runtime.database.read(app_id, within)


async def unregister_devices(
    runtime: Runtime, app_id: str, auth_token: str, *, is_for_all: bool
) -> list[ShownDevice]:
    """Unregister the devices of an auth token, or all of its user; return them.

    Raises:
        AuthTokenNotFound: no active user has the auth token.
    """

    async def within(tx: Transaction) -> list[ShownDevice]:
        await lock_counters(tx)
        bearer = await _access_bearer(tx, runtime, auth_token)
        found = await _find_devices(tx, runtime, bearer, is_for_all=is_for_all)
        return await _unregister(tx, runtime, found)

    return await runtime.database.write(app_id, within)


async def unregister_token(
    runtime: Runtime, app_id: str, auth_token: str, push_token: str
) -> list[ShownDevice]:
    """Unregister a push token of the user of an auth token; return it, or nothing if unknown.

    Raises:
        AuthTokenNotFound: no active user has the auth token.
    """

    async def within(tx: Transaction) -> list[ShownDevice]:
        await lock_counters(tx)
        bearer = await _access_bearer(tx, runtime, auth_token)
        found = await _find_devices(tx, runtime, bearer, is_for_all=True)
        return await _unregister(
            tx, runtime, [device for device in found if device.shown_token == push_token]
        )

    return await runtime.database.write(app_id, within)


async def _unregister(
    tx: Transaction, runtime: Runtime, devices: Sequence[Device]
) -> list[ShownDevice]:
    shown = await _show_devices(tx, runtime, devices)
    await store.delete_devices(tx, [device.token for device in devices])
    return shown


async def _find_devices(
    snapshot: Snapshot, runtime: Runtime, bearer: AuthToken, *, is_for_all: bool
) -> list[Device]:
    devices = await store.list_devices(snapshot, [bearer.uid])
    if is_for_all:
        return devices
    auth_hash = runtime.sealer.hash(bearer.auth_token)
    return [device for device in devices if device.auth_hash == auth_hash]


async def _show_devices(
    snapshot: Snapshot, runtime: Runtime, devices: Sequence[Device]
) -> list[ShownDevice]:
    hashes = {device.auth_hash for device in devices}
    auth_tokens = await open_tokens(snapshot, runtime.sealer, hashes)
    # A node of the version before, which knows no devices, may have revoked an auth token.
    return [ShownDevice(device, auth_tokens.get(device.auth_hash, "")) for device in devices]


async def _access_bearer(snapshot: Snapshot, runtime: Runtime, auth_token: str) -> AuthToken:
    """Return an auth token of an active user."""
    token = await find_token(snapshot, runtime.sealer, auth_token)
    user = await find_user(snapshot, token.uid) if token else None
    if token is None or user is None or not user.is_active:
        raise AuthTokenNotFound
    return token
