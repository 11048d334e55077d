"""Delete a user: softly, which keeps their messages, or permanently with all their data."""

from hubbub.domain.erasure.erase import request_user_erasure
from hubbub.domain.members.leave import leave_all_groups
from hubbub.domain.presence.batch import end_sessions
from hubbub.domain.tokens.manage import revoke_all
from hubbub.domain.users.deactivate import forget_credentials
from hubbub.outbox import lock_counters
from hubbub.records.blocks.store import delete_blocks_around
from hubbub.records.conversations.store import forget_user
from hubbub.records.devices.store import delete_devices_of_users
from hubbub.records.friends.store import delete_friends_of
from hubbub.records.groups.store import forget_editor
from hubbub.records.imports.store import delete_refusals_naming
from hubbub.records.retention.model import USER
from hubbub.records.retention.store import delete_hold
from hubbub.records.users import store
from hubbub.records.users.events import UserDeleted
from hubbub.records.users.model import UidNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def delete_user(runtime: Runtime, app_id: str, uid: str, *, is_permanent: bool) -> None:
    """Delete a user; their tokens and memberships end at once.

    A softly deleted user is in no look-up and no list, and the uid stays taken. After a permanent
    deletion the uid is free at once; the messages are erased in the background.

    Raises:
        UidNotFound: the user does not exist; a softly deleted user can only be deleted permanently.
    """

    async def within(tx: Transaction) -> None:
        numbers = await lock_counters(tx)
        user = await store.find_user(tx, uid)
        if user is None or (user.deleted_at is not None and not is_permanent):
            raise UidNotFound(uid)
        now = runtime.clock.now()
        if user.is_active:
            numbers.users -= 1
        await end_sessions(tx, [uid], now)
        await revoke_all(tx, runtime, uid)
        await delete_devices_of_users(tx, [uid])
        await leave_all_groups(tx, uid, now)
        await delete_friends_of(tx, uid)
        await delete_blocks_around(tx, uid)
        if is_permanent:
            await forget_user(tx, uid)
            await forget_editor(tx, uid)
            await delete_refusals_naming(tx, uid)
            await delete_hold(tx, USER, uid)
            await request_user_erasure(tx, runtime.clock, uid)
            await store.delete_user(tx, user)
        else:
            await store.set_deleted(tx, user, now)
        tx.announce(UserDeleted(uid, is_permanent, now))

    await runtime.database.write(app_id, within)
    forget_credentials(runtime, app_id, [uid])
