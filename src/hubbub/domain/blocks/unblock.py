"""Unblock users: both can write again, unless the other has blocked, too."""

from collections.abc import Sequence

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters
from hubbub.records.blocks import store
from hubbub.records.blocks.events import UserUnblocked
from hubbub.records.blocks.model import CannotBlockSelf
from hubbub.records.users.model import UidNotFound, User
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def unblock_users(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, others: Sequence[str]
) -> dict[str, Refusal | None]:
    """Unblock each of `others` for a user.

    Return a refusal for each; None if unblocked, also if it was not blocked.

    Raises:
        UidNotFound, FeatureRestricted: the user does not exist, or their role forbids it.
        NotOwnUser: another user acts.
    """

    async def within(tx: Transaction) -> dict[str, Refusal | None]:
        await lock_counters(tx)
        await access_own(tx, actor, uid)
        users = await find_users(tx, others)
        blocks = await store.find_blocks(tx, [(uid, other) for other in others])
        blocked = [other for _, other in blocks]
        if blocked:
            await store.delete_blocks(tx, uid, blocked)
            tx.announce(UserUnblocked(uid, blocked, actor.name, runtime.clock.now()))
        return {other: _refusal(uid, other, users.get(other)) for other in others}

    return await runtime.database.write(app_id, within)


def _refusal(uid: str, other: str, user: User | None) -> Refusal | None:
    """Return why there can be no block; deactivated users may be blocked."""
    if other == uid:
        return CannotBlockSelf(uid)
    if user is None or user.deleted_at is not None:
        return UidNotFound(other)
    return None
