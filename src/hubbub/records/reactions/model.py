"""Reactions, and the refusals about them."""

from dataclasses import dataclass

from hubbub.kernel.errors import LimitReached

MOST_KINDS = 100
"""The limit of different reactions to a message; the number of users per reaction has none."""


class TooManyReactions(LimitReached):
    """The message has reached the limit of different reactions."""

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The message with id {message_id} has {MOST_KINDS} different reactions already.",
            details={"reaction": [f"The limit is {MOST_KINDS} different reactions per message."]},
        )


@dataclass(frozen=True, slots=True)
class Reaction:
    """A user's reaction; `number` is its id, and the number of its event."""

    message: int
    reaction: str
    uid: str
    number: int
    reacted_at: int

    @property
    def key(self) -> tuple[int, str, str]:
        """The message, the reaction and the user, which are unique together."""
        return self.message, self.reaction, self.uid
