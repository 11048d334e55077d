"""Write how far people have read."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from hubbub.moving.export.writing import Exporting
from hubbub.moving.lines import ReceiptLine
from hubbub.moving.stored.messages import muid_of
from hubbub.records.conversations.model import GROUP, Participant
from hubbub.records.conversations.store import Mark, list_marks, list_marks_in, list_marks_of
from hubbub.records.messages.model import ACTION, OF_MESSAGE, Message
from hubbub.records.messages.store import CarriedUpTo, find_in_conversations, find_last_carried
from hubbub.records.receipts.model import READ
from hubbub.records.receipts.store import find_series
from hubbub.storage.interface import Snapshot


async def sort_receipts(writing: Exporting) -> None:
    """Sort the read positions of all participants of an app."""
    async for marks in writing.pages(list_marks, (0, ""), lambda mark: _pair(mark[0])):
        await _sort(writing, marks)


def _pair(participant: Participant) -> tuple[int, str]:
    return participant.conversation, participant.uid


async def sort_receipts_in(writing: Exporting, number: int) -> None:
    """Sort the read positions of the participants of a conversation."""
    in_it = partial(list_marks_in, number=number)
    async for marks in writing.pages(in_it, "", lambda mark: mark[0].uid):
        await _sort(writing, marks)


async def sort_receipts_of(writing: Exporting, uid: str) -> None:
    """Sort the read positions of a user."""
    of_user = partial(list_marks_of, uid=uid)
    async for marks in writing.pages(of_user, 0, lambda mark: mark[0].conversation):
        await _sort(writing, marks)


async def _sort(writing: Exporting, marks: Sequence[Mark]) -> None:
    since, until = writing.selection.since, writing.selection.until
    found, times = await writing.read(lambda tx: _look_up(tx, marks, until))
    for participant, key in marks:
        message = found.get(_pair(participant))
        if message is None or message.sent_at < since:
            continue
        kind, left, right = key
        other = right if kind != GROUP and left == participant.uid else left
        writing.name_user(participant.uid)
        writing.name_user(message.sender)
        writing.sort(
            ReceiptLine(
                receiver_type=kind,  # type: ignore[arg-type]  # checked when it was stored
                receiver=other,
                uid=participant.uid,
                read_up_to=muid_of(message),
                sender=message.sender,
                at=times.get(_pair(participant), message.sent_at),
            )
        )


Positions = dict[tuple[int, str], Message]


async def _look_up(
    snapshot: Snapshot, marks: Sequence[Mark], until: int
) -> tuple[Positions, dict[tuple[int, str], int]]:
    """Return the messages up to which people have read, and the times at which they did.

    That is the message at their position, or if it is not carried, or too new, the last one before.
    """
    participants = [participant for participant, _ in marks]
    at_position = await find_in_conversations(snapshot, [each.read_id for each in participants])
    found: Positions = {}
    before: dict[tuple[int, str], CarriedUpTo] = {}
    for each in participants:
        message = at_position.get(each.read_id)
        if message is not None and message.conversation != each.conversation:
            message = None
        pair = _pair(each)
        if message is not None and message.sent_at < until and _is_carried(message):
            found[pair] = message
        else:
            upto_at = until - 1 if message is None else min(message.sent_at, until - 1)
            before[pair] = CarriedUpTo(each.conversation, upto_at, each.read_id)
    others = await find_last_carried(snapshot, list(before.values()))
    found |= {pair: others[where] for pair, where in before.items() if where in others}
    return found, await _find_times(snapshot, participants, found)


def _is_carried(message: Message) -> bool:
    is_notice = message.category == ACTION and message.type == OF_MESSAGE
    return not (message.is_erased or is_notice)


async def _find_times(
    snapshot: Snapshot, participants: Sequence[Participant], found: Positions
) -> dict[tuple[int, str], int]:
    wanted: Any = {pair: [message.id] for pair, message in found.items()}
    series = await find_series(snapshot, wanted) if wanted else {}
    times: dict[tuple[int, str], int] = {}
    for pair, message in found.items():
        receipts = series.get((*pair, READ))
        if receipts is not None:
            at = receipts.times_of([message.id]).get(message.id)
            if at is not None:
                times[pair] = at
    return times
