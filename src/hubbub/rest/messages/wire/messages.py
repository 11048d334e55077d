"""The shapes of messages."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hubbub.domain.messages.compose import MUID_END, Sending
from hubbub.domain.messages.find import History, Stretch
from hubbub.files.links import has_references, mark_references
from hubbub.http.decode import parse_message_id
from hubbub.http.errors import Problem, body_of
from hubbub.http.operation import Envelope
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.conversations.model import conversation_id
from hubbub.records.groups.model import Group
from hubbub.records.messages.actions import read_member_action, read_message_action
from hubbub.records.messages.counts import Count
from hubbub.records.messages.listing import MessageCursor, MessageFilter
from hubbub.records.messages.model import ACTION, Draft, Includes, Message, MessageView
from hubbub.records.messages.traits import (
    ATTACHED,
    HAS_ATTACHMENTS,
    HAS_LINKS,
    HAS_MENTIONS,
    HAS_REACTIONS,
)
from hubbub.records.users.model import User
from hubbub.rest.wire.shapes import (
    Id,
    PageNumber,
    PerPage,
    Shape,
    ShortText,
    Tag,
    Tags,
    Timestamp,
    normalise_ids,
)

_encode = msgspec.json.Encoder().encode
_decode_options = msgspec.json.Decoder(dict[str, Any]).decode

Muid = Annotated[str, Meta(min_length=1, max_length=255)]
DataObject = Annotated[
    msgspec.Raw,
    Meta(
        extra_json_schema={
            "type": "object",
            "description": "The data as it was sent, with `entities {sender, receiver}`.",
        }
    ),
]
MessageId = Annotated[str, Meta(pattern=r"^[0-9]+$", max_length=19)]


class PlainMessage(Shape, kw_only=True):
    """A message, without the one that it quotes."""

    id: str
    muid: str | None = None
    conversation_id: str
    sender: str
    receiver_type: Literal["user", "group"]
    receiver: str
    category: str
    type: str
    data: DataObject
    sent_at: int
    updated_at: int
    parent_id: str | None = None
    delivered_at: int | None = None
    read_at: int | None = None
    edited_at: int | None = None
    edited_by: str | None = None
    deleted_at: int | None = None
    deleted_by: str | None = None
    tags: list[str] | None = None
    update_conversation: bool | UnsetType = UNSET
    send_notification: bool | UnsetType = UNSET
    conversation_text: str | None = None
    pinned_at: int | None = None
    saved_at: int | None = None


class MessageShape(PlainMessage, kw_only=True):
    """A message; `parentMessage` stands in replies when `withParent` asks for it."""

    quoted_message: PlainMessage | None = None
    parent_message: PlainMessage | None = None


class MessageCount(Shape, kw_only=True):
    """How many messages there are with a user, or in a group."""

    entity_type: Literal["user", "group"]
    entity_id: str
    count: int


class ReactionShape(Shape):
    """A reaction to a message, and how many gave it."""

    reaction: str
    count: int
    reacted_by_me: bool = False


class InteractionShape(Shape):
    """An element of an interactive message that the acting user has used."""

    element_id: str
    interacted_at: int


class UserEntity(Shape, kw_only=True):
    """A user as he stands inside a message."""

    uid: str
    name: str
    role: str
    avatar: str | None = None
    link: str | None = None
    status: str
    updated_at: int | None = None
    conversation_id: str | None = None


class MentionEntity(UserEntity, kw_only=True):
    """A user as he stands among those who are mentioned; the last five if they are asked for."""

    tags: list[str] | None = None
    blocked_by_me: bool = False
    blocked_by_me_at: int | None = None
    has_blocked_me: bool = False
    blocked_at: int | None = None


class GroupEntity(Shape, kw_only=True):
    """A group as it stands inside a message."""

    guid: str
    name: str
    icon: str | None = None
    description: str | None = None
    type: str
    owner: str
    created_at: int
    updated_at: int | None = None
    updated_by: str | None = None
    members_count: int
    conversation_id: str


class MemberEntity(UserEntity, kw_only=True):
    """A member as he stands inside an action message."""

    scope: str | None = None
    old_scope: str | None = None


class Entity(msgspec.Struct, rename="camel"):
    """Somebody or something, with its kind."""

    entity: UserEntity | MemberEntity | GroupEntity
    entity_type: str


class Entities(msgspec.Struct):
    """Who speaks to whom."""

    sender: Entity
    receiver: Entity


class Deed(msgspec.Struct):
    """Who did it to whom, and where."""

    by: Entity
    on: Entity
    # A word of Python's own; the wire has it.
    for_: Entity = msgspec.field(name="for")


class ActionData(msgspec.Struct):
    """What an action message tells of a member."""

    action: str
    entities: Deed


class MessageEntity(Shape, kw_only=True):
    """A message that is gone for good, or hidden from the reader: its id, and who deleted it."""

    id: str
    conversation_id: str
    deleted_at: int | None = None
    deleted_by: str | None = None


class AnyMessage(msgspec.Struct, rename="camel"):
    """A message inside an action message, as it is now."""

    entity: MessageShape | MessageEntity
    entity_type: str


class MessageDeed(msgspec.Struct, kw_only=True):
    """Who did it to which message, and where."""

    by: Entity
    on: AnyMessage
    for_: Entity = msgspec.field(name="for")


class MessageActionData(msgspec.Struct):
    """What an action message tells of a message."""

    action: str
    entities: MessageDeed


def message_shape(
    told: MessageView, *, with_tags: bool, is_app: bool, with_mention_tags: bool = False
) -> MessageShape:
    """A message as the interface shows it; users don't see what was deleted."""
    message = told.message
    id_ = conversation_id(message.key)
    is_hidden = _is_hidden(message, is_app=is_app)
    options = _decode_options(message.options) if message.options else {}
    return MessageShape(
        id=str(message.id),
        muid=message.muid.partition(MUID_END)[0] if message.muid else None,
        conversation_id=id_,
        sender=message.sender,
        receiver_type=message.receiver_type,  # type: ignore[arg-type]  # one of the two, as stored
        receiver=message.receiver,
        category=message.category,
        type=message.type,
        data=_data(told, id_, is_app=is_app, with_mention_tags=with_mention_tags),
        sent_at=message.sent_at,
        updated_at=message.updated_at,
        parent_id=None if message.parent_id is None else str(message.parent_id),
        delivered_at=message.delivered_at,
        read_at=message.read_at,
        edited_at=message.edited_at,
        edited_by=message.edited_by,
        deleted_at=message.deleted_at,
        deleted_by=message.deleted_by,
        tags=_tags(message) if with_tags and not is_hidden else None,
        update_conversation=options.get("updateConversation", UNSET),
        send_notification=options.get("sendNotification", UNSET),
        conversation_text=None if is_hidden else options.get("conversationText"),
        quoted_message=None if is_hidden else _beside(told.quoted, is_app=is_app),
        parent_message=_beside(told.parent, is_app=is_app),
        pinned_at=told.pinned_at,
        saved_at=told.saved_at,
    )


