"""Pinned and saved messages, and the refusals about them."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput

BY_APP = ""
"""The uid of a pin that the app made."""


class TooManyPinnedMessages(BadInput):
    """The conversation has reached the limit of pinned messages."""

    code = "ERR_PINNED_MESSAGES_LIMIT_EXCEEDED"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"The conversation has {limit} pinned messages already.",
            details={"id": [f"The limit is {limit} pinned messages per conversation."]},
        )


class TooManySavedMessages(BadInput):
    """The user has reached the limit of saved messages."""

    code = "ERR_SAVED_MESSAGES_LIMIT_EXCEEDED"

    def __init__(self, uid: str, limit: int) -> None:
        super().__init__(
            f"The user with UID {uid} has saved {limit} messages already.",
            details={"id": [f"The limit is {limit} saved messages per user."]},
        )


@dataclass(frozen=True, slots=True)
class Pin:
    """A message that a user, or the app, has pinned; `number` is the number of the event."""

    conversation: int
    message: int
    uid: str
    number: int
    pinned_at: int


@dataclass(frozen=True, slots=True)
class Save:
    """A message that a user has saved; `number` is the latest event number at that time."""

    uid: str
    message: int
    number: int
    saved_at: int
