"""Register, list and unregister the push tokens of users.

An auth token says which user, and which of their devices, a push token is for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import NotOwnUser, access_actor
from hubbub.domain.identity.read_jwt import is_jwt
from hubbub.domain.notifications.settings.preferences import check_time_zone, store_choices
from hubbub.domain.notifications.settings.subscriptions import encode_subscription
from hubbub.kernel.text import MASK
from hubbub.outbox import lock_counters
from hubbub.records.devices import store
from hubbub.records.devices.model import MOST_DEVICES, PushDevice, StoredSubscription
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
    token: str | StoredSubscription
    provider_id: str | None = None
    timezone: str | None = None


@dataclass(frozen=True, slots=True)
class ShownDevice:
    """A device, and the auth token with which it was registered."""

    device: PushDevice
    auth_token: str


async def register_device(runtime: Runtime, app_id: str, actor: Actor, given: Registration) -> None:
    """Register a push token for the user of an auth token; a time zone becomes the user's.

    It replaces the push token of the same auth token and kind, and leaves another user who had it.
    If the user has 100, the one that was registered first is dropped.

    Raises:
        AuthTokenNotFound: no active user has the auth token.
        NotOwnUser: it is not of the user who acts.
        BadInput: the time zone does not exist, or the subscription is not valid.
    """
    check_time_zone(given.timezone)
    token = given.token
    if isinstance(token, StoredSubscription):
        token = encode_subscription(runtime.outbound, token)
    now = runtime.clock.milliseconds()

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        uid = (await _access_bearer(tx, runtime, actor, given.auth_token)).uid
        device = PushDevice(
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


async def _replace_device(tx: Transaction, device: PushDevice) -> None:
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
    runtime: Runtime, app_id: str, actor: Actor, auth_token: str, *, is_for_all: bool
) -> list[ShownDevice]:
    """Return the devices of an auth token, or all of its user, the latest registration first.

    Raises:
        AuthTokenNotFound: no active user has the auth token.
        NotOwnUser: it is not of the user who acts.
    """

    async def within(snapshot: Snapshot) -> list[ShownDevice]:
        bearer = await _access_bearer(snapshot, runtime, actor, auth_token)
        found = await _find_devices(snapshot, runtime, bearer, is_for_all=is_for_all)
        return await _show_devices(snapshot, runtime, actor, found)

    return await runtime.database.read(app_id, within, user=actor.uid)


async def unregister_devices(
    runtime: Runtime, app_id: str, actor: Actor, auth_token: str, *, is_for_all: bool
) -> list[ShownDevice]:
    """Unregister the devices of an auth token, or all of its user; return them.

    Raises:
        AuthTokenNotFound: no active user has the auth token.
        NotOwnUser: it is not of the user who acts.
    """

    async def within(tx: Transaction) -> list[ShownDevice]:
        await lock_counters(tx)
        bearer = await _access_bearer(tx, runtime, actor, auth_token)
        found = await _find_devices(tx, runtime, bearer, is_for_all=is_for_all)
        return await _unregister(tx, runtime, actor, found)

    return await runtime.database.write(app_id, within)


async def unregister_token(
    runtime: Runtime, app_id: str, actor: Actor, auth_token: str, push_token: str
) -> list[ShownDevice]:
    """Unregister a push token of the user of an auth token; return it, or nothing if unknown.

    Raises:
        AuthTokenNotFound: no active user has the auth token.
        NotOwnUser: it is not of the user who acts.
    """

    async def within(tx: Transaction) -> list[ShownDevice]:
        await lock_counters(tx)
        bearer = await _access_bearer(tx, runtime, actor, auth_token)
        found = await _find_devices(tx, runtime, bearer, is_for_all=True)
        named = [device for device in found if device.shown_token == push_token]
        return await _unregister(tx, runtime, actor, named)

    return await runtime.database.write(app_id, within)


async def _unregister(
    tx: Transaction, runtime: Runtime, actor: Actor, devices: Sequence[PushDevice]
) -> list[ShownDevice]:
    shown = await _show_devices(tx, runtime, actor, devices)
    await store.delete_devices(tx, [device.token for device in devices])
    return shown


async def _find_devices(
    snapshot: Snapshot, runtime: Runtime, bearer: AuthToken, *, is_for_all: bool
) -> list[PushDevice]:
    devices = await store.list_devices(snapshot, [bearer.uid])
    if is_for_all:
        return devices
    auth_hash = runtime.sealer.hash(bearer.auth_token)
    return [device for device in devices if device.auth_hash == auth_hash]


async def _show_devices(
    snapshot: Snapshot, runtime: Runtime, actor: Actor, devices: Sequence[PushDevice]
) -> list[ShownDevice]:
    if not actor.is_app:  # a stolen token must not show the other ones of its user
        return [ShownDevice(device, MASK) for device in devices]
    hashes = {device.auth_hash for device in devices}
    auth_tokens = await open_tokens(snapshot, runtime.sealer, hashes)
    # A node of the version before, which knows no devices, may have revoked an auth token.
    return [ShownDevice(device, auth_tokens.get(device.auth_hash, "")) for device in devices]


async def _access_bearer(
    snapshot: Snapshot, runtime: Runtime, actor: Actor, auth_token: str
) -> AuthToken:
    """Return an auth token of an active user; a user who acts has it themselves.

    A JWT is stored nowhere: only who calls with it can name it.
    """
    person = await access_actor(snapshot, actor)
    if actor.jwt is not None and is_jwt(auth_token):
        if runtime.sealer.hash(f"{snapshot.app_id} {auth_token}") != actor.jwt:
            raise AuthTokenNotFound
        return AuthToken(person.user.uid, auth_token, 0)
    token = await find_token(snapshot, runtime.sealer, auth_token)
    user = await find_user(snapshot, token.uid) if token else None
    if token is None or user is None or not user.is_active:
        raise AuthTokenNotFound
    if not (actor.is_app or token.uid == actor.uid):
        raise NotOwnUser(actor.name, token.uid)
    return token
