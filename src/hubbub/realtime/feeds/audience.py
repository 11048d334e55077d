"""Who is told of an event: its subjects, and the members of its conversation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.blocks.events import UserBlocked, UserUnblocked
from hubbub.records.conversations.events import (
    ConversationDeleted,
    ConversationReset,
    ConversationUpdated,
)
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.friends.events import FriendsAdded, FriendsRemoved
from hubbub.records.groups.events import (
    GroupCreated,
    GroupDeleted,
    GroupOwnerTransferred,
    GroupUpdated,
)
from hubbub.records.interactions.events import InteractionEvent
from hubbub.records.members.events import MemberEvent, MembersImported
from hubbub.records.messages.events import MessageEvent, MessagesDeleted, MessageSent
from hubbub.records.pins.events import PinEvent
from hubbub.records.reactions.events import ReactionEvent
from hubbub.records.receipts.events import MarkEvent, ReceiptEvent
from hubbub.records.roles.events import UserRoleChanged
from hubbub.records.tokens.events import AuthTokenRevoked
from hubbub.records.users.events import UserDeleted, UsersDeactivated
from hubbub.storage.interface import Event

Key = str | int
"""The uid of a user, or the number of a group's conversation."""

TOLD_ONLY = (
    MessageEvent,
    MessageSent,
    MessagesDeleted,
    ReactionEvent,
    ReceiptEvent,
    MarkEvent,
    PinEvent,
    InteractionEvent,
)
"""The events that change nothing of who is told what."""


@dataclass(slots=True)
class Places:
    """The conversations and messages that events name, looked up for their audience."""

    pairs: Mapping[int, tuple[str, str]]
    """The two users of a conversation by its number; a group is not here."""
    senders: Mapping[int, str]
    """The senders of messages by id."""

    def of_conversation(self, number: int) -> tuple[Key, ...]:
        """Return the keys of those who take part in a conversation."""
        return self.pairs.get(number) or (number,)


def list_unknowns(event: Event) -> Iterator[tuple[int, int]]:
    """Yield the conversation (or 0) and the message (or 0) that the audience depends on."""
    match event:
        case InteractionEvent():
            yield 0, event.message
        case MessageSent() | MemberEvent() | ReceiptEvent() | MarkEvent() | ConversationReset():
            return
        case GroupCreated() | GroupUpdated() | GroupDeleted() | GroupOwnerTransferred():
            return
        case MessageEvent() | MessagesDeleted() | PinEvent() | ReactionEvent():
            yield event.conversation, 0
        case ConversationUpdated():
            yield event.conversation, 0
        case ConversationDeleted() if not event.kind:  # of an older version
            yield event.conversation, 0


def keys_of(event: Event, places: Places) -> tuple[Key, ...]:
    """Return the keys under which an event is told; none for one that no session is told."""
    match event:
        case MessageSent():
            is_group = event.receiver_type == GROUP
            return (event.conversation,) if is_group else _two(event.sender, event.receiver)
        case MemberEvent():
            return event.conversation, event.uid
        case MembersImported():  # nothing to show, but nodes must know
            return tuple(event.uids)
        case GroupCreated():
            return (event.owner,)
        case GroupUpdated() | GroupDeleted() | GroupOwnerTransferred():
            return (event.conversation,)
        case ReceiptEvent():
            if event.receiver_type == GROUP:  # told as `receipts_advanced`, which is not stored
                return ()
            return _two(event.receiver, event.uid)
        case MarkEvent() | ConversationReset():
            return (event.uid,)
        case ConversationUpdated():
            return (event.uid,) if event.uid else places.of_conversation(event.conversation)
        case MessageEvent() | MessagesDeleted() | PinEvent() | ReactionEvent():
            return places.of_conversation(event.conversation)
        case ConversationDeleted():
            if event.kind == USER:  # the conversation may be gone by now
                return _two(event.left_id, event.right_id)
            return places.of_conversation(event.conversation)
        case InteractionEvent():
            return _two(event.uid, places.senders.get(event.message, event.uid))
        case FriendsAdded() | FriendsRemoved():  # for who watches their friends
            return (event.uid, *event.friends)
        case UserBlocked() | UserUnblocked():
            return (event.uid,)
        case AuthTokenRevoked() | UserDeleted() | UserRoleChanged():  # for nodes alone
            return (event.uid,)
        case UsersDeactivated():
            return tuple(event.uids)
    return ()


def _two(one: str, other: str) -> tuple[Key, ...]:
    return (one,) if one == other or other == SYSTEM_UID else (one, other)


def find_earlier(event: Event) -> tuple[int, int] | None:
    """Return the conversation and the id of the earlier message that an event is about, if any.

    Members who joined after that message are not told, if the app hides it from them.
    """
    match event:
        case MessageEvent():
            return event.conversation, event.on
        case PinEvent() | ReactionEvent():
            return event.conversation, event.message
    return None


def ends_session(event: Event, uid: str, token: str) -> bool:
    """Return whether a user, or the keyed hash of their token, is refused from an event on."""
    match event:
        case AuthTokenRevoked():
            return token in event.hashes
        case UsersDeactivated():
            return uid in event.uids
        case UserDeleted():
            return uid == event.uid
    return False
