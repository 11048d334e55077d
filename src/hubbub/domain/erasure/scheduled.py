"""Delete what is scheduled by a user, or for a user or a group, together with them.

Another user or group may have the same id by the time at which it would be sent.
"""

from dataclasses import replace

from hubbub.kernel.errors import Refusal
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.scheduled import store
from hubbub.records.scheduled.events import not_sent_event
from hubbub.records.scheduled.model import FAILED, PENDING, failure_of
from hubbub.records.users.model import UidNotFound
from hubbub.storage.interface import Transaction


async def forget_scheduled_of_user(tx: Transaction, uid: str, now: int) -> None:
    """Delete what a user has scheduled, and what is for them; the counters are locked."""
    await store.delete_of_sender(tx, uid)
    await _forget(tx, USER, uid, UidNotFound(uid), now)


async def forget_scheduled_to_group(tx: Transaction, guid: str, now: int) -> None:
    """Delete what is scheduled for a group; the counters are locked."""
    await _forget(tx, GROUP, guid, GuidNotFound(guid), now)


async def _forget(
    tx: Transaction, receiver_type: str, receiver: str, refusal: Refusal, now: int
) -> None:
    """Delete messages to a receiver, and announce to their authors that they are not sent."""
    found = await store.list_to_receiver(tx, receiver_type, receiver)
    for each in found:
        if each.status == PENDING:
            failed = replace(each, **failure_of(refusal, now), status=FAILED)
            tx.announce(not_sent_event(failed, now))
    await store.delete_scheduled(tx, [each.id for each in found])
