"""Kept numbers and recounted ones."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredApp:
    """An app that has rows; an archived one is not accessible, and is erased later."""

    id: str
    is_archived: bool


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers of an app's rows."""

    users: int
    groups: int
    messages: int
    files: int


@dataclass(frozen=True, slots=True)
class KeptNumbers:
    """What the counters of an app say."""

    users: int
    groups: int
    message: int
    event: int
    conversation: int
    sent_at: int
    """The time of the newest message, unless it was imported."""


@dataclass(frozen=True, slots=True)
class SampledConversation:
    """A conversation whose counts are compared; with its group, if it is that of a group."""

    number: int
    counted: int
    left_id: str
    right_id: str
    left_own: int
    right_own: int
    guid: str | None
    members_count: int | None

    def own_of(self, uid: str) -> int:
        """Return the number of a user's messages that the conversation counts."""
        if uid == self.left_id:
            return self.left_own
        return self.right_own if uid == self.right_id else 0


@dataclass(frozen=True, slots=True)
class SampledParticipant:
    """A participant, up to where they have read, and what was counted then."""

    uid: str
    read_id: int
    read_count: int
    own: int

    def unread_in(self, conversation: SampledConversation) -> int:
        """Return the number of unread messages that the user is shown."""
        own = self.own + conversation.own_of(self.uid)
        return max(0, conversation.counted - self.read_count - own)


@dataclass(frozen=True, slots=True)
class Difference:
    """A kept number that differs from the rows."""

    what: str
    kept: int
    found: int

    def __str__(self) -> str:
        return f"{self.what}: kept {self.kept:,}, there are {self.found:,}"
