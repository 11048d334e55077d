"""Reminders of messages, and the refusals about them."""

from dataclasses import dataclass

from hubbub.kernel.errors import LimitReached

REMINDERS = "reminders"
"""The kind of the queue of reminders."""


class TooManyReminders(LimitReached):
    """The user has as many reminders as they may have."""

    def __init__(self, uid: str, limit: int) -> None:
        super().__init__(
            f"The user with UID {uid} has {limit:,} reminders already.",
            details={"at": [f"The limit is {limit:,} reminders per user."]},
        )


@dataclass(frozen=True, slots=True)
class Reminder:
    """A row of `reminders`: a user is reminded of a message. Times in seconds."""

    uid: str
    message: int
    remind_at: int
    due_at: int
    """When the user is told, or that is tried again, in milliseconds."""
    created_at: int

    @property
    def key(self) -> tuple[str, int]:
        """Return what tells it from others: a user has one reminder of a message."""
        return self.uid, self.message
