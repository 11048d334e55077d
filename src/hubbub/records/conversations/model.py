"""What a conversation is, its key, and the id that the wire shows."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput, Forbidden
from hubbub.kernel.text import SYSTEM_UID

USER, GROUP = "user", "group"

ConversationKey = tuple[str, str, str]
"""(kind, left, right): ('user', lesser uid, greater uid) or ('group', guid, '')."""


class TooManyPins(BadInput):
    """The user has pinned as many conversations as he may."""

    code = "ERR_PINNED_CONVERSATIONS_LIMIT_EXCEEDED"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"There are {most} pinned conversations already.",
            details={"conversation": [f"The limit is {most} per user."]},
        )


class TooManySystemPins(BadInput):
    """The app has pinned as many conversations as it may."""

    code = "ERR_SYSTEM_PINNED_CONVERSATIONS_LIMIT_EXCEEDED"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"There are {most} conversations that the app has pinned already.",
            details={"conversation": [f"The limit is {most} per app."]},
        )


class PinnedByApp(Forbidden):
    """What the app has pinned for all, users leave as it is."""

    code = "ERR_SYSTEM_PINNED_CONVERSATION"

    def __init__(self) -> None:
        super().__init__("The app has pinned this conversation for everybody.")


def user_key(one: str, other: str) -> ConversationKey:
    """The key of the conversation of two people."""
    return (USER, one, other) if one <= other else (USER, other, one)


def group_key(guid: str) -> ConversationKey:
    """The key of a group's conversation."""
    return (GROUP, guid, "")


def conversation_id(key: ConversationKey) -> str:
    """The id on the wire; it is not unique, so nothing is ever found by it alone."""
    kind, left, right = key
    return f"group_{left}" if kind == GROUP else f"{left}_user_{right}"


def possible_keys(text: str) -> list[ConversationKey]:
    """The keys of all conversations that a wire id may mean; uids may hold `_user_` themselves."""
    keys = [group_key(text.removeprefix("group_"))] if text.startswith("group_") else []
    at = text.find("_user_")
    while at != -1:
        left, right = text[:at], text[at + len("_user_") :]
        if left and right and left <= right:
            keys.append((USER, left, right))
        at = text.find("_user_", at + 1)
    return keys


@dataclass(slots=True)
class Conversation:
    """A conversation's row; while messages are sent it moves on in memory, then is written."""

    number: int
    kind: str
    left_id: str
    right_id: str
    created_at: int
    updated_at: int
    last_id: int
    shown_id: int
    shown_at: int
    newest_sent_at: int
    counted: int
    imported_id: int = 0
    """The newest message that came by an import: its time may be older than its id."""
    erased_upto: int = 0
    """Nothing up to this message is there for anybody, though its erasure may still be at it."""

    @property
    def key(self) -> ConversationKey:
        return (self.kind, self.left_id, self.right_id)

    def show(self, message_id: int, at: int) -> None:
        """Let that message be the lastMessage, as what came after it is gone; 0: none is."""
        self.shown_id, self.shown_at = message_id, at
        self.updated_at = max(self.created_at, at)

    def other_than(self, uid: str) -> str:
        """With whom, or in which group, somebody speaks here."""
        if self.kind == GROUP or self.right_id == uid:
            return self.left_id
        return self.right_id


@dataclass(slots=True)
class Participant:
    """How far somebody has come in a conversation; while marks are made it moves on in memory.

    Receipts go by message id, counts by ordinal: unread = counted - read_count - own.
    """

    conversation: int
    uid: str
    read_id: int
    read_count: int
    """The ordinal at `read_id`."""
    own: int
    """His own counting messages beyond `read_id`."""
    floor_id: int
    floor_count: int
    """The end of the conversation when he joined, or reset it."""
    hidden_id: int
    """His history begins after it."""
    read_reached: int
    delivered_reached: int
    tags: str

    def unread_in(self, conversation: Conversation) -> int:
        """How many messages he has not read."""
        return max(0, conversation.counted - self.read_count - self.own)


def nobody_in(conversation: Conversation) -> Participant:
    """Who stands for the app itself, which takes part in nothing and sees everything."""
    end, counted = conversation.last_id, conversation.counted
    return Participant(
        conversation.number, SYSTEM_UID, end, counted, 0, 0, 0, 0, end, end, tags="[]"
    )
