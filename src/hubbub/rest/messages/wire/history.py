"""Lists of messages: the query, the cursors of a slice, and the answer."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.messages.find import History, HistoryRequest
from hubbub.http.call import Call
from hubbub.http.documented import documented_as
from hubbub.http.lists import size_of_piece
from hubbub.http.operation import Envelope
from hubbub.kernel.errors import BadInput
from hubbub.records.messages.counts import Count
from hubbub.records.messages.listing import MessageCursor, MessageFilter
from hubbub.records.messages.model import (
    ATTACHED,
    HAS_ATTACHMENTS,
    HAS_LINKS,
    HAS_MENTIONS,
    HAS_REACTIONS,
    Includes,
)
from hubbub.rest.messages.wire.message import MessageShape
from hubbub.rest.messages.wire.page import PageRenderer
from hubbub.rest.wire.enums import Affix, MessageCategory, ReceiverType
from hubbub.rest.wire.path import parse_message_id
from hubbub.rest.wire.shapes import Id, PageNumber, PerPage, Shape, Tag, Timestamp
from hubbub.rest.wire.slices import Current, RowId, SliceLimit, SliceMeta

SEARCH = (
    "Only messages whose text or file names contain this; case is ignored."
    " An answer may hold fewer messages than `limit`, even none, while `meta` has a cursor to"
    " continue from."
)


class ListMessages(Shape):
    """The filters of a list of messages, its cursor, and what is included with each message."""

    limit: SliceLimit = 100
    affix: Affix = "append"
    search_key: Annotated[str, Meta(max_length=100, description=SEARCH)] = ""
    id: Annotated[RowId | None, Meta(description="The message from which the list continues.")] = (
        None
    )
    sent_at: Annotated[
        Timestamp | None, Meta(description="The time from which the list continues, in seconds.")
    ] = None
    from_timestamp: Annotated[
        Timestamp | None, Meta(description="Only messages that were sent since then.")
    ] = None
    to_timestamp: Annotated[
        Timestamp | None, Meta(description="Only messages that were sent until then.")
    ] = None
    category: Annotated[
        str | None, documented_as(MessageCategory, description="Only messages of this category.")
    ] = None
    categories: Annotated[
        list[str],
        documented_as(list[MessageCategory], description="Only messages of these categories."),
    ] = []
    type: Annotated[str | None, Meta(description="Only messages of this type.")] = None
    types: Annotated[list[str], Meta(description="Only messages of these types.")] = []
    tags: Annotated[list[Tag], Meta(description="Only messages with one of these tags.")] = []
    with_tags: Annotated[bool, Meta(description="Messages show their tags.")] = False
    sender: Annotated[Id | None, Meta(description="Only messages of this user.")] = None
    hide_replies: Annotated[bool, Meta(description="No replies in threads.")] = False
    hide_deleted: Annotated[bool, Meta(description="No deleted messages.")] = False
    only_deleted: Annotated[bool, Meta(description="Only deleted messages.")] = False
    pinned: Annotated[bool, Meta(description="Only messages that are pinned.")] = False
    has_attachments: Annotated[bool, Meta(description="Only messages with attachments.")] = False
    attachment_types: Annotated[
        list[Literal["image", "video", "audio", "file"]],
        Meta(description="Only messages with an attachment of one of these kinds."),
    ] = []
    has_links: Annotated[bool, Meta(description="Only messages whose text has a link.")] = False
    has_mentions: Annotated[bool, Meta(description="Only messages that mention someone.")] = False
    has_reactions: Annotated[bool, Meta(description="Only messages with reactions.")] = False
    mentioned_uids: Annotated[
        list[Id], Meta(description="Only messages that mention one of these users.")
    ] = []
    my_mentions_only: Annotated[
        bool, Meta(description="Only messages that mention the acting user.")
    ] = False
    unread: Annotated[
        bool, Meta(description="Only messages that the acting user has not read.")
    ] = False
    undelivered: Annotated[
        bool, Meta(description="Only messages that were not delivered to the acting user.")
    ] = False
    hide_messages_from_blocked_users: Annotated[
        bool, Meta(description="No messages of users whom the acting user blocks.")
    ] = False
    with_parent: Annotated[
        bool, Meta(description="Replies show the message that they reply to, as `parentMessage`.")
    ] = False
    mentions_with_tag_info: Annotated[
        bool, Meta(description="Users in `data.mentions` show their tags.")
    ] = False
    mentions_with_blocked_info: Annotated[
        bool,
        Meta(
            description="Users in `data.mentions` show whether they block the acting user, or are"
            " blocked by them."
        ),
    ] = False
    count: Annotated[
        bool,
        Meta(
            description="Instead of messages, their number by user and group: of all messages "
            "that match the filters, whatever the cursor. See the operation."
        ),
    ] = False

    def request(self) -> HistoryRequest:
        return HistoryRequest(
            wanted=self.wanted(),
            limit=self.limit,
            is_before=self.affix == "prepend",
            id=None if self.id is None else parse_message_id(self.id),
            sent_at=self.sent_at,
            includes=Includes(parents=self.with_parent, blocks=self.mentions_with_blocked_info),
            is_count=self.count,
        )

    def wanted(self) -> MessageFilter:
        return MessageFilter(
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
        requested = {
            HAS_ATTACHMENTS: self.has_attachments,
            HAS_LINKS: self.has_links,
            HAS_MENTIONS: self.has_mentions or self.my_mentions_only,
            HAS_REACTIONS: self.has_reactions,
        }
        return sum(trait for trait, is_requested in requested.items() if is_requested)


class ListThread(ListMessages):
    """The filters and cursor of a list of replies; `perPage` and `page` work, too."""

    per_page: Annotated[PerPage | None, Meta(description="The same as `limit`.")] = None
    page: PageNumber = 1

    def request(self) -> HistoryRequest:
        limit = self.per_page or self.limit
        return msgspec.structs.replace(
            super().request(), limit=limit, offset=(self.page - 1) * limit
        )


class ListAllMessages(ListMessages):
    """The filters and cursor of a list of messages of all conversations."""

    receiver_type: Annotated[
        ReceiverType | None, Meta(description="Only messages to users, or to groups.")
    ] = None
    conversation_id: (
        Annotated[str, Meta(max_length=250, description="Only messages of this conversation.")]
        | None
    ) = None
    saved: Annotated[bool, Meta(description="Only messages that the acting user has saved.")] = (
        False
    )

    def request_by(self, uid: str | None) -> HistoryRequest:
        """Return the request of an acting user; None is the app itself, which saves no messages.

        Raises:
            BadInput: `saved` is set without an acting user.
        """
        if self.saved and uid is None:
            raise BadInput.field("saved", "Only users have saved messages; send onBehalfOf.")
        saved_by = uid if self.saved else None
        wanted = msgspec.structs.replace(
            self.wanted(), receiver_type=self.receiver_type, saved_by=saved_by
        )
        return msgspec.structs.replace(self.request(), wanted=wanted)


class HistoryCursor(Shape):
    """The query parameters that continue a list of messages from a message."""

    affix: Affix
    sent_at: int
    id: str


class MessageCount(Shape, kw_only=True):
    """The number of messages with a user, or in a group."""

    entity_type: ReceiverType
    entity_id: str
    count: int


Rows = Annotated[
    list[Any],
    documented_as(
        list[Annotated[Any, documented_as(MessageShape, MessageCount, title="ListedMessage")]],
        description="Messages; or, with `count`, numbers of messages.",
    ),
]
"""Messages; or, with `count`, their number by user and group."""


class HistoryMeta(SliceMeta[HistoryCursor]):
    """The size of a slice, its cursors, and whether it holds all that it could."""

    incomplete: Annotated[
        bool,
        Meta(
            description="True if a search, or a count, took so long that it ended with what it had"
            " found so far. A search goes on from its cursor."
        ),
    ] = False


class MessageList(Envelope):
    """A slice of a list of messages, ascending; or, with `count`, numbers of messages."""

    data: Rows
    meta: HistoryMeta


async def history_shape(call: Call, history: History, query: ListMessages) -> MessageList:
    """Return the answer to `query`; a long one is made in pieces."""
    if history.counts is not None:
        return _counts_shape(history, history.counts)
    rows: Sequence[bytes] = ()
    if history.page is not None:
        renderer = PageRenderer(
            app_id=call.app_id,
            page=history.page,
            is_app=call.actor.is_app,
            with_tags=query.with_tags,
            with_mention_tags=query.mentions_with_tag_info,
        )
        messages = history.page.messages
        rows = await call.runtime.pieces.make(
            call.app_id, messages, renderer.render_some, size=size_of_piece(messages)
        )
    return MessageList(
        data=[*map(msgspec.Raw, rows)],
        meta=HistoryMeta(
            current=Current(limit=history.limit, count=len(rows)),
            previous=_cursor_shape("prepend", history.older),
            next=_cursor_shape("append", history.newer),
            incomplete=history.is_incomplete,
        ),
    )


def _counts_shape(history: History, counts: Sequence[Count]) -> MessageList:
    rows = [
        MessageCount(entity_type=kind, entity_id=id_, count=count)  # type: ignore[arg-type]  # as stored
        for kind, id_, count in counts
    ]
    meta = HistoryMeta(
        current=Current(limit=history.limit, count=len(rows)), incomplete=history.is_incomplete
    )
    return MessageList(data=rows, meta=meta)


def _cursor_shape(affix: Affix, cursor: MessageCursor | None) -> HistoryCursor | None:
    if cursor is None:
        return None
    return HistoryCursor(affix=affix, sent_at=cursor.sent_at, id=str(cursor.id))
