"""Messages as most are: nothing but a row of `messages` says what they say.

They are composed once, when they are staged. Then their lines need not be taken apart again: they
are stored, and compared, as they were composed.
"""

import msgspec

from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.imports.times import check_sent_at
from hubbub.domain.messages.compose import MessageInput, compose
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import SYSTEM_UID
from hubbub.moving.compare import is_compared_whole
from hubbub.moving.lines import Line, MessageLine, PlainLine
from hubbub.records.messages.model import Draft, ImportedPast, WholeMessage

_decode_data = msgspec.json.Decoder(dict[str, object]).decode


def find_traits(line: Line, body: bytes) -> int | None:
    """Return the traits of a plain message; None if a line, or its JSON `body`, says more.

    None, too, if it is not valid: why is said when it is carried out.
    """
    if not isinstance(line, MessageLine) or not _is_plain(line) or b"<@" in body:
        return None
    given = MessageInput(
        receiver=line.receiver,
        receiver_type=line.receiver_type,
        category=line.category,
        type=line.message_type,
        data=line.data,
        muid=line.muid,
    )
    try:
        return compose(APP if line.sender == SYSTEM_UID else Actor(line.sender), given).traits
    except BadInput:
        return None


def _is_plain(line: MessageLine) -> bool:
    says_more = line.tags, line.parent_muid, line.quoted_muid, line.edited_at, line.pinned_at
    return says_more == _NOTHING and line.data != {} and is_compared_whole(line)


_NOTHING = (None,) * 5


def draft_of_plain(line: PlainLine, now: int) -> Draft:
    """Return the draft of a plain message, as it was composed.

    Raises:
        BadInput: it is not valid now.
    """
    check_sent_at(line.sent_at, now)
    return Draft(
        sender=line.sender,
        receiver_type=line.receiver_type,
        receiver=line.receiver,
        category=line.category,
        type=line.message_type,
        data=bytes(line.data).decode(),
        muid=line.muid,
        traits=line.traits,
        imported=ImportedPast(line.sent_at, line.delivered_at, line.read_at),
    )


def stored_as(line: PlainLine) -> WholeMessage:
    """Return what is stored of a plain message."""
    return WholeMessage(
        sender=line.sender,
        muid=line.muid,
        receiver_type=line.receiver_type,
        receiver=line.receiver,
        category=line.category,
        type=line.message_type,
        data=bytes(line.data).decode(),
        sent_at=line.sent_at,
        delivered_at=line.delivered_at,
        read_at=line.read_at,
    )


def message_line(line: PlainLine) -> MessageLine:
    """Return a plain message as the line of any message."""
    return MessageLine(
        muid=line.muid,
        sender=line.sender,
        receiver_type=line.receiver_type,  # type: ignore[arg-type]  # checked when staged
        receiver=line.receiver,
        sent_at=line.sent_at,
        category=line.category,
        message_type=line.message_type,
        data=_decode_data(line.data) or None,
        delivered_at=line.delivered_at,
        read_at=line.read_at,
    )
