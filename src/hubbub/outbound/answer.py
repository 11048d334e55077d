"""The answer of another server, and the pause until it is called again."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime

import msgspec

LONGEST_PAUSE = 86_400.0
JITTER = 0.1
"""The greatest part by which a pause is longer, so that what failed together is not retried so."""
MOST_DIGITS = 9


class Response(msgspec.Struct, frozen=True):
    """What a server answered to a POST."""

    status: int
    headers: Mapping[str, str]
    """By name, in upper or lower case."""
    body: bytes
    """At most the first 64 KB."""

    def read_retry_after(self, now: int) -> float | None:
        """Return the seconds that the header Retry-After asks to wait for; None if it has none."""
        return read_retry_after(self.headers.get("Retry-After", ""), now)


def read_retry_after(text: str, now: int) -> float | None:
    """Return how many seconds a header Retry-After, a number or a date, asks to wait for."""
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS:
        return min(float(text), LONGEST_PAUSE)
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(0.0, at.timestamp() - now), LONGEST_PAUSE)


def find_pause(
    pauses: Sequence[float], tries: int, *, asked: float = 0.0, jitter: float = 0.0
) -> float:
    """Return the pause in seconds after so many earlier tries; the last of `pauses` is repeated.

    It is at least what the server has `asked` for. `jitter`, from 0 to 1, is what a call has of the
    greatest jitter.
    """
    pause = pauses[min(tries, len(pauses) - 1)] if pauses else 0.0
    return min(LONGEST_PAUSE, max(asked, pause * (1 + JITTER * jitter)))
