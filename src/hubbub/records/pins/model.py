"""What a pin and a saved message are, and what can be wrong about them."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput

BY_APP = ""
"""Who pinned a message, when it was the app itself."""


class TooManyPinnedMessages(BadInput):
    """The conversation has as many pinned messages as it may have."""

    code = "ERR_PINNED_MESSAGES_LIMIT_EXCEEDED"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"The conversation has {limit} pinned messages already.",
            details={"id": [f"The limit is {limit} pinned messages per conversation."]},
        )


class TooManySavedMessages(BadInput):
    """The user has saved as many messages as he may."""

    code = "ERR_SAVED_MESSAGES_LIMIT_EXCEEDED"

    def __init__(self, uid: str, limit: int) -> None:
        super().__init__(
            f"The user with UID {uid} has saved {limit} messages already.",
            details={"id": [f"The limit is {limit} saved messages per user."]},
        )


@dataclass(frozen=True, slots=True)
class Pin:
    """A message that somebody, or the app, has pinned; `number` is that of its event."""

    conversation: int
    message: int
    uid: str
    number: int
    pinned_at: int


@dataclass(frozen=True, slots=True)
class Save:
    """A message that somebody has saved; `number` is how far the log had come."""

    uid: str
    message: int
    number: int
    saved_at: int
