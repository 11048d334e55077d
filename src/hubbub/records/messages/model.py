"""Messages, drafts, message views, and the refusals about messages."""

from collections.abc import Mapping, Sequence

import msgspec

from hubbub.kernel.errors import BadInput, Conflict, Forbidden, NotFound
from hubbub.records.conversations.model import GROUP, ConversationKey, group_key, user_key
from hubbub.records.groups.model import Group
from hubbub.records.users.model import SYSTEM, User

# Bits of `traits` say what other tables, or the data, hold about a message. Lists filter by them,
# and a page of views reads other tables only for messages that have rows there. The bits are exact:
# deleting the last row clears the bit.
HAS_REACTIONS = 1
IS_PINNED = 2
IS_SAVED = 4
"""At least one user has saved it."""
HAS_MENTIONS = 8
HAS_LINKS = 16
HAS_ATTACHMENTS = 32
HAS_IMAGE, HAS_VIDEO, HAS_AUDIO, HAS_FILE = 64, 128, 256, 512
ATTACHED = {"image": HAS_IMAGE, "video": HAS_VIDEO, "audio": HAS_AUDIO, "file": HAS_FILE}
"""The bit of each kind of attachment."""
IS_GROWING = 1024
"""Its text is in `growing_messages` until it ends."""
IS_LATE = 2048
"""It was held, and delivered later than it was sent."""
HAS_POLL = 4096
"""It is a poll: what is voted is in the tables of polls."""
GIVEN_LATER = HAS_REACTIONS | IS_PINNED | IS_SAVED | IS_LATE
"""The bits that an edit of the data keeps."""
MESSAGE, CUSTOM, INTERACTIVE, ACTION = "message", "custom", "interactive", "action"
NO_MESSAGE = ""  # the category of what sends none, such as typing
GROUP_MEMBER, OF_MESSAGE = "groupMember", "message"  # types of action messages
TEXT = "text"
MEDIA_TYPES = ("image", "file", "audio", "video")
LARGEST_DATA_BYTES = 10_240
LONGEST_DATA = 65_536
LONGEST_REASON = 1000
"""The characters that are kept of why a webhook refused a message."""
_MUID_SEPARATOR = "\x1f"
_decode = msgspec.json.Decoder().decode


class MessageIdNotFound(NotFound):
    """The message does not exist, or the caller may not see it."""

    code = "ERR_MESSAGE_ID_NOT_FOUND"

    def __init__(self, message_id: int | str) -> None:
        super().__init__(f"The message with id {message_id} does not exist.")


class MessageNotASender(Forbidden):
    """Only the sender of the message, or a moderator of its group, may do this."""

    code = "ERR_MESSAGE_NOT_A_SENDER"

    def __init__(self, uid: str, message_id: int) -> None:
        super().__init__(f"The user with UID {uid} did not send the message with id {message_id}.")


class MessageActionNotAllowed(Forbidden):
    """The message is an action message or is deleted, so it can't be changed."""

    code = "ERR_MESSAGE_ACTION_NOT_ALLOWED"

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The message with id {message_id} is an action message or is deleted, "
            "so it can't be changed."
        )


class ConversationNotAccessible(NotFound):
    """The conversation does not exist, or the caller does not take part in it."""

    code = "ERR_CONVERSATION_NOT_ACCESSIBLE"

    def __init__(self, named: str) -> None:
        super().__init__(f"The conversation {named} does not exist or is not yours.")


class MessageNoAccess(Forbidden):
    """The caller sees the message or conversation, but may not change it."""

    code = "ERR_MESSAGE_NO_ACCESS"

    def __init__(self, named: int | str) -> None:
        super().__init__(f"You may not do this to {named}.")


class ThreadNesting(BadInput):
    """A reply can't have a thread of its own."""

    code = "ERR_MESSAGE_THREAD_NESTING"

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The message with id {message_id} is a reply itself; reply to its parent.",
            details={"parentId": ["It must not be the id of a reply."]},
        )


class WrongThread(BadInput):
    """The message that is replied to, or quoted, is in another conversation."""

    code = "ERR_WRONG_MESSAGE_THREAD"

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The message with id {message_id} is not in this conversation.",
            details={"receiver": ["It must be the receiver of the other message."]},
        )


class MuidAlreadyExists(Conflict):
    """The sender has another message with the muid of an imported one."""

    code = "ERR_IMPORT_MUID_ALREADY_EXISTS"

    def __init__(self, muid: str) -> None:
        super().__init__(f"A message with the muid {muid} exists already.")


class BlockedByWebhook(Forbidden):
    """A webhook of the app refused the message before it was sent."""

    code = "ERR_BLOCKED_BY_WEBHOOK"

    def __init__(self, reason: str | None) -> None:
        super().__init__(
            (reason or "The message was refused before it was sent.")[:LONGEST_REASON],
            dev_message="A webhook of the app with the trigger before_message refused it.",
        )