def _beside(told: MessageView | None, *, is_app: bool) -> MessageShape | None:
    """A message that another one quotes, or replies to."""
    return None if told is None else message_shape(told, with_tags=False, is_app=is_app)


def _tags(message: Message) -> list[str] | None:
    return message.tag_list if message.tags != "[]" else None


def _data(told: MessageView, id_: str, *, is_app: bool, with_mention_tags: bool) -> msgspec.Raw:
    """The stored JSON with what the server knows put in, without taking it apart."""
    message = told.message
    if told.on is not None:
        return msgspec.Raw(_encode(_action(told, told.on, id_)))
    if message.category == ACTION:
        return msgspec.Raw(_encode(_message_action(told, id_, is_app=is_app)))
    is_hidden = _is_hidden(message, is_app=is_app)
    stored = b"{}" if is_hidden else message.data.encode()
    if has_references(message.data):
        stored = mark_references(stored, message.id)
    known = b",".join(_known(told, id_, is_hidden=is_hidden, with_mention_tags=with_mention_tags))
    separator = b"" if stored == b"{}" else b","
    return msgspec.Raw(b"".join((stored[:-1], separator, known, b"}")))


def _known(
    told: MessageView, id_: str, *, is_hidden: bool, with_mention_tags: bool
) -> Iterator[bytes]:
    """The members of `data` that the server writes."""
    entities = Entities(Entity(_user(told.sender), "user"), _receiver(told.receiver, id_))
    yield b'"entities":' + _encode(entities)
    if is_hidden:
        return
    if told.mentions or told.mentions_all:
        mentions: dict[str, Any] = {
            uid: _mentioned(told, user, with_tags=with_mention_tags)
            for uid, user in told.mentions.items()
        }
        if told.mentions_all:
            mentions["all"] = {"type": "all"}
        yield b'"mentions":' + _encode(mentions)
    if told.reactions:
        reactions = [
            ReactionShape(reaction=each.reaction, count=each.count, reacted_by_me=each.is_mine)
            for each in told.reactions
        ]
        yield b'"reactions":' + _encode(reactions)
    if told.interactions:
        interactions = [
            InteractionShape(element_id=each.element_id, interacted_at=each.interacted_at)
            for each in told.interactions
        ]
        yield b'"interactions":' + _encode(interactions)


