"""Which times an imported message may have, and what happened to it."""

from hubbub.kernel.clock import MOST_IMPORTED_AHEAD_SECONDS
from hubbub.kernel.errors import BadInput


def check_sent_at(sent_at: int, now: int) -> None:
    """Check that a message was sent already.

    Raises:
        BadInput: its time is to come.
    """
    check_time("sentAt", sent_at, sent_at=sent_at, now=now)


def check_time(name: str, at: int | None, *, sent_at: int, now: int) -> None:
    """Check that something happened after its message was sent, and is not to come.

    Raises:
        BadInput: it did not.
    """
    refusal = refuse_time(name, at, sent_at=sent_at, now=now)
    if refusal is not None:
        raise refusal


def refuse_time(name: str, at: int | None, *, sent_at: int, now: int) -> BadInput | None:
    """Return why something can't have happened at a time to a message; None if it can."""
    if at is not None and at < sent_at:
        return BadInput.field(name, f"The {name} is before the sentAt of the message.")
    if at is not None and at > now + MOST_IMPORTED_AHEAD_SECONDS:
        return BadInput.field(name, f"The {name} is more than five minutes in the future.")
    return None
