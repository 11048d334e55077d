"""What users have begun to write, and the refusals about it."""

from dataclasses import dataclass

from hubbub.kernel.errors import LimitReached, NotFound
from hubbub.records.conversations.model import (
    GROUP,
    ConversationKey,
    group_key,
    user_key,
)

DraftKey = tuple[str, str, str]
"""(uid, receiver type, receiver): whose draft it is, and to whom."""


class DraftNotFound(NotFound):
    """The user has no draft in the conversation."""

    code = "ERR_DRAFT_NOT_FOUND"

    def __init__(self, conversation: str) -> None:
        super().__init__(
            f"There is no draft in the conversation {conversation}.",
            dev_message="It may have been removed on another device.",
        )


class TooManyDrafts(LimitReached):
    """The user has as many drafts as they may have."""

    def __init__(self, uid: str, limit: int) -> None:
        super().__init__(
            f"The user with UID {uid} has {limit:,} drafts already.",
            details={"conversationId": [f"The limit is {limit:,} drafts per user."]},
        )


@dataclass(frozen=True, slots=True)
class ConversationDraft:
    """A row of `drafts`: what a user has begun to write to another one, or to a group."""

    uid: str
    receiver_type: str
    receiver: str
    data: str
    """JSON text."""
    updated_at: int

    @property
    def key(self) -> DraftKey:
        """Return what tells it from others: a user has one draft in a conversation."""
        return self.uid, self.receiver_type, self.receiver

    @property
    def conversation(self) -> ConversationKey:
        """Return the key of its conversation."""
        return conversation_of(self.key)


def conversation_of(key: DraftKey) -> ConversationKey:
    """Return the key of the conversation of a draft."""
    uid, receiver_type, receiver = key
    return group_key(receiver) if receiver_type == GROUP else user_key(uid, receiver)