def _mentioned(told: MessageView, user: User, *, with_tags: bool) -> MentionEntity:
    blocked_at = told.blocked_by_viewer.get(user.uid)
    has_blocked_at = told.has_blocked_viewer.get(user.uid)
    return MentionEntity(
        **msgspec.structs.asdict(_user(user)),
        tags=(user.tag_list or None) if with_tags else None,
        blocked_by_me=blocked_at is not None,
        blocked_by_me_at=blocked_at,
        has_blocked_me=has_blocked_at is not None,
        blocked_at=has_blocked_at,
    )


def _is_hidden(message: Message, *, is_app: bool) -> bool:
    """Whether the content of a message that was deleted is kept from the reader."""
    return message.deleted_at is not None and not is_app


def _message_action(told: MessageView, id_: str, *, is_app: bool) -> MessageActionData:
    """What was done to a message: by whom, to which, and where."""
    what = read_message_action(told.message.data)
    about = told.about
    on: MessageShape | MessageEntity
    if about is None or about.message.is_erased:
        deleted = about.message if about else None
        on = MessageEntity(
            id=str(what.on),
            conversation_id=id_,
            deleted_at=deleted.deleted_at if deleted else None,
            deleted_by=deleted.deleted_by if deleted else None,
        )
    else:
        on = message_shape(about, with_tags=True, is_app=is_app)
    deed = MessageDeed(
        by=Entity(_user(told.sender), "user"),
        on=AnyMessage(on, "message"),
        for_=_receiver(told.receiver, id_),
    )
    return MessageActionData(what.action, deed)


def _action(told: MessageView, on: User, id_: str) -> ActionData:
    """What became of a member, with all who are named as they are now."""
    what = read_member_action(told.message.data)
    befallen = MemberEntity(
        **msgspec.structs.asdict(_user(on)), scope=what.scope, old_scope=what.old_scope
    )
    by = Entity(_user(told.sender), "user")
    return ActionData(
        what.action, Deed(by, Entity(befallen, "user"), _receiver(told.receiver, id_))
    )


def _receiver(receiver: User | Group, id_: str) -> Entity:
    if isinstance(receiver, User):
        return Entity(_user(receiver, id_), "user")
    return Entity(
        GroupEntity(
            guid=receiver.guid,
            name=receiver.name,
            icon=receiver.icon,
            description=receiver.description,
            type=receiver.type,
            owner=receiver.owner,
            created_at=receiver.created_at,
            updated_at=receiver.updated_at,
            updated_by=receiver.updated_by,
            members_count=receiver.members_count,
            conversation_id=id_,
        ),
        "group",
    )


def _user(user: User, id_: str | None = None) -> UserEntity:
    return UserEntity(
        uid=user.uid,
        name=user.name,
        role=user.role,
        avatar=user.avatar,
        link=user.link,
        status=user.status,
        updated_at=user.updated_at,
        conversation_id=id_,
    )


