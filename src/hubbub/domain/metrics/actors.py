"""Name who caused each event, as far as it is something that a user does themselves.

Other events make nobody active: imports, what the app does to users, and chunks of an erasure.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from hubbub.records.blocks.events import UserBlocked, UserUnblocked
from hubbub.records.conversations.events import (
    ConversationDeleted,
    ConversationReset,
    ConversationUpdated,
)
from hubbub.records.groups.events import (
    GroupCreated,
    GroupDeleted,
    GroupOwnerTransferred,
    GroupUpdated,
)
from hubbub.records.interactions.events import (
    InteractionGoalCompleted,
    InteractiveFormSubmitted,
    MessageInteracted,
)
from hubbub.records.members.events import (
    GroupMemberAdded,
    GroupMemberBanned,
    GroupMemberJoined,
    GroupMemberKicked,
    GroupMemberLeft,
    GroupMemberScopeChanged,
    GroupMemberUnbanned,
)
from hubbub.records.messages.events import MessageDeleted, MessageEdited, MessageSent
from hubbub.records.pins.events import MessagePinned, MessageUnpinned
from hubbub.records.presence.events import UserConnected
from hubbub.records.reactions.events import MessageReactionAdded, MessageReactionRemoved
from hubbub.records.receipts.events import (
    ConversationRead,
    ConversationUnread,
    MessageDeliveryReceipt,
    MessageReadReceipt,
)
from hubbub.records.tokens.events import AuthTokenRevoked
from hubbub.storage.interface import Event

_of_sender, _of_by, _of_uid = attrgetter("sender"), attrgetter("by"), attrgetter("uid")
ACTORS: Mapping[type[Event], Callable[[Any], str]] = {
    MessageSent: _of_sender,
    **dict.fromkeys(
        (
            AuthTokenRevoked,
            ConversationDeleted,
            GroupCreated,
            GroupDeleted,
            GroupMemberAdded,
            GroupMemberBanned,
            GroupMemberKicked,
            GroupMemberScopeChanged,
            GroupMemberUnbanned,
            GroupOwnerTransferred,
            GroupUpdated,
            MessageDeleted,
            MessageEdited,
            MessagePinned,
            MessageUnpinned,
            UserBlocked,
            UserUnblocked,
        ),
        _of_by,
    ),
    **dict.fromkeys(
        (
            ConversationRead,
            ConversationReset,
            ConversationUnread,
            ConversationUpdated,
            GroupMemberJoined,
            GroupMemberLeft,
            InteractionGoalCompleted,
            InteractiveFormSubmitted,
            MessageDeliveryReceipt,
            MessageInteracted,
            MessageReactionAdded,
            MessageReactionRemoved,
            MessageReadReceipt,
            UserConnected,
        ),
        _of_uid,
    ),
}
"""Returns the uid of the user who caused the event, `app_system`, or nothing."""