class BlockedByRule(Forbidden):
    """A rule of the app refused the message before it was sent."""

    code = "ERR_BLOCKED_BY_EXTENSION"

    def __init__(self, rule_id: str, reason: str | None = None) -> None:
        details = {"rule": [rule_id]}
        if reason:
            details["reason"] = [reason[:LONGEST_REASON]]
        super().__init__(
            reason[:LONGEST_REASON] if reason else "The message was refused by a rule of the app.",
            details=details,
            dev_message=f"The moderation rule {rule_id} refused it.",
        )


class GrowsUnchecked(Forbidden):
    """A message of a user may not grow where webhooks decide on what is sent before it is sent."""

    code = "ERR_BLOCKED_BY_WEBHOOK"

    def __init__(self) -> None:
        super().__init__(
            "The message may not grow, as it is decided on before it is sent.",
            dev_message=(
                "A webhook of the app has the trigger before_message, which is asked about the"
                " beginning of a message alone. Messages of bots and of the app may grow."
            ),
        )


class MessageNotChecked(Forbidden):
    """A webhook of the app could not decide on the message before it was sent."""

    code = "ERR_BLOCKED_BY_WEBHOOK"

    def __init__(self) -> None:
        super().__init__(
            "The message could not be checked before it was sent. Try again later.",
            dev_message=(
                "A webhook of the app with the trigger before_message has failed, and the setting"
                " webhooks.beforeMessage.refuseOnFailure is on."
            ),
        )


class MuidReference(msgspec.Struct, frozen=True):
    """A message, named by its muid and the users who may have sent it; the first one counts."""

    muid: str
    senders: tuple[str, ...] = ()


class PastReaction(msgspec.Struct, frozen=True):
    """A reaction to an imported message, with its time in seconds."""

    reaction: str
    uid: str
    reacted_at: int


class Brought(msgspec.Struct, frozen=True):
    """What an imported message brings along, as few do: it is more than a row."""

    edited_at: int | None = None
    parent: MuidReference | None = None
    quoted: MuidReference | None = None
    reactions: tuple[PastReaction, ...] = ()
    deleted_at: int | None = None
    pinned_at: int | None = None
    refers_to_deleted: bool = False
    """Whether it may reply to, or quote, a message that is deleted softly, as it did before."""


class ImportedPast(msgspec.Struct, frozen=True):
    """The times of an imported message, in seconds, and what else it brings along."""

    sent_at: int
    delivered_at: int | None = None
    read_at: int | None = None
    brought: Brought | None = None


class MessageNotImported(NotFound):
    """An imported message refers to one that is not stored."""

    code = "ERR_MESSAGE_ID_NOT_FOUND"

    def __init__(self, field: str, reference: MuidReference) -> None:
        by = " or ".join(reference.senders)
        sender_field = "parentSender" if field == "parentId" else "quotedMessageSender"
        super().__init__(
            f"There is no message with the muid {reference.muid} by {by}.",
            details={field: [f"There is no message with this muid by {by}."]},
            dev_message=(
                f"Import that message first, or in an earlier row. If it is in no row of this"
                f" request, name its sender in {sender_field}. A message id is a number here."
            ),
        )


class Beginning(msgspec.Struct, frozen=True):
    """How a message begins that grows."""

    notifies: bool = False
    """Whether webhooks are told only at its end that it was sent."""
    owner: str = ""
    """The node that holds it."""


class PollTerms(msgspec.Struct, frozen=True):
    """How people vote in a poll."""

    options: int
    """How many there are."""
    votes_per_user: int = 1
    is_anonymous: bool = False
    closes_at: int | None = None


class PassedRules(msgspec.Struct, frozen=True):
    """What the rules of the app have to say about a message that they let pass."""

    flagged_by: tuple[str, ...] = ()
    """The rules that flag it."""


class Draft(msgspec.Struct, frozen=True):
    """A message to store, checked in itself; `data` and `options` are JSON text."""

    sender: str
    receiver_type: str
    receiver: str
    category: str
    type: str
    data: str
    tags: tuple[str, ...] = ()
    muid: str | None = None
    parent_id: int | None = None
    """The id of the message that it replies to."""
    quoted_id: int | None = None
    mentioned: tuple[str, ...] = ()
    """The uids in the mentions of its text, which may not exist; `@all` means all users."""
    traits: int = 0
    options: str | None = None
    updates_conversation: bool = True
    imported: ImportedPast | None = None
    features: tuple[str, ...] = ()
    """The feature keys that the sender's role must allow; empty if no rights are checked."""
    token: str | None = None
    """The keyed hash of the auth token of the request."""
    is_in_thread: bool = False
    """True if it is sent to the conversation of its parent. Then its receiver is the one that the
    request named, or empty, until the parent has been looked up."""
    within: ConversationKey | None = None
    """The conversation, if sender and receiver do not name it: the app acts between two users."""
    growing: Beginning | None = None
    """Given if it grows after it was sent."""
    poll: PollTerms | None = None
    """Given if it is a poll."""
    passed: PassedRules | None = None
    """Given if rules of the app have let it pass."""

    @property
    def references(self) -> Sequence[int]:
        """The ids of the messages that it replies to, or quotes."""
        if self.parent_id is None and self.quoted_id is None:
            return ()
        return [id_ for id_ in (self.parent_id, self.quoted_id) if id_ is not None]

    @property
    def is_of_user(self) -> bool:
        """True if the rights of its sender apply: permissions, blocks, scopes and membership.

        They do not for messages of the app itself, of bots and of imports.
        """
        return bool(self.features)

    @property
    def key(self) -> ConversationKey:
        """The key of the conversation that it is sent to."""
        if self.within is not None:
            return self.within
        if self.receiver_type == GROUP:
            return group_key(self.receiver)
        return user_key(self.sender, self.receiver)


