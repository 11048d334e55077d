"""An erasure: a request, stored as a row, to delete rows in the background."""

from dataclasses import dataclass
from typing import Self

SENDER, CONVERSATION = "sender", "conversation"
"""All that a permanently deleted user left; all of a deleted conversation."""
ENDED = "ended"
"""A conversation of two users, who may begin another one: its muids stay used."""
HISTORY = "history"
"""All messages of a conversation that continues: their muids stay used."""
OWN = "own"
"""The messages of one sender in a conversation that continues: they leave tombstones."""

TRACES = "traces"
"""What is left of a user in the log, and of a user or a group in the bodies of deliveries. Both are
searched from the newest event to the oldest: `upto_event` is how far that has come."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """What to erase: nothing newer than the message and the event that it reaches up to."""

    app_id: str
    kind: str
    subject: str
    """The sender's uid, or the conversation's number; of kind `own` an encoded `OwnMessages`,
    of kind `traces` an encoded `Shown`."""
    upto_message: int
    upto_event: int


@dataclass(frozen=True, slots=True)
class OwnMessages:
    """The messages of one sender in one conversation."""

    conversation: int
    uid: str

    def encode(self) -> str:
        """Return the subject of an erasure, `<conversation>:<uid>`."""
        return f"{self.conversation}:{self.uid}"

    @classmethod
    def decode(cls, subject: str) -> Self:
        """Return what the subject of an erasure of kind `own` says."""
        conversation, _, uid = subject.partition(":")
        return cls(int(conversation), uid)
