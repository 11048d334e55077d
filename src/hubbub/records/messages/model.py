"""What a message is, what one to be is, and what can be wrong about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from hubbub.kernel.errors import BadInput, Conflict, Forbidden, NotFound
from hubbub.records.conversations.model import GROUP, ConversationKey, group_key, user_key
from hubbub.records.groups.model import Group
from hubbub.records.users.model import SYSTEM, User

MESSAGE, CUSTOM, INTERACTIVE, ACTION = "message", "custom", "interactive", "action"
GROUP_MEMBER, OF_MESSAGE = "groupMember", "message"  # types of action messages
TEXT = "text"
MEDIA_TYPES = ("image", "file", "audio", "video")
LARGEST_DATA = 10_240
LONGEST_MESSAGE = 65_536
_decode = msgspec.json.Decoder().decode


class MessageIdNotFound(NotFound):
    """There is no such message, or none that the caller may see."""

    code = "ERR_MESSAGE_ID_NOT_FOUND"

    def __init__(self, message_id: int | str) -> None:
        super().__init__(f"The message with id {message_id} does not exist.")


class MessageNotASender(Forbidden):
    """Only who sent it, or who moderates its group, may do this to the message."""

    code = "ERR_MESSAGE_NOT_A_SENDER"

    def __init__(self, uid: str, message_id: int) -> None:
        super().__init__(f"The user with UID {uid} did not send the message with id {message_id}.")


class MessageActionNotAllowed(Forbidden):
    """Nobody may do this to the message: it tells of an action, or is deleted."""

    code = "ERR_MESSAGE_ACTION_NOT_ALLOWED"

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The message with id {message_id} tells of an action, or is deleted: "
            "this can't be done to it."
        )


class ConversationNotAccessible(NotFound):
    """There is no such conversation, or none that the caller takes part in."""

    code = "ERR_CONVERSATION_NOT_ACCESSIBLE"

    def __init__(self, named: str) -> None:
        super().__init__(f"The conversation {named} does not exist or is not yours.")


class MessageNoAccess(Forbidden):
    """The caller sees it, and may not touch it."""

    code = "ERR_MESSAGE_NO_ACCESS"

    def __init__(self, named: int | str) -> None:
        super().__init__(f"You may not do this to {named}.")


class ThreadNesting(BadInput):
    """A reply has no thread of its own."""

    code = "ERR_MESSAGE_THREAD_NESTING"

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The message with id {message_id} is a reply itself; reply to its parent.",
            details={"parentId": ["It must be no reply."]},
        )


class WrongThread(BadInput):
    """What is replied to, or quoted, stands in another conversation."""

    code = "ERR_WRONG_MESSAGE_THREAD"

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The message with id {message_id} is not in this conversation.",
            details={"receiver": ["It must be that of the other message."]},
        )


class MuidAlreadyExists(Conflict):
    """An import's muid is taken by another message of the sender."""

    code = "ERR_IMPORT_MUID_ALREADY_EXISTS"

    def __init__(self, muid: str) -> None:
        super().__init__(f"A message with the muid {muid} exists already.")


@dataclass(frozen=True, slots=True)
class Import:
    """What an imported message brings of its past, in seconds."""

    sent_at: int
    delivered_at: int | None = None
    read_at: int | None = None


class Draft(msgspec.Struct, frozen=True):
    """A message to be, checked in itself; `data` and `options` are JSON text, ready to store."""

    sender: str
    receiver_type: str
    receiver: str
    category: str
    type: str
    data: str
    tags: tuple[str, ...] = ()
    muid: str | None = None
    parent_id: int | None = None
    """The message whose thread it replies in."""
    quoted_id: int | None = None
    mentioned: tuple[str, ...] = ()
    """Who may be mentioned in its text; `@all` is everybody."""
    traits: int = 0
    options: str | None = None
    updates_conversation: bool = True
    past: Import | None = None
    features: tuple[str, ...] = ()
    """The feature keys that the sender's role must not be kept from; none: the app sends it."""
    token: str | None = None
    """The keyed hash of the auth token that the sender has shown."""
    within: ConversationKey | None = None
    """The conversation, when it is not that of sender and receiver: the app acts between two."""

    @property
    def is_of_user(self) -> bool:
        """Whether a user sends it, for whom permissions, blocks and scopes hold."""
        return bool(self.features)

    @property
    def key(self) -> ConversationKey:
        """The conversation that it goes to."""
        if self.within is not None:
            return self.within
        if self.receiver_type == GROUP:
            return group_key(self.receiver)
        return user_key(self.sender, self.receiver)


@dataclass(slots=True)
class Message:
    """A message as stored; `data`, `tags` and `options` are JSON text. Times in seconds."""

    id: int
    conversation: int
    muid: str | None
    sender: str
    receiver_type: str
    receiver: str
    category: str
    type: str
    parent_id: int | None
    quoted_id: int | None
    data: str
    tags: str
    options: str | None
    sent_at: int
    updated_at: int
    edited_at: int | None
    edited_by: str | None
    deleted_at: int | None
    deleted_by: str | None
    delivered_at: int | None
    read_at: int | None
    counts: bool
    shows: bool
    ordinal: int
    is_erased: bool
    traits: int
    """Bits: see `traits.py`."""
    within: ConversationKey | None = None
    """As in its draft; it is not stored, but found out by `tell`."""

    @property
    def key(self) -> ConversationKey:
        """The conversation that it belongs to."""
        if self.within is not None:
            return self.within
        if self.receiver_type == GROUP:
            return group_key(self.receiver)
        return user_key(self.sender, self.receiver)

    def other_than(self, uid: str) -> str:
        """With whom somebody speaks here: who has sent it to him, or has it from him."""
        return self.receiver if uid == self.sender else self.sender

    @property
    def tag_list(self) -> list[str]:
        tags: list[str] = _decode(self.tags)
        return tags


def gone(uid: str) -> User:
    """Who stands for somebody that was erased: his id alone."""
    return replace(SYSTEM, uid=uid, name=uid)


class ReactionCount(msgspec.Struct, frozen=True):
    """A reaction to a message, and how many gave it, the viewer perhaps among them."""

    reaction: str
    count: int
    is_mine: bool = False


class Interaction(msgspec.Struct, frozen=True):
    """An element of an interactive message that the viewer has used, and when."""

    element_id: str
    interacted_at: int


class Includes(msgspec.Struct, frozen=True):
    """What is told with messages beyond the usual, because it is asked for."""

    parents: bool = False
    """The messages that replies answer."""
    blocks: bool = False
    """Who of those that are mentioned has blocked the viewer, or is blocked by him."""


class MessageView(msgspec.Struct, frozen=True, kw_only=True):
    """A message with all that is told with it, as it is now."""

    message: Message
    sender: User
    receiver: User | Group
    on: User | None = None
    """Whom an action befell."""
    about: "MessageView | None" = None
    """The message that an action is about."""
    quoted: "MessageView | None" = None
    parent: "MessageView | None" = None
    """The message that it replies to, where that is asked for."""
    reactions: Sequence[ReactionCount] = ()
    mentions: Mapping[str, User] = {}
    mentions_all: bool = False
    blocked_by_viewer: Mapping[str, int] = {}
    """Since when the viewer has blocked people, by uid, where that is asked for."""
    has_blocked_viewer: Mapping[str, int] = {}
    """Since when people have blocked the viewer, by uid, where that is asked for."""
    interactions: Sequence[Interaction] = ()
    pinned_at: int | None = None
    saved_at: int | None = None
    is_repeated: bool = False
    """Whether the sender's muid had been used: this is the first message, nothing new."""
