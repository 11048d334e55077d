"""Find the receipts of a message: who got it, who read it, and when."""

from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.records.conversations.model import GROUP
from hubbub.records.conversations.store import list_others
from hubbub.records.messages.model import IS_LATE, Message
from hubbub.records.moderated.model import HELD
from hubbub.records.moderated.store import find_review
from hubbub.records.receipts.model import DELIVERED, READ
from hubbub.records.receipts.store import find_series
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class MessageReceipt:
    """When a message was delivered to a user, and when they read it."""

    uid: str
    delivered_at: int | None
    read_at: int | None


@dataclass(frozen=True, slots=True)
class ReceiptSlice:
    """A slice of the receipts of a message, in order of uids.

    `next_uid` continues the list; it is the last participant looked at, with a receipt or without.
    """

    receipts: list[MessageReceipt]
    next_uid: str | None


async def list_receipts(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, *, after: str, limit: int
) -> ReceiptSlice:
    """Return receipts of all participants but the sender, in order of uids, after a uid.

    Raises:
        UidNotFound: the acting user does not exist.
        MessageIdNotFound: there is no such message, or the acting user may not see it.
    """

    async def within(snapshot: Snapshot) -> ReceiptSlice:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        uids = await list_others(
            snapshot, message.conversation, message.sender, after=after, limit=limit + 1
        )
        has_more = len(uids) > limit
        receipts = await _find_receipts(snapshot, message, uids[:limit])
        return ReceiptSlice(receipts, uids[limit - 1] if has_more else None)

    return await runtime.database.read(app_id, within, user=actor.uid)


async def _find_receipts(
    snapshot: Snapshot, message: Message, uids: list[str]
) -> list[MessageReceipt]:
    keys = [(message.conversation, uid) for uid in uids]
    series = await find_series(snapshot, {key: [message.id] for key in keys})
    since = await _delivered_since(snapshot, message)
    times = {
        key: at
        for key, each in series.items()
        for at in each.times_of([message.id]).values()
        if at >= since
    }
    found = [
        MessageReceipt(
            uid,
            times.get((message.conversation, uid, DELIVERED)),
            times.get((message.conversation, uid, READ)),
        )
        for uid in uids
    ]
    if message.receiver_type != GROUP:  # imported times take precedence
        found = [
            MessageReceipt(
                each.uid, message.delivered_at or each.delivered_at, message.read_at or each.read_at
            )
            for each in found
        ]
    return [each for each in found if each.delivered_at or each.read_at]


async def _delivered_since(snapshot: Snapshot, message: Message) -> int:
    """Return since when a message was delivered: earlier receipts are not about it."""
    if not message.traits & IS_LATE:
        return 0
    review = await find_review(snapshot, HELD, message.id)
    return review.reviewed_at or 0 if review is not None else 0
