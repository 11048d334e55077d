"""The message that a receipt is about: the last one that it covers, of whom it concerns."""

from collections.abc import Mapping, Sequence

from hubbub.records.conversations.model import GROUP, Conversation
from hubbub.records.conversations.store import find_by_numbers
from hubbub.records.messages.counts import LATEST
from hubbub.records.messages.model import Message
from hubbub.records.messages.store import (
    MessagePosition,
    MessageRange,
    find_last_of_ranges,
    find_message_positions,
)
from hubbub.records.receipts.events import ReceiptEvent
from hubbub.storage.interface import Snapshot

ByConversation = Mapping[int, Sequence[Message]]


def is_about(receipt: ReceiptEvent, message: Message) -> bool:
    """Return whether a receipt is about a message: not about the reader's own, nor a tombstone."""
    if message.is_erased or not receipt.after < message.id <= receipt.upto:
        return False
    sender = _sender_of(receipt)
    return message.sender == sender if sender else message.sender != receipt.not_of


def _sender_of(receipt: ReceiptEvent) -> str:
    """Return the sender whose messages a receipt is about; empty if it is not only one."""
    return (receipt.of or "") if receipt.receiver_type == GROUP else receipt.receiver


async def find_earlier(
    snapshot: Snapshot, receipts: Sequence[ReceiptEvent], found: Mapping[int, Message]
) -> ByConversation:
    """Return the messages of receipts that are not about the last message of their range.

    `found` are these last messages, tombstones among them, by id.
    """
    others = [
        each for each in receipts if each.upto not in found or not is_about(each, found[each.upto])
    ]
    if not others:
        return {}
    conversations = await find_by_numbers(snapshot, [each.conversation for each in others])
    by_number = {each.number: each for each in conversations}
    starts = await find_message_positions(snapshot, [each.after for each in others])
    ranges = [
        _range(each, by_number[each.conversation], starts.get(each.after), found.get(each.upto))
        for each in others
        if each.conversation in by_number
    ]
    messages: dict[int, list[Message]] = {}
    for message in await find_last_of_ranges(snapshot, ranges):
        messages.setdefault(message.conversation, []).append(message)
    return messages


def _range(
    receipt: ReceiptEvent,
    conversation: Conversation,
    after: MessagePosition | None,
    last: Message | None,
) -> MessageRange:
    """Return the range of a receipt; live messages have times in the order of their ids."""
    is_in_order = receipt.after >= conversation.imported_id
    return MessageRange(
        conversation=conversation.number,
        after_id=max(receipt.after, conversation.erased_upto),
        upto_id=receipt.upto,
        from_at=after.sent_at if after is not None and is_in_order else 0,
        upto_at=last.sent_at if last is not None and is_in_order else LATEST,
        sender=_sender_of(receipt),
        other_than=receipt.not_of or "",
    )
