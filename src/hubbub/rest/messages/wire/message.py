"""The shape of a message: its fields, related messages, and what the server adds to `data`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hubbub.files.links import has_references, mark_references
from hubbub.http.documented import documented_as
from hubbub.records.conversations.model import conversation_id
from hubbub.records.messages.actions import read_member_action, read_message_action
from hubbub.records.messages.model import (
    ACTION,
    Interaction,
    Message,
    MessageView,
    PollState,
    ReactionCount,
    given_muid,
)
from hubbub.records.users.model import User
from hubbub.rest.messages.wire.entities import (
    ActionData,
    ActionShape,
    Entities,
    Entity,
    MemberEntity,
    MentionEntity,
    mention_entity,
    receiver_entity,
    sender_entity,
    user_entity,
)
from hubbub.rest.wire.enums import MessageCategory, ReceiverType
from hubbub.rest.wire.shapes import Shape

_encode = msgspec.json.Encoder().encode
_decode_options = msgspec.json.Decoder(dict[str, Any]).decode

DataObject = Annotated[
    msgspec.Raw,
    Meta(
        extra_json_schema={
            "type": "object",
            "description": "The data as it was sent, with `entities {sender, receiver}`.",
        }
    ),
]


class PlainMessage(Shape, kw_only=True):
    """A message, without the message that it quotes."""

    id: str
    muid: str | None = None
    conversation_id: str
    sender: str
    receiver_type: ReceiverType
    receiver: str
    category: Annotated[str, documented_as(MessageCategory)]
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
    """A message; replies have `parentMessage` if `withParent` asks for it."""

    quoted_message: PlainMessage | None = None
    parent_message: PlainMessage | None = None


class ReactionShape(Shape):
    """A reaction to a message, and the number of users who gave it."""

    reaction: str
    count: int
    reacted_by_me: bool = False


class InteractionShape(Shape):
    """An element of an interactive message that the acting user has used."""

    element_id: str
    interacted_at: int


class PollOptionShape(Shape):
    """An option of a poll: how many have voted for it, and whether the acting user has."""

    votes: int
    voted_by_me: bool = False


class PollShape(Shape, kw_only=True):
    """The state of a poll: its options in the order of `options`."""

    voters: int
    options: list[PollOptionShape]
    closes_at: int | None = None
    closed_at: int | None = None


def poll_shape(poll: PollState) -> PollShape:
    """Return the state of a poll on the wire."""
    return PollShape(
        voters=poll.voters,
        options=[
            PollOptionShape(votes=votes, voted_by_me=bool(poll.mine >> option & 1))
            for option, votes in enumerate(poll.counts)
        ],
        closes_at=poll.closes_at,
        closed_at=poll.closed_at,
    )


class TombstoneEntity(Shape, kw_only=True):
    """A message that is erased, or hidden from the reader: its id, and who deleted it."""

    id: str
    conversation_id: str
    deleted_at: int | None = None
    deleted_by: str | None = None


class MessageEntity(msgspec.Struct, rename="camel"):
    """A message inside an action message, in its present state."""

    entity: MessageShape | TombstoneEntity
    entity_type: str


class MessageActionShape(msgspec.Struct, kw_only=True):
    """Who acted, on which message, and where."""

    by: Entity
    on: MessageEntity
    for_: Entity = msgspec.field(name="for")


class ShownMessageAction(msgspec.Struct):
    """The data of an action message about a message."""

    action: str
    entities: MessageActionShape


def message_shape(
    view: MessageView, *, with_tags: bool, is_app: bool, with_mention_tags: bool = False
) -> MessageShape:
    """Return a message on the wire; users do not see the content of deleted messages."""
    message = view.message
    conversation = conversation_id(message.key)
    is_hidden = _is_content_hidden(message, is_app=is_app)
    options = _decode_options(message.options) if message.options else {}
    return MessageShape(
        id=str(message.id),
        muid=given_muid(message.muid) if message.muid else None,
        conversation_id=conversation,
        sender=message.sender,
        receiver_type=message.receiver_type,  # type: ignore[arg-type]  # one of the two, as stored
        receiver=message.receiver,
        category=message.category,
        type=message.type,
        data=_data(view, conversation, is_app=is_app, with_mention_tags=with_mention_tags),
        sent_at=message.sent_at,
        updated_at=message.updated_at,
        parent_id=None if message.parent_id is None else str(message.parent_id),
        delivered_at=view.delivered_at,
        read_at=view.read_at,
        edited_at=message.edited_at,
        edited_by=message.edited_by,
        deleted_at=message.deleted_at,
        deleted_by=message.deleted_by,
        tags=_tags(message) if with_tags and not is_hidden else None,
        update_conversation=options.get("updateConversation", UNSET),
        send_notification=options.get("sendNotification", UNSET),
        conversation_text=None if is_hidden else options.get("conversationText"),
        quoted_message=None if is_hidden else _related_shape(view.quoted, is_app=is_app),
        parent_message=_related_shape(view.parent, is_app=is_app),
        pinned_at=view.pinned_at,
        saved_at=view.saved_at,
    )


def _related_shape(view: MessageView | None, *, is_app: bool) -> MessageShape | None:
    """Return the message that another one quotes, or replies to."""
    return None if view is None else message_shape(view, with_tags=False, is_app=is_app)


def _tags(message: Message) -> list[str] | None:
    return message.tag_list if message.tags != "[]" else None


def _is_content_hidden(message: Message, *, is_app: bool) -> bool:
    """Return whether a message is deleted and its reader may not see deleted content."""
    return message.deleted_at is not None and not is_app


def _data(
    view: MessageView, conversation: str, *, is_app: bool, with_mention_tags: bool
) -> msgspec.Raw:
    """Return the stored JSON with the properties of the server spliced in, without decoding it."""
    message = view.message
    if view.on is not None:
        return msgspec.Raw(_encode(_member_action(view, view.on, conversation)))
    if message.category == ACTION:
        return msgspec.Raw(_encode(_message_action(view, conversation, is_app=is_app)))
    is_hidden = _is_content_hidden(message, is_app=is_app)
    stored = b"{}" if is_hidden else message.data.encode()
    if message.id > 0 and has_references(message.data):  # one that is not stored has no links
        is_deleted = message.deleted_at is not None
        stored = mark_references(stored, message.id, is_deleted=is_deleted)
    added = b",".join(
        _added_properties(
            view, conversation, is_hidden=is_hidden, with_mention_tags=with_mention_tags
        )
    )
    separator = b"" if stored == b"{}" else b","
    return msgspec.Raw(b"".join((stored[:-1], separator, added, b"}")))


def _added_properties(
    view: MessageView, conversation: str, *, is_hidden: bool, with_mention_tags: bool
) -> Iterator[bytes]:
    """Yield the properties of `data` that the server adds, as JSON."""
    entities = Entities(sender_entity(view.sender), receiver_entity(view.receiver, conversation))
    yield b'"entities":' + _encode(entities)
    if is_hidden:
        return
    mentions = mention_entities(view, with_tags=with_mention_tags)
    yield from additions(
        mentions, view.reactions, view.interactions, view.poll, mentions_all=view.mentions_all
    )


def mention_entities(view: MessageView, *, with_tags: bool) -> dict[str, MentionEntity]:
    """Return the mentioned users of a message by uid."""
    return {
        uid: mention_entity(
            user,
            view.blocked_by_viewer.get(uid),
            view.has_blocked_viewer.get(uid),
            with_tags=with_tags,
        )
        for uid, user in view.mentions.items()
    }


def additions(
    mentions: Mapping[str, MentionEntity],
    reactions: Sequence[ReactionCount],
    interactions: Sequence[Interaction],
    poll: PollState | None,
    *,
    mentions_all: bool,
) -> Iterator[bytes]:
    """Yield the properties of `data` that follow the entities, as JSON."""
    if mentions or mentions_all:
        everybody = {"all": {"type": "all"}} if mentions_all else {}
        yield b'"mentions":' + _encode({**mentions, **everybody})
    if reactions:
        counts = [
            ReactionShape(reaction=each.reaction, count=each.count, reacted_by_me=each.is_mine)
            for each in reactions
        ]
        yield b'"reactions":' + _encode(counts)
    if interactions:
        used = [
            InteractionShape(element_id=each.element_id, interacted_at=each.interacted_at)
            for each in interactions
        ]
        yield b'"interactions":' + _encode(used)
    if poll is not None:
        yield b'"poll":' + _encode(poll_shape(poll))


def _member_action(view: MessageView, target: User, conversation: str) -> ActionData:
    """Return what was done to a member, with the present state of all who are named."""
    action = read_member_action(view.message.data)
    member = MemberEntity(
        **msgspec.structs.asdict(user_entity(target)),
        scope=action.scope,
        old_scope=action.old_scope,
    )
    entities = ActionShape(
        by=sender_entity(view.sender),
        on=Entity(member, "user"),
        for_=receiver_entity(view.receiver, conversation),
    )
    return ActionData(action.action, entities)


def _message_action(view: MessageView, conversation: str, *, is_app: bool) -> ShownMessageAction:
    """Return what was done to a message, with the present state of the message."""
    action = read_message_action(view.message.data)
    entities = MessageActionShape(
        by=sender_entity(view.sender),
        on=MessageEntity(_action_target(view, action.on, conversation, is_app=is_app), "message"),
        for_=receiver_entity(view.receiver, conversation),
    )
    return ShownMessageAction(action.action, entities)


def _action_target(
    view: MessageView, target_id: int, conversation: str, *, is_app: bool
) -> MessageShape | TombstoneEntity:
    if view.about is not None and not view.about.message.is_erased:
        return message_shape(view.about, with_tags=True, is_app=is_app)
    deleted = view.about.message if view.about else None
    return TombstoneEntity(
        id=str(target_id),
        conversation_id=conversation,
        deleted_at=deleted.deleted_at if deleted else None,
        deleted_by=deleted.deleted_by if deleted else None,
    )
