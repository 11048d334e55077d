"""Entries of the log of notifications about an event."""

from typing import Any

from hubbub.records.notices.model import About
from hubbub.records.notifications.logs import LogEntry

PUSH = "push"
"""The channel; the others are those of `records/notices/model.py`."""


def logged(about: About, uid: str, channel: str, **fields: Any) -> LogEntry:
    """Return an entry of the log about an event, with further fields."""
    return LogEntry(
        uid=uid,
        channel=channel,
        trigger=about.trigger,
        message_id=about.message_id or None,
        message_sent_at_ms=about.sent_at or None,
        message_category=about.category or None,
        message_type=about.type or None,
        sender=about.sender or None,
        receiver=about.receiver or None,
        receiver_type=about.receiver_type or None,
        reaction_id=about.reaction_id or None,
        reaction_sender=about.reaction_sender or None,
        reaction_receiver=about.reaction_receiver or None,
        **fields,
    )
