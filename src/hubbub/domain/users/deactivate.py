"""Deactivate and reactivate users: hidden meanwhile; their data is kept."""

from collections.abc import Collection, Sequence

from hubbub.domain.presence.end import end_sessions
from hubbub.outbox import lock_counters
from hubbub.records.devices.store import delete_devices_of_users
from hubbub.records.users import store
from hubbub.records.users.events import UsersDeactivated, UsersReactivated
from hubbub.records.users.model import User
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def deactivate_users(runtime: Runtime, app_id: str, uids: Sequence[str]) -> list[str]:
    """Deactivate users; return those of `uids` that exist, in order."""

    async def within(tx: Transaction) -> list[str]:
        await lock_counters(tx)
        found = await store.find_users(tx, uids)
        present = [uid for uid in dict.fromkeys(uids) if uid in found]
        present = [uid for uid in present if found[uid].deleted_at is None]
        active = [found[uid] for uid in present if found[uid].is_active]
        if active:
            now = runtime.clock.now()
            await store_deactivated(tx, active, at=now, now=now)
        return present

    present = await runtime.database.write(app_id, within)
    forget_credentials(runtime, present)
    return present


async def store_deactivated(tx: Transaction, active: Sequence[User], *, at: int, now: int) -> None:
    """Store that active users are deactivated since a time; call `forget_credentials` after it."""
    numbers = await lock_counters(tx)
    uids = [user.uid for user in active]
    await end_sessions(tx, uids, now)
    await delete_devices_of_users(tx, uids)
    await store.set_deactivated(tx, active, at)
    numbers.users -= len(active)
    tx.announce(UsersDeactivated(uids, now))


def forget_credentials(runtime: Runtime, uids: Collection[str]) -> None:
    """Forget the tokens of users that this node keeps in memory."""
    runtime.cache.drop_where(lambda known: getattr(known, "uid", None) in uids)


async def reactivate_users(runtime: Runtime, app_id: str, uids: Sequence[str]) -> list[str]:
    """Reactivate users; return those of `uids` that exist, in order."""

    async def within(tx: Transaction) -> list[str]:
        numbers = await lock_counters(tx)
        found = await store.find_users(tx, uids)
        present = [uid for uid in dict.fromkeys(uids) if uid in found]
        present = [uid for uid in present if found[uid].deleted_at is None]
        inactive = [uid for uid in present if not found[uid].is_active]
        if inactive:
            await store.set_deactivated(tx, [found[uid] for uid in inactive], None)
            numbers.users += len(inactive)
            tx.announce(UsersReactivated(inactive, runtime.clock.now()))
        return present

    return await runtime.database.write(app_id, within)
