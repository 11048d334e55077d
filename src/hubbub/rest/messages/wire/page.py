"""A page of messages as JSON: the usual messages straight from their rows, the others as shapes.

The answer is the same either way: `tests/api/pages/test_page_rendering.py` compares them. What
is shown of a message is decided in `message.py` and in the view; here is only how it is written.
"""

from dataclasses import dataclass, field

import msgspec

from hubbub.domain.views.messages import MessagePage
from hubbub.files.links import has_references
from hubbub.records.conversations.model import conversation_id
from hubbub.records.mentions.model import ALL
from hubbub.records.messages.model import ACTION, Message, given_muid
from hubbub.rest.messages.wire.entities import (
    MentionEntity,
    mention_entity,
    receiver_entity,
    sender_entity,
)
from hubbub.rest.messages.wire.message import additions, message_shape

_encode = msgspec.json.Encoder().encode

Frame = tuple[str, str]
"""The JSON between the id of a message and its data, and the entities in its data."""
FrameKey = tuple[str, str, str, str, str]
"""Sender, kind of receiver, receiver, category and type."""


@dataclass(slots=True, kw_only=True)
class PageRenderer:
    """Renders the messages of a page; users and groups are rendered once."""

    page: MessagePage
    is_app: bool
    with_tags: bool = False
    with_mention_tags: bool = False
    _frames: dict[FrameKey, Frame] = field(default_factory=dict)
    _senders: dict[str, str] = field(default_factory=dict)
    _mentions: dict[str, MentionEntity] = field(default_factory=dict)

    def render(self, message: Message) -> bytes:
        """Return a message of the page as JSON."""
        return self.render_row(message) if self.is_usual(message) else self.render_shape(message)

    def render_shape(self, message: Message) -> bytes:
        """Return a message of any kind as JSON."""
        return _encode(
            message_shape(
                self.page.view(message),
                with_tags=self.with_tags,
                is_app=self.is_app,
                with_mention_tags=self.with_mention_tags,
            )
        )

    def render_row(self, message: Message) -> bytes:
        """Return a usual message as JSON; the order of fields is that of `MessageShape`."""
        key = (
            message.sender,
            message.receiver_type,
            message.receiver,
            message.category,
            message.type,
        )
        head, entities = self._frames.get(key) or self._make_frame(key, message)
        muid = f'","muid":{_text(given_muid(message.muid))}' if message.muid else '"'
        data, separator = message.data[:-1], "" if message.data == "{}" else ","
        return (
            f'{{"id":"{message.id}{muid}{head}{data}{separator}{entities}'
            f'{self._additions(message)}}},"sentAt":{message.sent_at}'
            f',"updatedAt":{message.updated_at}{self._optional(message)}}}'
        ).encode()

    def is_usual(self, message: Message) -> bool:
        """Return whether a message has nothing that only its shape can render."""
        is_plain = (
            message.category != ACTION and message.deleted_at is None and message.options is None
        )
        has_related = message.quoted_id is not None or (
            self.page.includes.parents and message.parent_id is not None
        )
        has_tags = self.with_tags and message.tags != "[]"
        return is_plain and not (has_related or has_tags or has_references(message.data))

    def _make_frame(self, key: FrameKey, message: Message) -> Frame:
        conversation = conversation_id(message.key)
        sender, receiver_type, receiver, category, type_ = key
        fields = {
            "conversationId": conversation,
            "sender": sender,
            "receiverType": receiver_type,
            "receiver": receiver,
            "category": category,
            "type": type_,
        }
        head = f',{_text(fields)[1:-1]},"data":'
        related = self.page.related
        if sender not in self._senders:
            self._senders[sender] = _text(sender_entity(related.user(sender)))
        to = _text(receiver_entity(related.receiver_of(message), conversation))
        entities = f'"entities":{{"sender":{self._senders[sender]},"receiver":{to}}}'
        self._frames[key] = head, entities
        return head, entities

    def _additions(self, message: Message) -> str:
        """Return the properties of `data` that follow the entities."""
        id_, related = message.id, self.page.related
        mentioned = related.mentions.get(id_, ())
        reactions = related.reactions.get(id_, ())
        interactions = related.interactions.get(id_, ())
        if not (mentioned or reactions or interactions):
            return ""
        mentions = {uid: self._mention(uid) for uid in mentioned if uid != ALL}
        added = additions(mentions, reactions, interactions, mentions_all=ALL in mentioned)
        return "".join(f",{each.decode()}" for each in added)

    def _mention(self, uid: str) -> MentionEntity:
        if uid not in self._mentions:
            related = self.page.related
            self._mentions[uid] = mention_entity(
                related.user(uid),
                related.blocked_by_viewer.get(uid),
                related.has_blocked_viewer.get(uid),
                with_tags=self.with_mention_tags,
            )
        return self._mentions[uid]

    def _optional(self, message: Message) -> str:
        """Return the fields behind `updatedAt` that a usual message may have."""
        related = self.page.related
        delivered_at, read_at = related.times.of(message)
        optional = ""
        if message.parent_id is not None:
            optional = f',"parentId":"{message.parent_id}"'
        if delivered_at is not None:
            optional += f',"deliveredAt":{delivered_at}'
        if read_at is not None:
            optional += f',"readAt":{read_at}'
        if message.edited_at is not None:
            optional += f',"editedAt":{message.edited_at}'
        if message.edited_by is not None:
            optional += f',"editedBy":{_text(message.edited_by)}'
        if message.id in related.pinned:
            optional += f',"pinnedAt":{related.pinned[message.id]}'
        if message.id in related.saved:
            optional += f',"savedAt":{related.saved[message.id]}'
        return optional


def _text(value: object) -> str:
    """Return a value as JSON."""
    return _encode(value).decode()
