"""Conversations, their keys and ids, and their participants."""

import msgspec

from hubbub.kernel.errors import BadInput, Forbidden
from hubbub.kernel.text import SYSTEM_UID

USER, GROUP = "user", "group"

ConversationKey = tuple[str, str, str]
"""(kind, left, right): ('user', lesser uid, greater uid) or ('group', guid, '')."""


class TooManyPins(BadInput):
    """The user has reached the limit of pinned conversations."""

    code = "ERR_PINNED_CONVERSATIONS_LIMIT_EXCEEDED"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The user has pinned {most} conversations already.",
            details={"conversation": [f"The limit is {most} per user."]},
        )


class TooManySystemPins(BadInput):
    """The app has reached the limit of pinned conversations."""

    code = "ERR_SYSTEM_PINNED_CONVERSATIONS_LIMIT_EXCEEDED"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The app has pinned {most} conversations already.",
            details={"conversation": [f"The limit is {most} per app."]},
        )


class PinnedByApp(Forbidden):
    """Users may not change a pin that the app has made for all."""

    code = "ERR_SYSTEM_PINNED_CONVERSATION"

    def __init__(self) -> None:
        super().__init__("The app has pinned this conversation for all users.")


def user_key(one: str, other: str) -> ConversationKey:
    """Return the key of the conversation of two users."""
    return (USER, one, other) if one <= other else (USER, other, one)


def group_key(guid: str) -> ConversationKey:
    """Return the key of a group's conversation."""
    return (GROUP, guid, "")


def conversation_id(key: ConversationKey) -> str:
    """Return the id on the wire; it is not unique, so it is never used for look-ups."""
    kind, left, right = key
    return f"group_{left}" if kind == GROUP else f"{left}_user_{right}"


def possible_keys(text: str) -> list[ConversationKey]:
    """Return the keys of all conversations that an id on the wire may mean.

    There may be several, as uids may contain `_user_`.
    """
    keys = [group_key(text.removeprefix("group_"))] if text.startswith("group_") else []
    at = text.find("_user_")
    while at != -1:
        left, right = text[:at], text[at + len("_user_") :]
        if left and right and left <= right:
            keys.append((USER, left, right))
        at = text.find("_user_", at + 1)
    return keys


class Conversation(msgspec.Struct, gc=False):
    """A conversation's row; sending messages advances it in memory, then writes it."""

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
    """The newest message that may be older than others with lower ids: it was imported, mostly."""
    erased_upto: int = 0
    """Messages up to this id are hidden from all, while their erasure is under way and after it."""
    left_own: int = 0
    """Counting messages that the left user has sent; 0 in groups, whose participants count."""
    right_own: int = 0

    @property
    def key(self) -> ConversationKey:
        return (self.kind, self.left_id, self.right_id)

    def own_of(self, uid: str) -> int:
        """Return the number of a user's own counting messages that is counted here."""
        if uid == self.left_id:
            return self.left_own
        return self.right_own if uid == self.right_id else 0

    def count_own(self, uid: str) -> None:
        """Count a message of one of the two users of a one-to-one conversation."""
        if uid == self.left_id:
            self.left_own += 1
        else:
            self.right_own += 1

    def show(self, message_id: int, at: int) -> None:
        """Make an earlier message the lastMessage; with id 0 there is none."""
        self.shown_id, self.shown_at = message_id, at
        self.updated_at = max(self.created_at, at)

    def other_than(self, uid: str) -> str:
        """Return the uid of the other user, or the guid of the group."""
        if self.kind == GROUP or self.right_id == uid:
            return self.left_id
        return self.right_id


class Participant(msgspec.Struct, gc=False):
    """The watermarks of a user in a conversation; marks advance them in memory, then write them.

    Receipts go by message id, counts by ordinal. Unread is what was counted after `read_count`,
    less the user's own messages.
    """

    conversation: int
    uid: str
    read_id: int
    read_count: int
    """The ordinal at `read_id`."""
    own: int
    """The number of the user's own counting messages after `read_id`, less those that the
    conversation counts for the user: so a message to a user changes one row, not two."""
    floor_id: int
    floor_count: int
    """The last message when the user joined, or reset the conversation."""
    hidden_id: int
    """The history that the user sees begins after this id."""
    read_reached: int
    delivered_reached: int
    tags: str

    def unread_in(self, conversation: Conversation) -> int:
        """Return the number of unread messages."""
        return max(0, conversation.counted - self.read_count - self.own_in(conversation))

    def own_in(self, conversation: Conversation) -> int:
        """Return the number of the user's own counting messages after `read_id`."""
        return self.own + conversation.own_of(self.uid)


def app_participant(conversation: Conversation) -> Participant:
    """Return a participant in place of the app, which sees all messages and has read them."""
    end, counted = conversation.last_id, conversation.counted
    return Participant(
        conversation.number, SYSTEM_UID, end, counted, 0, 0, 0, 0, end, end, tags="[]"
    )
