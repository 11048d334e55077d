"""The table `devices`."""

from collections.abc import Collection

import msgspec

from hubbub.records.devices.model import PushDevice, digest_of
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, device_columns=PushDevice)


async def list_devices(snapshot: Snapshot, uids: Collection[str]) -> list[PushDevice]:
    """Return the devices of users, by uid, the latest registration of each user first."""
    if not uids:
        return []
    return _devices(await snapshot.fetch(SQL.list_devices, uids=list(uids)))


async def list_replaced(snapshot: Snapshot, device: PushDevice) -> list[PushDevice]:
    """Return the devices that a registration replaces.

    That is the same push token, also of another user, and that of the same auth token and kind.
    """
    same = await snapshot.fetch(SQL.find_devices, digests=[digest_of(device.token)])
    of_auth_token = await snapshot.fetch(
        SQL.list_replaced, auth_hash=device.auth_hash, kind=device.kind
    )
    return _devices([*same, *of_auth_token])


async def insert_device(tx: Transaction, device: PushDevice) -> None:
    """Insert a device as the latest of its user; none with its token or place is left."""
    await tx.run(
        SQL.insert_device,
        digest=digest_of(device.token),
        kind=device.kind,
        **msgspec.structs.asdict(device),
    )


async def delete_devices(tx: Transaction, tokens: Collection[str]) -> None:
    """Delete the devices with these push tokens."""
    if tokens:
        await tx.run(SQL.delete_devices, digests=[digest_of(token) for token in tokens])


async def delete_unchanged_devices(tx: Transaction, devices: Collection[PushDevice]) -> None:
    """Delete devices that a gateway has said are gone, unless they were registered again since."""
    rows = [
        {"digest": digest_of(each.token), "uid": each.uid, "updated_at": each.updated_at}
        for each in devices
    ]
    await tx.run_many(SQL.delete_unchanged_device, rows)


async def delete_devices_of_auth_tokens(tx: Transaction, hashes: Collection[str]) -> None:
    """Delete the devices of auth tokens, given by their keyed hashes."""
    await tx.run(SQL.delete_devices_of_auth_tokens, hashes=list(hashes))


async def delete_devices_of_users(tx: Transaction, uids: Collection[str]) -> None:
    """Delete all devices of users."""
    await tx.run(SQL.delete_devices_of_users, uids=list(uids))


def _devices(rows: Collection[Row]) -> list[PushDevice]:
    return [PushDevice(*row) for row in rows]
