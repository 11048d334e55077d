"""Signals about receipts: they are told to sessions, and stored nowhere."""

import msgspec
from msgspec import Raw


class GroupMarked(msgspec.Struct, frozen=True, tag="group_marked"):
    """A user has read or received messages of a group; for their own sessions."""

    uid: str
    name: str
    """`conversation_read` or `conversation_delivered`."""
    body: Raw
    """The event of that name, as JSON."""
