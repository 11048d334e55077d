"""Idempotency keys: the claim of a call on its key, and the stored answer."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import msgspec

from hubbub.kernel.errors import BadInput, Conflict, Unavailable

LONGEST_KEY = 255
KEPT_SECONDS = 24 * 3600
USER, GROUP, MESSAGE = KINDS = ("user", "group", "message")

SubjectName = tuple[str, str]
"""One of these kinds, and an id."""


class BadIdempotencyKey(BadInput):
    """The key is empty, too long, or contains control characters."""

    def __init__(self) -> None:
        super().__init__(
            "The idempotency key is not valid.",
            details={
                "Idempotency-Key": [
                    f"The key must be 1 to {LONGEST_KEY} characters, without control characters."
                ]
            },
        )


class IdempotencyKeyReused(Conflict):
    """The key was used before, for another request."""

    code = "ERR_IDEMPOTENCY_KEY_REUSED"

    def __init__(self) -> None:
        super().__init__(
            "The Idempotency-Key was used before, with another body.",
            dev_message="Repeat the first request unchanged, or use a new key for a new request.",
        )


class CarriedOutElsewhere(Unavailable):
    """Another call with the key was faster; its answer is stored now or will be soon."""

    def __init__(self) -> None:
        super().__init__("Another call with this Idempotency-Key is being carried out.")


@dataclass(frozen=True, slots=True)
class Claim:
    """A request to be carried out once, identified by two keyed hashes.

    `hash` covers the caller, the operation and the key; `request` covers all other input.
    """

    app_id: str
    """The app that the key belongs to; empty for management calls, whichever app they concern."""
    hash: str
    request: str
    names: Collection[SubjectName] = ()
    """The users, groups and messages that its path names."""


@dataclass(frozen=True, slots=True)
class AnswerSubject:
    """A user, group or message in an answer; no other one ever has its `number`."""

    kind: str
    id: str
    number: int


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The answer to a call: its own headers, the body as JSON, and the subjects in it.

    It is stored as JSON, with these names of fields.
    """

    headers: dict[str, str]
    body: msgspec.Raw
    about: Sequence[AnswerSubject] = ()


@dataclass(frozen=True, slots=True)
class KeyRow:
    """The row of a key; the answer is sealed."""

    request: str
    answer: str
    created_at: int

    def is_expired(self, now: int) -> bool:
        """Return whether the key is free again, even if its row still exists."""
        return self.created_at <= now - KEPT_SECONDS


def check_key(key: str) -> None:
    """Check the form of a key.

    Raises:
        BadIdempotencyKey: it is empty, too long, or contains control characters.
    """
    is_plain = all(" " <= character < "\x7f" or character >= "\xa0" for character in key)
    if not (0 < len(key) <= LONGEST_KEY and is_plain):
        raise BadIdempotencyKey
