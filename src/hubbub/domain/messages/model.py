"""What a message is, what one to be is, and what can be wrong about them."""

from dataclasses import dataclass, replace

import msgspec

from hubbub.domain.conversations.model import GROUP, Key, group_key, user_key
from hubbub.domain.groups.model import Group
from hubbub.domain.users.model import SYSTEM, User
from hubbub.kernel.errors import Conflict, NotFound

MESSAGE, CUSTOM, INTERACTIVE, ACTION = "message", "custom", "interactive", "action"
GROUP_MEMBER = "groupMember"  # a type of action messages
TEXT = "text"
MEDIA_TYPES = ("image", "file", "audio", "video")
LARGEST_DATA = 10_240
GROUP_UPDATE_MEMBERS = 300
"""A group with more members gets no conversation and unread updates."""
_decode = msgspec.json.Decoder().decode


class MessageIdNotFound(NotFound):
    """There is no such message, or none that the caller may see."""

    code = "ERR_MESSAGE_ID_NOT_FOUND"

    def __init__(self, message_id: int | str) -> None:
        super().__init__(f"The message with id {message_id} does not exist.")


class ConversationNotAccessible(NotFound):
    """There is no such conversation, or none that the caller takes part in."""

    code = "ERR_CONVERSATION_NOT_ACCESSIBLE"

    def __init__(self, named: str) -> None:
        super().__init__(f"The conversation {named} does not exist or is not yours.")


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
    options: str | None = None
    updates_conversation: bool = True
    past: Import | None = None
    features: tuple[str, ...] = ()
    """The feature keys that the sender's role must not be kept from; none: the app sends it."""

    @property
    def is_of_user(self) -> bool:
        """Whether a user sends it, for whom permissions, blocks and scopes hold."""
        return bool(self.features)

    @property
    def key(self) -> Key:
        """The conversation that it goes to."""
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

    @property
    def key(self) -> Key:
        """The conversation that it belongs to."""
        if self.receiver_type == GROUP:
            return group_key(self.receiver)
        return user_key(self.sender, self.receiver)

    @property
    def tag_list(self) -> list[str]:
        tags: list[str] = _decode(self.tags)
        return tags


def gone(uid: str) -> User:
    """Who stands for somebody that was erased: his id alone."""
    return replace(SYSTEM, uid=uid, name=uid)


class Told(msgspec.Struct, frozen=True):
    """A message with those whom it names, as they are now."""

    message: Message
    sender: User
    receiver: User | Group
    on: User | None = None
    """Whom an action befell."""
    is_repeated: bool = False
    """Whether the sender's muid had been used: this is the first message, nothing new."""
