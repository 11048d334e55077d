"""End friendships, in both directions."""

from collections.abc import Sequence

from hubbub.domain.access.people import access_user
from hubbub.outbox import lock_counters
from hubbub.records.friends import store
from hubbub.records.friends.events import FriendsRemoved
from hubbub.records.friends.model import NotAFriend
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


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
