"""Make users friends, in both directions at once; end friendships; list friends."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own, access_user
from hubbub.domain.users.find import positions_of
from hubbub.domain.views.users import UserView, view_users
from hubbub.kernel.errors import Refusal
from hubbub.kernel.pages import Page, PageRequest, next_cursor
from hubbub.outbox import lock_counters
from hubbub.records.friends import store
from hubbub.records.friends.events import FriendsAdded, FriendsRemoved
from hubbub.records.friends.model import (
    AlreadyFriend,
    CannotFormSelfRelation,
    NotAFriend,
    TooManyFriends,
)
from hubbub.records.friends.store import list_friends_of
from hubbub.records.settings.model import FRIENDS_PER_USER, settings_of
from hubbub.records.users import listing
from hubbub.records.users.listing import UserFilter
from hubbub.records.users.model import UidNotFound, User
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def befriend(
    runtime: Runtime, app_id: str, uid: str, others: Sequence[str]
) -> dict[str, Refusal | None]:
    """Make a user friends with each of `others`; return a refusal for each, None if accepted.

    A refusal does not affect the others.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
    """

    async def within(tx: Transaction) -> dict[str, Refusal | None]:
        numbers = await lock_counters(tx)  # one at a time: friends are counted, then added
        await access_user(tx, uid)
        most = settings_of(numbers.settings).limit(FRIENDS_PER_USER)
        context = await _find_context(tx, uid, others, most)
        outcomes = {other: context.accept(other) for other in dict.fromkeys(others)}
        new = [other for other, refusal in outcomes.items() if refusal is None]
        if new:
            now = runtime.clock.now()
            await store.insert_friends(tx, uid, new, now)
            tx.announce(FriendsAdded(uid, new, now))
        return outcomes

    return await runtime.database.write(app_id, within)


async def _find_context(
    tx: Transaction, uid: str, others: Sequence[str], most: int
) -> "_FriendContext":
    return _FriendContext(
        uid=uid,
        users=await find_users(tx, others),
        friends=await store.find_friends(tx, [(uid, other) for other in others]),
        counts=await store.count_friends(tx, [uid, *others]),
        most=most,
    )


@dataclass(frozen=True, slots=True)
class _FriendContext:
    """The rows that a call names; the counts include friendships accepted so far."""

    uid: str
    users: Mapping[str, User]
    friends: Collection[store.FriendPair]
    counts: Counter[str]
    most: int
    """The most friends that a user may have."""

    def accept(self, other: str) -> Refusal | None:
        """Accept another friend, or return the refusal."""
        refusal = self._refusal(other)
        if refusal is None:
            self.counts.update((self.uid, other))
        return refusal

    def _refusal(self, other: str) -> Refusal | None:
        if other == self.uid:
            return CannotFormSelfRelation(other)
        user = self.users.get(other)
        if user is None or not user.is_active:
            return UidNotFound(other)
        if (self.uid, other) in self.friends:
            return AlreadyFriend(self.uid, other)
        full = [uid for uid in (self.uid, other) if self.counts[uid] >= self.most]
        return TooManyFriends(full[0], self.most) if full else None


async def unfriend(runtime: Runtime, app_id: str, uid: str, others: Sequence[str]) -> None:
    """End a user's friendships with all of `others`, or with none; these may be deactivated.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        NotAFriend: one of `others` is not a friend.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await access_user(tx, uid)
        removed = list(dict.fromkeys(others))
        friends = await store.find_friends(tx, [(uid, other) for other in removed])
        for other in removed:
            if (uid, other) not in friends:
                raise NotAFriend(uid, other)
        if removed:
            await store.delete_friends(tx, uid, removed)
            tx.announce(FriendsRemoved(uid, removed, runtime.clock.now()))

    await runtime.database.write(app_id, within)


async def list_friends(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    uid: str,
    wanted: UserFilter,
    request: PageRequest,
) -> Page[UserView]:
    """Return a page of the friends of a user that `wanted` describes, newest change first.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        NotOwnUser: another user acts.
    """

    async def within(snapshot: Snapshot) -> Page[UserView]:
        await access_own(snapshot, actor, uid)
        friends = replace(wanted, among=await list_friends_of(snapshot, uid))
        users, total = await listing.list_users(snapshot, friends, request)
        views = await view_users(snapshot, actor.uid, users)
        return Page(views, total, request, next_cursor(positions_of(users), wanted.cursor))

    return await runtime.database.read(app_id, within, user=actor.uid)
