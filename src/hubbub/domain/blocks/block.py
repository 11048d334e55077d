"""Block users: neither can write to the other from then on."""

from collections.abc import Sequence

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters
from hubbub.records.blocks import store
from hubbub.records.blocks.events import UserBlocked
from hubbub.records.blocks.model import Block, CannotBlockSelf
from hubbub.records.users.model import UidNotFound, User
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def block_users(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, others: Sequence[str]
) -> dict[str, Refusal | None]:
    """Block each of `others` for a user.

    Return a refusal for each; None if blocked, also if it was already blocked.

    Raises:
        UidNotFound, FeatureRestricted: the user does not exist, or their role forbids it.
        NotOwnUser: another user acts.
    """

    async def within(tx: Transaction) -> dict[str, Refusal | None]:
        await lock_counters(tx)
        await access_own(tx, actor, uid)
        users = await find_users(tx, others)
        outcomes = {other: _refusal(uid, other, users.get(other)) for other in others}
        willing = [other for other, refusal in outcomes.items() if refusal is None]
        blocked = await store.find_blocks(tx, [(uid, other) for other in willing])
        new = [other for other in willing if (uid, other) not in blocked]
        if new:
            now = runtime.clock.now()
            await store.insert_blocks(tx, [Block(uid, other, now) for other in new])
            tx.announce(UserBlocked(uid, new, actor.name, now))
        return outcomes

    return await runtime.database.write(app_id, within)


def _refusal(uid: str, other: str, user: User | None) -> Refusal | None:
    if other == uid:
        return CannotBlockSelf(uid)
    if user is None or not user.is_active:
        return UidNotFound(other)
    return None