MOST_RECEIVERS = 100
AnyMessageId = int | Annotated[str, Meta(max_length=19)]


class MultipleReceivers(Shape):
    """Several receivers of one message, 100 in all."""

    uids: Annotated[list[str], Meta(max_length=MOST_RECEIVERS)] = []
    guids: Annotated[list[str], Meta(max_length=MOST_RECEIVERS)] = []

    def receivers(self) -> list[tuple[str, str]]:
        """Each once: (receiver type, id).

        Raises:
            BadInput: there are none, or too many, or an id is none.
        """
        uids = normalise_ids(self.uids, "multipleReceivers.uids")
        guids = normalise_ids(self.guids, "multipleReceivers.guids")
        found = dict.fromkeys(
            [*(("user", uid) for uid in uids), *(("group", id_) for id_ in guids)]
        )
        if not 0 < len(found) <= MOST_RECEIVERS:
            raise BadInput.field(
                "multipleReceivers", f"There must be 1 to {MOST_RECEIVERS} receivers in all."
            )
        return list(found)


class SentTo(Shape):
    """What became of a message to one of several receivers."""

    success: bool
    data: MessageShape | None = None
    error: Problem | None = None


class SentToMany(Shape):
    """What became of a message to several receivers, by their ids."""

    users: dict[str, SentTo] = {}
    groups: dict[str, SentTo] = {}


SentMessage = Annotated[
    msgspec.Raw,
    Meta(
        extra_json_schema={
            "anyOf": [
                {"$ref": "#/components/schemas/MessageShape"},
                {"$ref": "#/components/schemas/SentToMany"},
            ]
        }
    ),
]
"""The message; or, with several receivers, what became of each."""


def sent_message(told: MessageView, *, is_app: bool) -> msgspec.Raw:
    """The message that was sent."""
    return msgspec.Raw(_encode(message_shape(told, with_tags=True, is_app=is_app)))


def sent_to_many(
    drafts: Sequence[Draft], outcomes: Sequence[MessageView | Refusal], *, is_app: bool
) -> msgspec.Raw:
    """What became of a message to several receivers."""
    sent = SentToMany(users={}, groups={})
    for draft, outcome in zip(drafts, outcomes, strict=True):
        bucket = sent.groups if draft.receiver_type == "group" else sent.users
        bucket[draft.receiver] = sent_to(outcome, is_app=is_app)
    return msgspec.Raw(_encode(sent))


def sent_to(outcome: MessageView | Refusal, *, is_app: bool) -> SentTo:
    """What became of a message to one of several receivers."""
    if isinstance(outcome, Refusal):
        return SentTo(success=False, error=body_of(outcome).error)
    return SentTo(success=True, data=message_shape(outcome, with_tags=True, is_app=is_app))


class SendMessage(Shape):
    """A message to be. `data` is `{text, metadata, attachments, …}`, or `{customData}`."""

    receiver: Annotated[str | None, Meta(description="A uid or guid. Required.")] = None
    receiver_type: Annotated[str | None, Meta(description="`user` or `group`. Required.")] = None
    category: Annotated[
        str | None, Meta(description="`message` (the default), `custom` or `interactive`.")
    ] = None
    type: Annotated[
        str | None,
        Meta(
            description="Of a message: `text` (the default), `image`, `file`, `audio`, `video`. "
            "Of a custom message: any. Of an interactive one: `form`, `card`, `scheduler`, "
            "`customInteractive`."
        ),
    ] = None
    data: Annotated[
        Any,
        Meta(
            description="An object of at most 10,240 bytes of JSON without `attachments`: "
            "`text`, `metadata`, `attachments` of a message, `customData` of a custom one, "
            "`interactiveData` of an interactive one; further properties are kept as sent."
        ),
    ] = None
    tags: Tags | None = None
    muid: Muid | None = None
    quoted_message_id: AnyMessageId | None = None
    multiple_receivers: MultipleReceivers | None = None
    update_conversation: bool | None = None
    send_notification: bool | None = None
    conversation_text: ShortText | None = None

    def sending(self) -> Sending:
        return self._sending(self.receiver, self.receiver_type, self.muid)

    def sendings(self) -> list[Sending]:
        """One for each of several receivers, for whom the muid counts singly.

        Raises:
            BadInput: there are none, or too many, or a single one is named, too.
        """
        several = self.multiple_receivers
        assert several is not None, "there is a single receiver"
        if self.receiver is not None:
            raise BadInput.field("receiver", "It can't go together with multipleReceivers.")
        return [
            self._sending(id_, type_, self.muid and f"{self.muid}{MUID_END}{type_}:{id_}")
            for type_, id_ in several.receivers()
        ]

    def _sending(
        self, receiver: str | None, receiver_type: str | None, muid: str | None
    ) -> Sending:
        quoted = self.quoted_message_id
        return Sending(
            receiver=receiver,
            receiver_type=receiver_type,
            category=self.category,
            type=self.type,
            data=self.data,
            tags=self.tags or (),
            muid=muid,
            quoted_id=None if quoted is None else parse_message_id(str(quoted), "quotedMessageId"),
            update_conversation=self.update_conversation,
            send_notification=self.send_notification,
            conversation_text=self.conversation_text,
        )


