"""Deactivate and reactivate users: hidden meanwhile; their data is kept."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from functools import partial

from hubbub.domain.parts import parts_of, write_in_parts
from hubbub.domain.presence.batch import end_sessions
from hubbub.kernel.errors import Unavailable
from hubbub.outbox import lock_counters
from hubbub.records.devices.store import delete_devices_of_users
from hubbub.records.users import store
from hubbub.records.users.events import UsersDeactivated, UsersReactivated
from hubbub.records.users.model import User
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

AT_ONCE = 25
"""So many are changed in one transaction: between two of them it is the turn of others."""
Change = Callable[[Runtime, Sequence[str], Transaction], Awaitable[list[str]]]


class NotAllChanged(Unavailable):
    """Some users may have been changed; the call can be made again."""

    def __init__(self) -> None:
        super().__init__(
            "Not all of the users could be changed. Make the call again: it does the rest."
        )


async def deactivate_users(runtime: Runtime, app_id: str, uids: Sequence[str]) -> list[str]:
    """Deactivate users; return those of `uids` that exist, in order."""
    return await _change_in_parts(runtime, app_id, uids, _deactivate)


async def _change_in_parts(
    runtime: Runtime, app_id: str, uids: Sequence[str], change: Change
) -> list[str]:
    """Change some users at a time, and forget their tokens; return who exists, in order.

    Raises:
        NotAllChanged: some were changed, then the store could not be reached.
    """
    present: list[str] = []
    parts = (partial(change, runtime, some) for some in _parts(uids))
    async for found in write_in_parts(runtime, app_id, parts, unfinished=NotAllChanged):
        forget_credentials(runtime, app_id, found)
        present += found
    return present


def _parts(uids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Return some uids at a time, each once; nobody, too, is one part."""
    return parts_of(list(dict.fromkeys(uids)), AT_ONCE) if uids else iter([()])


async def _deactivate(runtime: Runtime, uids: Sequence[str], tx: Transaction) -> list[str]:
    await lock_counters(tx)
    present = await _find_present(tx, uids)
    active = [user for user in present.values() if user.is_active]
    if active:
        now = runtime.clock.now()
        await store_deactivated(tx, active, at=now, now=now)
    return list(present)


async def _find_present(tx: Transaction, uids: Sequence[str]) -> dict[str, User]:
    """Return the users who exist, by uid, in the order of `uids`."""
    found = await store.find_users(tx, uids)
    return {uid: found[uid] for uid in uids if uid in found and found[uid].deleted_at is None}


async def store_deactivated(tx: Transaction, active: Sequence[User], *, at: int, now: int) -> None:
    """Store that active users are deactivated since a time; call `forget_credentials` after it."""
    numbers = await lock_counters(tx)
    uids = [user.uid for user in active]
    await end_sessions(tx, uids, now)
    await delete_devices_of_users(tx, uids)
    await store.set_deactivated(tx, active, at)
    numbers.users -= len(active)
    tx.announce(UsersDeactivated(uids, now))


def forget_credentials(runtime: Runtime, app_id: str, uids: Collection[str]) -> None:
    """Forget what this node keeps in memory of the app, with the tokens of these users.

    To look for their tokens would take longer each time than to look the others up once more.
    """
    if uids:
        runtime.cache.drop_all(app_id)


async def reactivate_users(runtime: Runtime, app_id: str, uids: Sequence[str]) -> list[str]:
    """Reactivate users; return those of `uids` that exist, in order."""
    return await _change_in_parts(runtime, app_id, uids, _reactivate)


async def _reactivate(runtime: Runtime, uids: Sequence[str], tx: Transaction) -> list[str]:
    numbers = await lock_counters(tx)
    present = await _find_present(tx, uids)
    inactive = [user for user in present.values() if not user.is_active]
    if inactive:
        await store.set_deactivated(tx, inactive, None)
        numbers.users += len(inactive)
        tx.announce(UsersReactivated([user.uid for user in inactive], runtime.clock.now()))
    return list(present)
