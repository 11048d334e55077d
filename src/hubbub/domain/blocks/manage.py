"""Block users, so that neither can write to the other; unblock them; list who is blocked."""

from collections.abc import Sequence

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.domain.views.users import UserView, view_users
from hubbub.kernel.errors import Refusal
from hubbub.kernel.pages import Page, PageRequest, TimeCursor, next_cursor
from hubbub.outbox import lock_counters
from hubbub.records.blocks import store
from hubbub.records.blocks.events import UserBlocked, UserUnblocked
from hubbub.records.blocks.model import Block, CannotBlockSelf
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


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
        active = {each for each, user in users.items() if user.is_active}
        outcomes = {other: _refusal(uid, other, is_known=other in active) for other in others}
        willing = [other for other, refusal in outcomes.items() if refusal is None]
        blocked = await store.find_blocks(tx, [(uid, other) for other in willing])
        new = [other for other in willing if (uid, other) not in blocked]
        if new:
            now = runtime.clock.now()
            await store.insert_blocks(tx, [Block(uid, other, now) for other in new])
            tx.announce(UserBlocked(uid, new, actor.name, now))
        return outcomes

    return await runtime.database.write(app_id, within)


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
        # Deactivated users may be blocked, and stay so: they may be activated again.
        known = {each for each, user in users.items() if user.deleted_at is None}
        return {other: _refusal(uid, other, is_known=other in known) for other in others}

    return await runtime.database.write(app_id, within)


async def list_blocked(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    uid: str,
    request: PageRequest,
    cursor: TimeCursor | None,
) -> Page[UserView]:
    """Return a page of the active users that a user has blocked, newest block first.

    Raises:
        UidNotFound, FeatureRestricted: the user does not exist, or their role forbids it.
        NotOwnUser: another user acts.
    """

    async def within(snapshot: Snapshot) -> Page[UserView]:
        await access_own(snapshot, actor, uid)
        blocks, total = await store.list_blocks(snapshot, uid, request, cursor)
        users = await find_users(snapshot, [each.blocked for each in blocks])
        views = await view_users(snapshot, uid, [users[each.blocked] for each in blocks])
        positions = [(each.blocked_at, each.blocked) for each in blocks]
        return Page(views, total, request, next_cursor(positions, cursor))

    return await runtime.database.read(app_id, within, user=actor.uid)


def _refusal(uid: str, other: str, *, is_known: bool) -> Refusal | None:
    """Return why there can be no block of a user; `is_known` says whether they may have one."""
    if other == uid:
        return CannotBlockSelf(uid)
    return None if is_known else UidNotFound(other)
