"""What a claim to be carried out once is, what is kept for it, and what can be wrong about one."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import msgspec

from hubbub.kernel.errors import BadInput, Conflict, Unavailable

LONGEST_KEY = 255
KEPT_SECONDS = 24 * 3600
USER, GROUP, MESSAGE = KINDS = ("user", "group", "message")

Named = tuple[str, str]
"""One of these kinds, and an id."""


class BadIdempotencyKey(BadInput):
    """The key has no acceptable form."""

    def __init__(self) -> None:
        super().__init__(
            "The idempotency key has no acceptable form.",
            details={
                "Idempotency-Key": [
                    f"The key must be 1 to {LONGEST_KEY} characters, without control characters."
                ]
            },
        )


class IdempotencyKeyReused(Conflict):
    """The key was used before, for something else."""

    code = "ERR_IDEMPOTENCY_KEY_REUSED"

    def __init__(self) -> None:
        super().__init__(
            "The Idempotency-Key was used before, with another body.",
            dev_message="Repeat the first request as it was, or make a new key for a new one.",
        )


class CarriedOutElsewhere(Unavailable):
    """Another call with the key was quicker; its answer is there now, or will be at once."""

    def __init__(self) -> None:
        super().__init__("Another call with this Idempotency-Key is being carried out.")


@dataclass(frozen=True, slots=True)
class Claim:
    """What is to be carried out once: both hashes are keyed.

    `hash` is of who does what to what under which key, `request` of all else that was asked.
    """

    app_id: str
    """The app that the key belongs to; empty for management calls, whatever app they are about."""
    hash: str
    request: str
    named: Collection[Named] = ()
    """Whom and what its path names."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody or something that an answer is about; `number` is never another one's."""

    kind: str
    id: str
    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call was answered with: JSON, and headers of its own; and what it is about."""

    headers: dict[str, str]
    body: msgspec.Raw
    about: Sequence[Subject] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """The row of a key; the answer is sealed."""

    request: str
    answer: str
    created_at: int

    def is_expired(self, now: int) -> bool:
        """Whether the key is free again, be its row still there."""
        return self.created_at <= now - KEPT_SECONDS


def check_key(key: str) -> None:
    """Refuse a key that is none.

    Raises:
        BadIdempotencyKey: it is empty, too long, or holds control characters.
    """
    is_plain = all(" " <= character < "\x7f" or character >= "\xa0" for character in key)
    if not (0 < len(key) <= LONGEST_KEY and is_plain):
        raise BadIdempotencyKey
