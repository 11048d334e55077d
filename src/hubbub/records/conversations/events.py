"""Events of conversations, for the sessions of their participants."""

import msgspec

from hubbub.outbox.audience import (
    ALL,
    OWN_SESSIONS,
    Audience,
    EventPlaces,
    Keys,
    OfUser,
    conversation_unknown,
    pair_keys,
    participant_keys,
    user_key,
)
from hubbub.outbox.registry import event
from hubbub.records.conversations.model import USER


class MarkEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The read position of user `uid`, whatever the receipts say; for their own sessions."""

    conversation: int
    uid: str
    read_id: int
    read_count: int
    own: int
    at: int
    counted: int | None = None
    """The countable messages of the conversation; unread = counted - read_count - own."""


_OWN_MARK: Audience[OfUser] = Audience(OWN_SESSIONS.text, user_key, tells_only=True)
"""Of the marks, which change nothing of who is told what."""


@event("conversation_read", "The user has read up to a message.", told=_OWN_MARK, actor="uid")
class ConversationRead(MarkEvent, frozen=True, kw_only=True):
    """The user read again what they had marked as unread."""


@event(
    "conversation_delivered",
    "The user has received up to a message.",
    told=OWN_SESSIONS,
    actor=None,
)
class ConversationDelivered(msgspec.Struct, frozen=True, kw_only=True):
    """User `uid` has all messages up to this id; for their own sessions, it is in no log."""

    conversation: int
    uid: str
    upto: int
    at: int


@event("conversation_unread", "The user marked messages as unread.", told=_OWN_MARK, actor="uid")
class ConversationUnread(MarkEvent, frozen=True, kw_only=True):
    """The user marked messages as unread."""


@event(
    "conversation_reset",
    "The user removed the conversation from their list.",
    told=OWN_SESSIONS,
    actor="uid",
)
class ConversationReset(msgspec.Struct, frozen=True):
    """User `uid` removed the conversation from their list; messages up to `upto` are hidden."""

    conversation: int
    uid: str
    upto: int
    at: int


def _updated_keys(event: "ConversationUpdated", places: EventPlaces) -> Keys:
    return (event.uid,) if event.uid else participant_keys(event, places)


@event(
    "conversation_updated",
    "The tags or the pin of the conversation changed.",
    told=Audience(
        "the user whose tags they are; of a pin of the app, all participants",
        _updated_keys,
        conversation_unknown,
    ),
    actor="uid",
)
class ConversationUpdated(msgspec.Struct, frozen=True):
    """A user's tags or a pin of the conversation changed; `uid` is empty for the app's pin."""

    conversation: int
    uid: str
    at: int


def _deleted_keys(event: "ConversationDeleted", places: EventPlaces) -> Keys:
    if event.kind == USER:  # the conversation may be gone by now
        return pair_keys(event.left_id, event.right_id)
    return participant_keys(event, places)


def _deleted_unknown(event: "ConversationDeleted") -> tuple[int, int]:
    # Only an event of an older version does not say whose conversation it was.
    return (0, 0) if event.kind else conversation_unknown(event)


@event(
    "conversation_deleted",
    "The conversation was deleted for all participants.",
    told=Audience(ALL, _deleted_keys, _deleted_unknown),
    actor="by",
)
class ConversationDeleted(msgspec.Struct, frozen=True):
    """`by` deleted all messages up to `upto` for every participant; new ones may follow.

    A conversation of two users is gone: the event alone has its key.
    """

    conversation: int
    upto: int
    at: int
    by: str = ""
    kind: str = ""
    left_id: str = ""
    right_id: str = ""


def _changed_keys(event: "ConversationsChanged", _: EventPlaces) -> Keys:
    return (*event.uids, *event.groups)


@event(
    "conversations_changed",
    "Earlier messages of some conversations were imported: read conversations anew.",
    told=Audience("the participants of these conversations", _changed_keys, tells_only=True),
    actor=None,
)
class ConversationsChanged(msgspec.Struct, frozen=True):
    """An import has added to `count` conversations: of these users, and of groups, by number."""

    count: int
    uids: list[str]
    groups: list[int]
    at: int
