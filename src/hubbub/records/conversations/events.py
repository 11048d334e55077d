"""Events of conversations, for the sessions of their participants."""

import msgspec

from hubbub.outbox.registry import event


@event("conversation_reset")
class ConversationReset(msgspec.Struct, frozen=True):
    """User `uid` removed the conversation from their list; messages up to `upto` are hidden."""

    conversation: int
    uid: str
    upto: int
    at: int


@event("conversation_updated")
class ConversationUpdated(msgspec.Struct, frozen=True):
    """A user's tags or a pin of the conversation changed; `uid` is empty for the app's pin."""

    conversation: int
    uid: str
    at: int


@event("conversation_deleted")
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
