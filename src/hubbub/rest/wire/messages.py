"""The shapes of messages."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hubbub.domain.conversations.model import conversation_id
from hubbub.domain.groups.model import Group
from hubbub.domain.messages.act import read_member_action
from hubbub.domain.messages.compose import Sending
from hubbub.domain.messages.find import History, Stretch
from hubbub.domain.messages.model import Message, Told
from hubbub.domain.messages.store import MessageFilter
from hubbub.domain.users.model import User
from hubbub.rest.decode import parse_message_id
from hubbub.rest.operation import Envelope
from hubbub.rest.wire.shapes import Id, Shape, ShortText, Tag, Tags, Timestamp

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


class MessageShape(Shape, kw_only=True):
    """A message."""

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


def message_shape(told: Told, *, with_tags: bool, is_app: bool) -> MessageShape:
    """A message as the interface shows it; users don't see what was deleted."""
    message = told.message
    id_ = conversation_id(message.key)
    options = _decode_options(message.options) if message.options else {}
    return MessageShape(
        id=str(message.id),
        muid=message.muid,
        conversation_id=id_,
        sender=message.sender,
        receiver_type=message.receiver_type,  # type: ignore[arg-type]  # one of the two, as stored
        receiver=message.receiver,
        category=message.category,
        type=message.type,
        data=_data(told, id_, is_app=is_app),
        sent_at=message.sent_at,
        updated_at=message.updated_at,
        parent_id=None if message.parent_id is None else str(message.parent_id),
        delivered_at=message.delivered_at,
        read_at=message.read_at,
        edited_at=message.edited_at,
        edited_by=message.edited_by,
        deleted_at=message.deleted_at,
        deleted_by=message.deleted_by,
        tags=_tags(message) if with_tags else None,
        update_conversation=options.get("updateConversation", UNSET),
        send_notification=options.get("sendNotification", UNSET),
        conversation_text=options.get("conversationText"),
    )


def _tags(message: Message) -> list[str] | None:
    return message.tag_list if message.tags != "[]" else None


def _data(told: Told, id_: str, *, is_app: bool) -> msgspec.Raw:
    """The stored JSON with the entities put in, without taking it apart."""
    message = told.message
    if told.on is not None:
        return msgspec.Raw(_encode(_action(told, told.on, id_)))
    is_hidden = message.deleted_at is not None and not is_app
    stored = b"{}" if is_hidden else message.data.encode()
    entities = Entities(
        Entity(_user(told.sender), "user"),
        _receiver(told.receiver, id_),
    )
    separator = b"" if stored == b"{}" else b","
    return msgspec.Raw(b"".join((stored[:-1], separator, b'"entities":', _encode(entities), b"}")))


def _action(told: Told, on: User, id_: str) -> ActionData:
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
    update_conversation: bool | None = None
    send_notification: bool | None = None
    conversation_text: ShortText | None = None

    def sending(self) -> Sending:
        return Sending(
            receiver=self.receiver,
            receiver_type=self.receiver_type,
            category=self.category,
            type=self.type,
            data=self.data,
            tags=self.tags or (),
            muid=self.muid,
            update_conversation=self.update_conversation,
            send_notification=self.send_notification,
            conversation_text=self.conversation_text,
        )


class ListMessages(Shape):
    """Which messages, from where, and what of them."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    affix: Literal["append", "prepend"] = "append"
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

    def stretch(self) -> Stretch:
        return Stretch(
            limit=self.limit,
            is_before=self.affix == "prepend",
            id=None if self.id is None else parse_message_id(self.id),
            sent_at=self.sent_at,
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
        )


class ListAllMessages(ListMessages):
    """Which messages of all conversations."""

    receiver_type: Literal["user", "group"] | None = None
    conversation_id: Annotated[str, Meta(max_length=250)] | None = None


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


class Messages(Envelope):
    """A stretch of a history, ascending."""

    data: list[MessageShape]
    meta: HistoryMeta


def history_shape(history: History, *, with_tags: bool, is_app: bool) -> Messages:
    """A stretch of a history as the interface shows it."""
    told = history.messages
    return Messages(
        data=[message_shape(each, with_tags=with_tags, is_app=is_app) for each in told],
        meta=HistoryMeta(
            current=Current(limit=history.limit, count=len(told)),
            previous=_cursor("prepend", told[0].message) if history.has_older else None,
            next=_cursor("append", told[-1].message) if history.has_newer else None,
        ),
    )


def _cursor(affix: Literal["append", "prepend"], message: Message) -> HistoryCursor:
    return HistoryCursor(affix=affix, sent_at=message.sent_at, id=str(message.id))
