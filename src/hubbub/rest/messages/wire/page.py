"""A page of messages as JSON: the usual messages straight from their rows, the others as shapes.

The answer is the same either way: `tests/api/pages/test_page_rendering.py` compares them. What
is shown of a message is decided in `message.py` and in the view; here is only how it is written.
"""

from dataclasses import dataclass, field

import msgspec

from hubbub.domain.views.messages import MessagePage
from hubbub.files.links import has_references
from hubbub.records.conversations.model import conversation_id
from hubbub.records.groups.model import Group
from hubbub.records.mentions.model import ALL
from hubbub.records.messages.model import ACTION, Message, MessageView, given_muid
from hubbub.records.users.model import User
from hubbub.rest.messages.wire.entities import (
    MentionEntity,
    mention_entity,
    receiver_entity,
    sender_entity,
)
from hubbub.rest.messages.wire.message import additions, mention_entities, message_shape

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
    _has_additions: bool = field(init=False)
    _has_marks: bool = field(init=False)
    """Whether any message of the page is pinned or saved."""
    _frames: dict[FrameKey, Frame] = field(default_factory=dict)
    _senders: dict[str, str] = field(default_factory=dict)
    _mentions: dict[str, MentionEntity] = field(default_factory=dict)

    def __post_init__(self) -> None:
        related = self.page.related
        self._has_additions = bool(related.mentions or related.reactions or related.interactions)
        self._has_marks = bool(related.pinned or related.saved)

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
        frame = self._frames.get(key) or self._make_frame(key, message)
        additions = self._additions(message) if self._has_additions else ""
        optional = _write_times(message, *self.page.related.times.of(message))
        if self._has_marks:
            optional += self._marks(message)
        return _write_row(message, frame, additions, optional)

    def is_usual(self, message: Message) -> bool:
        """Return whether a message has nothing that only its shape can render."""
        has_parent = self.page.includes.parents and message.parent_id is not None
        return not has_parent and _is_usual(message, with_tags=self.with_tags)

    def _make_frame(self, key: FrameKey, message: Message) -> Frame:
        related, sender = self.page.related, message.sender
        if sender not in self._senders:
            self._senders[sender] = _text(sender_entity(related.user(sender)))
        receiver = related.receiver_of(message)
        frame = self._frames[key] = _make_frame(message, self._senders[sender], receiver)
        return frame

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

    def _marks(self, message: Message) -> str:
        """Return when a message was pinned, and saved by the viewer."""
        related, marks = self.page.related, ""
        if message.id in related.pinned:
            marks = f',"pinnedAt":{related.pinned[message.id]}'
        if message.id in related.saved:
            marks += f',"savedAt":{related.saved[message.id]}'
        return marks


MOST_FRAMES = 10_000
_sent_frames: dict[FrameKey, tuple[User, User | Group, Frame]] = {}
"""The frames of sent messages, with the records that they were made of."""


def render_sent(view: MessageView, *, is_app: bool) -> bytes:
    """Return a message that was sent as JSON."""
    message = view.message
    if view.is_repeated or not _is_usual(message, with_tags=True):
        return _encode(message_shape(view, with_tags=True, is_app=is_app))
    mentions = _mentions_of_sent(view) if view.mentions or view.mentions_all else ""
    times = _write_times(message, view.delivered_at, view.read_at)
    return _write_row(message, _frame_of_sent(view), mentions, times)


def _mentions_of_sent(view: MessageView) -> str:
    mentions = mention_entities(view, with_tags=False)
    [added] = additions(mentions, (), (), mentions_all=view.mentions_all)
    return f",{added.decode()}"


def _frame_of_sent(view: MessageView) -> Frame:
    """Return the frame of a message, made anew if its sender or receiver is another record now."""
    message = view.message
    key = (
        message.sender,
        message.receiver_type,
        message.receiver,
        message.category,
        message.type,
    )
    known = _sent_frames.get(key)
    if known is not None and known[0] is view.sender and known[1] is view.receiver:
        return known[2]
    if len(_sent_frames) >= MOST_FRAMES:
        _sent_frames.clear()
    frame = _make_frame(message, _text(sender_entity(view.sender)), view.receiver)
    _sent_frames[key] = view.sender, view.receiver, frame
    return frame


def _is_usual(message: Message, *, with_tags: bool) -> bool:
    """Return whether a row has all that is shown of a message, or can have."""
    is_plain = (
        message.category != ACTION
        and message.deleted_at is None
        and message.options is None
        and message.quoted_id is None
    )
    has_tags = with_tags and message.tags != "[]"
    return is_plain and not (has_tags or has_references(message.data))


def _make_frame(message: Message, sender: str, receiver: User | Group) -> Frame:
    """Return the frame of a message; `sender` is its entity as JSON."""
    conversation = conversation_id(message.key)
    fields = {
        "conversationId": conversation,
        "sender": message.sender,
        "receiverType": message.receiver_type,
        "receiver": message.receiver,
        "category": message.category,
        "type": message.type,
    }
    head = f',{_text(fields)[1:-1]},"data":'
    to = _text(receiver_entity(receiver, conversation))
    return head, f'"entities":{{"sender":{sender},"receiver":{to}}}'


def _write_row(message: Message, frame: Frame, additions: str, optional: str) -> bytes:
    """Return a message as JSON; `additions` end its data, and `optional` fields its object."""
    head, entities = frame
    muid = f'","muid":{_text(given_muid(message.muid))}' if message.muid else '"'
    data, separator = message.data[:-1], "" if message.data == "{}" else ","
    return (
        f'{{"id":"{message.id}{muid}{head}{data}{separator}{entities}{additions}}}'
        f',"sentAt":{message.sent_at},"updatedAt":{message.updated_at}{optional}}}'
    ).encode()


def _write_times(message: Message, delivered_at: int | None, read_at: int | None) -> str:
    """Return the fields behind `updatedAt` that the row of a message may have."""
    fields = "" if message.parent_id is None else f',"parentId":"{message.parent_id}"'
    if delivered_at is not None:
        fields += f',"deliveredAt":{delivered_at}'
    if read_at is not None:
        fields += f',"readAt":{read_at}'
    if message.edited_at is not None:
        fields += f',"editedAt":{message.edited_at}'
    if message.edited_by is not None:
        fields += f',"editedBy":{_text(message.edited_by)}'
    return fields


def _text(value: object) -> str:
    """Return a value as JSON."""
    return _encode(value).decode()
