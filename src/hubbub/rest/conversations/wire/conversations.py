"""The shapes of conversations, and of delivered and read marks."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.domain.conversations.find import ConversationView
from hubbub.http.call import Call
from hubbub.http.documented import documented_as
from hubbub.http.lists import size_of_piece
from hubbub.records.conversations.listing import ConversationFilter
from hubbub.records.conversations.model import conversation_id
from hubbub.records.groups.model import Group
from hubbub.records.messages.model import Message
from hubbub.rest.groups.wire.groups import GroupShape, group_shape
from hubbub.rest.messages.wire.message import MessageShape
from hubbub.rest.messages.wire.page import PageRenderer
from hubbub.rest.people.wire.users import UserShape, user_view_shape
from hubbub.rest.wire.enums import ReceiverType
from hubbub.rest.wire.path import parse_message_id
from hubbub.rest.wire.shapes import PageQuery, SearchKey, Shape, Tag, Tags

_encode = msgspec.json.Encoder().encode
_decode_tags = msgspec.json.Decoder(list[str]).decode


class ConversationShape(Shape, kw_only=True):
    """A conversation as a participant sees it; `conversationWith` is a user or a group."""

    conversation_id: str
    conversation_type: ReceiverType
    unread_message_count: str
    created_at: int
    updated_at: int
    last_message: (
        Annotated[
            msgspec.Raw,
            documented_as(MessageShape),
        ]
        | None
    ) = None
    conversation_with: Annotated[
        msgspec.Raw,
        documented_as(
            UserShape,
            GroupShape,
            title="ConversationWith",
            description="The other user, or the group.",
        ),
    ]
    tags: list[str] | None = None
    pinned_at: int | None = None


def conversation_shape(app_id: str, view: ConversationView, *, is_app: bool) -> ConversationShape:
    """Return a conversation on the wire, with all tags."""
    page = view.last_messages
    last = _by_id(page.messages, PageRenderer(app_id=app_id, page=page, is_app=is_app).render())
    return _conversation_shape(view, last, with_tags=True, with_other_tags=True)


async def conversation_shapes(
    call: Call, views: Sequence[ConversationView], *, with_tags: bool, with_other_tags: bool
) -> list[ConversationShape]:
    """Return conversations that were found together on the wire; many are made in pieces."""
    if not views:
        return []
    page, make = views[0].last_messages, partial(call.runtime.pieces.make, call.app_id)
    renderer = PageRenderer(app_id=call.app_id, page=page, is_app=call.actor.is_app)
    rows = await make(page.messages, renderer.render_some, size=size_of_piece(page.messages))
    last = _by_id(page.messages, rows)

    def some(views: Sequence[ConversationView]) -> list[ConversationShape]:
        return [
            _conversation_shape(each, last, with_tags=with_tags, with_other_tags=with_other_tags)
            for each in views
        ]

    return await make(views, some, size=size_of_piece(views))


def _by_id(messages: Sequence[Message], rows: Sequence[bytes]) -> dict[int, bytes]:
    return {message.id: row for message, row in zip(messages, rows, strict=True)}


def _conversation_shape(
    view: ConversationView,
    last: Mapping[int, bytes],
    *,
    with_tags: bool,
    with_other_tags: bool,
) -> ConversationShape:
    conversation, participant = view.listed.conversation, view.listed.participant
    tags = _decode_tags(participant.tags) if with_tags else None
    return ConversationShape(
        conversation_id=conversation_id(conversation.key),
        conversation_type=conversation.kind,  # type: ignore[arg-type]  # one of the two, as stored
        unread_message_count=str(view.unread),
        created_at=conversation.created_at,
        updated_at=conversation.updated_at,
        last_message=msgspec.Raw(last[view.last.id]) if view.last else None,
        conversation_with=msgspec.Raw(_encode(_other_shape(view, with_tags=with_other_tags))),
        tags=tags or None,
        pinned_at=view.listed.pinned_at,
    )


def _other_shape(view: ConversationView, *, with_tags: bool) -> UserShape | GroupShape:
    if isinstance(view.other, Group):
        return group_shape(view.other, view.member, with_tags=with_tags)
    viewer = view.listed.participant.uid
    return user_view_shape(view.other, viewer=viewer, with_tags=with_tags)


class ListConversations(PageQuery):
    """The filters of a list of conversations, and what is included with each."""

    search_key: SearchKey = ""
    conversation_type: Annotated[
        ReceiverType | None, Meta(description="Only conversations with users, or of groups.")
    ] = None
    with_tags: Annotated[bool, Meta(description="Conversations show the acting user's tags.")] = (
        False
    )
    tags: Annotated[list[Tag], Meta(description="Only conversations with one of these tags.")] = []
    with_user_and_group_tags: Annotated[
        bool, Meta(description="Users and groups show their tags.")
    ] = False
    user_tags: Annotated[
        list[Tag], Meta(description="Only conversations with users with one of these tags.")
    ] = []
    group_tags: Annotated[
        list[Tag], Meta(description="Only conversations of groups with one of these tags.")
    ] = []
    unread: Annotated[bool, Meta(description="Only conversations with unread messages.")] = False
    pinned: Annotated[bool, Meta(description="Only conversations that are pinned.")] = False
    include_blocked_users: Annotated[
        bool, Meta(description="Also conversations with users whom the acting user blocks.")
    ] = False

    def wanted(self) -> ConversationFilter:
        return ConversationFilter(
            kind=self.conversation_type,
            tags=self.tags,
            user_tags=self.user_tags,
            group_tags=self.group_tags,
            search=self.search_key.strip(),
            unread_only=self.unread,
            pinned_only=self.pinned,
            with_blocked=self.include_blocked_users,
        )


class UpdateConversation(Shape):
    """The tags of the acting user's conversation."""

    tags: Tags = []


class MarkUpTo(Shape):
    """The message up to which to mark; without it, all messages are marked."""

    message_id: int | str | None = None

    def message(self) -> int | None:
        """Return the message's id, if one is given.

        Raises:
            BadInput: the text is not a message id.
        """
        if self.message_id is None:
            return None
        return parse_message_id(str(self.message_id), "messageId")


class ResetConversation(Shape):
    """The way in which a conversation is reset."""

    conversation_with: str | None = None
    delete_messages_permanently: bool = False


class MarkedShape(Shape):
    """An acknowledgement, with the text in both spellings of the interface."""

    success: bool
    message: str
    also_message: str = msgspec.field(name="Message")


def marked(text: str) -> MarkedShape:
    """Return the acknowledgement of a mark."""
    return MarkedShape(success=True, message=text, also_message=text)
