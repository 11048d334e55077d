"""What a reaction is, and what can be wrong about one."""

from dataclasses import dataclass

from hubbub.kernel.errors import LimitReached

MOST_KINDS = 100
"""So many different reactions may a message have; how many users give one is not limited."""


class TooManyReactions(LimitReached):
    """The message has as many different reactions as it may have."""

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The message with id {message_id} has {MOST_KINDS} different reactions already.",
            details={"reaction": [f"The limit is {MOST_KINDS} different ones per message."]},
        )


@dataclass(frozen=True, slots=True)
class Reaction:
    """Somebody's reaction; `number` is that of the event that told of it, and its id."""

    message: int
    reaction: str
    uid: str
    number: int
    reacted_at: int

    @property
    def key(self) -> tuple[int, str, str]:
        """What there is only one of: a message, a reaction, a user."""
        return self.message, self.reaction, self.uid
