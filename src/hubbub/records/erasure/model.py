"""What an erasure is: work that is left, as a row."""

from dataclasses import dataclass

SENDER, CONVERSATION = "sender", "conversation"
ENDED = "ended"
"""A conversation of two people who may begin another one: their muids stay used."""
HISTORY, OWN = "history", "own"
"""Of a conversation that goes on: all messages, whose muids stay used; or, of `<number>:<uid>`,
those of one sender."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """Messages of a sender, or of a conversation by number, that go: up to a message id."""

    app_id: str
    kind: str
    subject: str
    upto_message: int
    upto_event: int


def place_of_own(erasure: Erasure) -> tuple[int, str]:
    """The conversation's number, and the sender, of an erasure of kind `own`."""
    number, _, uid = erasure.subject.partition(":")
    return int(number), uid