SEARCH = (
    "Only what holds this in its text or the names of its files, whatever the case."
    " A page may hold less than asked for, even nothing, while `meta` says where it goes on."
)


class ListMessages(Shape):
    """Which messages, from where, and what of them."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    affix: Literal["append", "prepend"] = "append"
    search_key: Annotated[str, Meta(max_length=100, description=SEARCH)] = ""
    id: MessageId | None = None
    sent_at: Timestamp | None = None
    from_timestamp: Timestamp | None = None
    to_timestamp: Timestamp | None = None
    category: str | None = None
    categories: list[str] = []
    type: str | None = None
    types: list[str] = []
    tags: list[Tag] = []
    with_tags: bool = False
    sender: Id | None = None
    hide_replies: bool = False
    hide_deleted: bool = False
    only_deleted: bool = False
    pinned: bool = False
    has_attachments: bool = False
    attachment_types: list[Literal["image", "video", "audio", "file"]] = []
    has_links: bool = False
    has_mentions: bool = False
    has_reactions: bool = False
    mentioned_uids: list[Id] = []
    my_mentions_only: bool = False
    unread: Annotated[bool, Meta(description="Only what the acting user has not read.")] = False
    undelivered: bool = False
    hide_messages_from_blocked_users: bool = False
    with_parent: Annotated[
        bool, Meta(description="Replies show what they reply to, as `parentMessage`.")
    ] = False
    mentions_with_tag_info: Annotated[
        bool, Meta(description="Users in `data.mentions` show their tags.")
    ] = False
    mentions_with_blocked_info: Annotated[
        bool,
        Meta(description="Users in `data.mentions` show who of them and the acting user blocks."),
    ] = False
    count: Annotated[
        bool,
        Meta(
            description="Instead of messages their number, by user and group: of all that the "
            "filters let through, wherever the cursor stands. See the operation."
        ),
    ] = False

    def stretch(self) -> Stretch:
        return Stretch(
            limit=self.limit,
            is_before=self.affix == "prepend",
            id=None if self.id is None else parse_message_id(self.id),
            sent_at=self.sent_at,
            also=Includes(parents=self.with_parent, blocks=self.mentions_with_blocked_info),
            is_count=self.count,
        )

    def wanted(self, *, receiver_type: str | None = None) -> MessageFilter:
        return MessageFilter(
            receiver_type=receiver_type,
            sender=self.sender.lower() if self.sender else None,
            categories=[*self.categories, *([self.category] if self.category else [])],
            types=[*self.types, *([self.type] if self.type else [])],
            tags=self.tags,
            from_timestamp=self.from_timestamp,
            to_timestamp=self.to_timestamp,
            hide_replies=self.hide_replies,
            hide_deleted=self.hide_deleted,
            only_deleted=self.only_deleted,
            pinned=self.pinned,
            has_all=self._traits(),
            has_any=sum(ATTACHED[kind] for kind in set(self.attachment_types)),
            mentioned=[uid.lower() for uid in self.mentioned_uids],
            unread=self.unread,
            mentions_reader=self.my_mentions_only,
            undelivered=self.undelivered,
            hides_blocked=self.hide_messages_from_blocked_users,
            search=self.search_key,
        )

    def _traits(self) -> int:
        asked = {
            HAS_ATTACHMENTS: self.has_attachments,
            HAS_LINKS: self.has_links,
            HAS_MENTIONS: self.has_mentions or self.my_mentions_only,
            HAS_REACTIONS: self.has_reactions,
        }
        return sum(trait for trait, is_asked in asked.items() if is_asked)


class ListThread(ListMessages):
    """Which replies; `perPage` and `page` are read, too."""

    per_page: PerPage | None = None
    page: PageNumber = 1

    def stretch(self) -> Stretch:
        limit = self.per_page or self.limit
        at = super().stretch()
        return replace(at, limit=limit, offset=(self.page - 1) * limit)


class ListAllMessages(ListMessages):
    """Which messages of all conversations."""

    receiver_type: Literal["user", "group"] | None = None
    conversation_id: Annotated[str, Meta(max_length=250)] | None = None
    saved: Annotated[bool, Meta(description="Only what the acting user has saved.")] = False

    def wanted_by(self, uid: str | None) -> MessageFilter:
        """The filter of a user, or of the app itself, which has saved nothing.

        Raises:
            BadInput: saved messages are asked for, and nobody acts.
        """
        if self.saved and uid is None:
            raise BadInput.field("saved", "Saved messages are those of an acting user.")
        wanted = self.wanted(receiver_type=self.receiver_type)
        return replace(wanted, saved_by=uid if self.saved else None)


class Current(Shape):
    """What this answer holds."""

    limit: int
    count: int


class HistoryCursor(Shape):
    """Where the history goes on, as query parameters."""

    affix: Literal["append", "prepend"]
    sent_at: int
    id: str


class HistoryMeta(Shape):
    """About a stretch of a history; `previous` is older, `next` newer, where there is more."""

    current: Current
    previous: HistoryCursor | None = None
    next: HistoryCursor | None = None


Rows = Annotated[
    msgspec.Raw,
    Meta(
        extra_json_schema={
            "type": "array",
            "items": {
                "anyOf": [
                    {"$ref": "#/components/schemas/MessageShape"},
                    {"$ref": "#/components/schemas/MessageCount"},
                ]
            },
        }
    ),
]
"""Messages; or, with `count`, how many there are with whom."""


class Messages(Envelope):
    """A stretch of a history, ascending; or, with `count`, how many messages there are."""

    data: Rows
    meta: HistoryMeta


LISTED = (MessageShape, MessageCount)
"""What stands in lists of messages: named by the schema only."""


def history_shape(history: History, query: ListMessages, *, is_app: bool) -> Messages:
    """What `query` has found, as the interface shows it."""
    if history.counts is not None:
        return _counts_shape(history.counts, history.limit)
    told = history.messages
    return Messages(
        data=msgspec.Raw(
            _encode(
                [
                    message_shape(
                        each,
                        with_tags=query.with_tags,
                        is_app=is_app,
                        with_mention_tags=query.mentions_with_tag_info,
                    )
                    for each in told
                ]
            )
        ),
        meta=HistoryMeta(
            current=Current(limit=history.limit, count=len(told)),
            previous=_cursor("prepend", history.older) if history.older else None,
            next=_cursor("append", history.newer) if history.newer else None,
        ),
    )


def _counts_shape(counts: Sequence[Count], limit: int) -> Messages:
    rows = [
        MessageCount(entity_type=kind, entity_id=id_, count=count)  # type: ignore[arg-type]  # as stored
        for kind, id_, count in counts
    ]
    current = Current(limit=limit, count=len(rows))
    return Messages(data=msgspec.Raw(_encode(rows)), meta=HistoryMeta(current=current))


def _cursor(affix: Literal["append", "prepend"], place: MessageCursor) -> HistoryCursor:
    return HistoryCursor(affix=affix, sent_at=place.sent_at, id=str(place.id))