class StoredMessage(msgspec.Struct, gc=False):
    """A row of `messages`; `data`, `tags` and `options` are JSON text. Times in seconds."""

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
    """Bits of `traits.py`."""


class WholeMessage(msgspec.Struct, gc=False):
    """The columns of a message of which no others say more to anybody who moves it."""

    sender: str
    muid: str | None
    receiver_type: str
    receiver: str
    category: str
    type: str
    data: str
    sent_at: int
    delivered_at: int | None
    read_at: int | None


class Message(StoredMessage, kw_only=True, gc=False):
    """A message; its fields are those of its row and `within`."""

    within: ConversationKey | None = None
    """As in the draft; it is not stored, but set by `view_messages`."""

    @property
    def key(self) -> ConversationKey:
        """The key of the conversation that it belongs to."""
        if self.within is not None:
            return self.within
        if self.receiver_type == GROUP:
            return group_key(self.receiver)
        return user_key(self.sender, self.receiver)

    def other_than(self, uid: str) -> str:
        """Return the receiver to the sender, and the sender to any other user."""
        return self.receiver if uid == self.sender else self.sender

    @property
    def tag_list(self) -> list[str]:
        tags: list[str] = _decode(self.tags)
        return tags


def muid_for_receiver(muid: str, receiver_type: str, receiver: str) -> str:
    """Return the stored muid of a message to one of several receivers, which differs for each."""
    return f"{muid}{_MUID_SEPARATOR}{receiver_type}:{receiver}"


def given_muid(stored: str) -> str:
    """Return the muid as the sender gave it."""
    return stored.partition(_MUID_SEPARATOR)[0]


def erased_user(uid: str) -> User:
    """Return a user in place of one that was erased: only the uid is known."""
    return msgspec.structs.replace(SYSTEM, uid=uid, name=uid)


class ReactionCount(msgspec.Struct, frozen=True):
    """A reaction to a message, the number of users who gave it, and whether the viewer did."""

    reaction: str
    count: int
    is_mine: bool = False


class Interaction(msgspec.Struct, frozen=True):
    """An element of an interactive message that the viewer has used, with the time in seconds."""

    element_id: str
    interacted_at: int


class PollState(msgspec.Struct, frozen=True):
    """What is shown of a poll, with the options for which the viewer has voted, as bits."""

    voters: int
    counts: Sequence[int]
    """The votes for each option."""
    mine: int = 0
    closes_at: int | None = None
    closed_at: int | None = None


class Includes(msgspec.Struct, frozen=True):
    """The optional parts of message views that a request asks for."""

    parents: bool = False
    """The parents of replies."""
    blocks: bool = False
    """The blocks, in either direction, between the viewer and mentioned users."""


class MessageView(msgspec.Struct, frozen=True, kw_only=True):
    """A message with everything that is shown with it, as it is now."""

    message: Message
    sender: User
    receiver: User | Group
    delivered_at: int | None = None
    read_at: int | None = None
    on: User | None = None
    """The target of a member action."""
    about: "MessageView | None" = None
    """The target of a message action."""
    quoted: "MessageView | None" = None
    parent: "MessageView | None" = None
    """The message that it replies to, if that was asked for."""
    reactions: Sequence[ReactionCount] = ()
    mentions: Mapping[str, User] = {}
    mentions_all: bool = False
    blocked_by_viewer: Mapping[str, int] = {}
    """The times of the viewer's blocks by blocked uid, if that was asked for."""
    has_blocked_viewer: Mapping[str, int] = {}
    """The times of the blocks of the viewer by blocking uid, if that was asked for."""
    interactions: Sequence[Interaction] = ()
    poll: PollState | None = None
    """Given if it is a poll."""
    pinned_at: int | None = None
    saved_at: int | None = None
    is_repeated: bool = False
    """True if the sender had used the muid before: the message is the first one, not a new one."""
