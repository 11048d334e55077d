"""What an erasure is: work that is left, as a row."""

from dataclasses import dataclass

SENDER, CONVERSATION = "sender", "conversation"
HISTORY, OWN = "history", "own"
"""Of a conversation that goes on: all messages; or, of `<number>:<uid>`, those of one sender."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """Messages of a sender, or of a conversation by number, that go: up to a message id."""

    app_id: str
    kind: str
    subject: str
    upto_message: int
    upto_event: int
