"""A page of messages as JSON: the usual messages straight from their rows, the others as shapes.

The answer is the same either way: `tests/api/pages/test_page_rendering.py` compares them. What
is shown of a message is decided in `message.py` and in the view; here is only how it is written.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from hubbub.domain.views.messages import MessagePage
from hubbub.files.links import has_references
from hubbub.kernel.cache import SharedEntries
from hubbub.records.conversations.model import conversation_id
from hubbub.records.groups.model import Group
from hubbub.records.mentions.model import ALL
from hubbub.records.messages.model import ACTION, Message, MessageView, given_muid
from hubbub.records.users.model import User
from hubbub.rest.messages.wire.entities import (
    Entities,
    MentionEntity,
    mention_entity,
    receiver_entity,
    sender_entity,
)
from hubbub.rest.messages.wire.message import additions, mention_entities, message_shape

_encode = msgspec.json.Encoder().encode

Frame = tuple[bytes, bytes]
"""The JSON between the id of a message and its data, and the entities in its data."""
FrameKey = tuple[str, str, str, str, str]
"""Sender, kind of receiver, receiver, category and type."""
MOST_FRAMES = 10_000
LARGEST_KEPT = 4_096
"""The bytes of the largest frame that is kept, with the metadata of the records of which it is."""
_frames: SharedEntries[tuple[User, User | Group, Frame]] = SharedEntries(MOST_FRAMES)
"""The latest frames by app and key, with the records that they were made of."""
_keeping = threading.Lock()
"""Answers under an idempotency key are made on the thread of SQLite's writer."""


@dataclass(slots=True, kw_only=True)
class PageRenderer:
    """Renders the messages of a page."""

    app_id: str
    page: MessagePage
    is_app: bool
    with_tags: bool = False
    with_mention_tags: bool = False
    _has_additions: bool = field(init=False)
    _has_marks: bool = field(init=False)
    """Whether any message of the page is pinned or saved."""
    _frames: dict[FrameKey, Frame] = field(default_factory=dict)
    _mentions: dict[str, MentionEntity] = field(default_factory=dict)

    def __post_init__(self) -> None:
        related = self.page.related
        self._has_additions = bool(
            related.mentions or related.reactions or related.interactions or related.polls
        )
        self._has_marks = bool(related.pinned or related.saved)

    def render(self) -> list[bytes]:
        """Return the messages of the page as JSON, each by itself."""
        return self.render_some(self.page.messages)

    def render_some(self, messages: Sequence[Message]) -> list[bytes]:
        """Return some messages of the page as JSON, each by itself."""
        # The calls that are saved here, once for each message, take a fourth of the time.
        related, frames = self.page.related, self._frames
        delivered, read = related.times.delivered, related.times.read
        has_additions, has_marks = self._has_additions, self._has_marks
        rows = []
        for message in messages:
            if not self.is_usual(message):
                rows.append(self.render_shape(message))
                continue
            id_, key = message.id, _frame_key(message)
            rows.append(
                _write_row(
                    message,
                    frames.get(key) or self._find_frame(key, message),
                    message.delivered_at or delivered.get(id_),
                    message.read_at or read.get(id_),
                    self._additions(message) if has_additions else b"",
                    self._marks(message) if has_marks else b"",
                )
            )
        return rows

    def is_usual(self, message: Message) -> bool:
        """Return whether a message has nothing that only its shape can render."""
        if message.parent_id is not None and self.page.includes.parents:
            return False
        return _is_usual(message, with_tags=self.with_tags)

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

    def _find_frame(self, key: FrameKey, message: Message) -> Frame:
        related = self.page.related
        sender, receiver = related.user(message.sender), related.receiver_of(message)
        frame = self._frames[key] = _find_frame(self.app_id, key, message, sender, receiver)
        return frame

    def _additions(self, message: Message) -> bytes:
        """Return the properties of `data` that follow the entities."""
        id_, related = message.id, self.page.related
        mentioned = related.mentions.get(id_, ())
        reactions = related.reactions.get(id_, ())
        interactions = related.interactions.get(id_, ())
        poll = related.polls.get(id_)
        if not (mentioned or reactions or interactions or poll):
            return b""
        mentions = {uid: self._mention(uid) for uid in mentioned if uid != ALL}
        added = additions(mentions, reactions, interactions, poll, mentions_all=ALL in mentioned)
        return b"".join(b"," + each for each in added)

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

    def _marks(self, message: Message) -> bytes:
        """Return when a message was pinned, and saved by the viewer."""
        related, marks = self.page.related, b""
        if message.id in related.pinned:
            marks = b',"pinnedAt":%d' % related.pinned[message.id]
        if message.id in related.saved:
            marks += b',"savedAt":%d' % related.saved[message.id]
        return marks


def render_sent(app_id: str, view: MessageView, *, is_app: bool) -> bytes:
    """Return a message that was sent as JSON."""
    return render_usual(app_id, view) or _encode(message_shape(view, with_tags=True, is_app=is_app))


def render_usual(app_id: str, view: MessageView) -> bytes | None:
    """Return a message that was sent as JSON, which is the same for all who see it.

    It is None for the few messages that are not so.
    """
    message = view.message
    if view.is_repeated or view.reactions or not _is_usual(message, with_tags=True):
        return None
    added = _additions_of_sent(view) if view.mentions or view.mentions_all or view.poll else b""
    frame = _find_frame(app_id, _frame_key(message), message, view.sender, view.receiver)
    return _write_row(message, frame, view.delivered_at, view.read_at, added)


def _additions_of_sent(view: MessageView) -> bytes:
    mentions = mention_entities(view, with_tags=False)
    added = additions(mentions, (), (), view.poll, mentions_all=view.mentions_all)
    return b"".join(b"," + each for each in added)


def _is_usual(message: Message, *, with_tags: bool) -> bool:
    """Return whether a row has all that is shown of a message, or can have."""
    return (
        message.category != ACTION
        and message.deleted_at is None
        and message.options is None
        and message.quoted_id is None
        and not (with_tags and message.tags != "[]")
        and not has_references(message.data)
    )


def _frame_key(message: Message) -> FrameKey:
    return (
        message.sender,
        message.receiver_type,
        message.receiver,
        message.category,
        message.type,
    )


def _find_frame(
    app_id: str, key: FrameKey, message: Message, sender: User, receiver: User | Group
) -> Frame:
    """Return the frame of a message: the latest one, if it was made of equal records."""
    known = _frames.get((app_id, key))
    if known is not None and known[0] == sender and known[1] == receiver:
        return known[2]
    frame = _make_frame(message, sender, receiver)
    metadata = len(sender.metadata or "") + len(receiver.metadata or "")
    if len(frame[0]) + len(frame[1]) + metadata <= LARGEST_KEPT:
        with _keeping:
            _frames.put(app_id, (app_id, key), (sender, receiver, frame))
    return frame


def _make_frame(message: Message, sender: User, receiver: User | Group) -> Frame:
    conversation = conversation_id(message.key)
    fields = {
        "conversationId": conversation,
        "sender": message.sender,
        "receiverType": message.receiver_type,
        "receiver": message.receiver,
        "category": message.category,
        "type": message.type,
    }
    entities = Entities(sender_entity(sender), receiver_entity(receiver, conversation))
    return (
        b',%b,"data":' % _encode(fields)[1:-1],
        b'"entities":' + _encode(entities),
    )


def _write_row(
    message: Message,
    frame: Frame,
    delivered_at: int | None,
    read_at: int | None,
    additions: bytes = b"",
    marks: bytes = b"",
) -> bytes:
    """Return a message as JSON; the order of fields is that of `MessageShape`.

    `additions` end its data, and `marks` its object.
    """
    head, entities = frame
    data, optional = message.data, ""
    if message.parent_id is not None:
        optional = f',"parentId":"{message.parent_id}"'
    if delivered_at is not None:
        optional += f',"deliveredAt":{delivered_at}'
    if read_at is not None:
        optional += f',"readAt":{read_at}'
    if message.edited_at is not None:
        optional += f',"editedAt":{message.edited_at}'
    if message.edited_by is not None:
        optional += f',"editedBy":{_encode(message.edited_by).decode()}'
    # Joined as bytes: text that is not ASCII is slow to put together before it is encoded.
    return b"".join(
        (
            b'{"id":"%d"' % message.id,
            b',"muid":' + _encode(given_muid(message.muid)) if message.muid else b"",
            head,
            data.encode()[:-1],
            b"" if data == "{}" else b",",
            entities,
            additions,
            f'}},"sentAt":{message.sent_at},"updatedAt":{message.updated_at}{optional}'.encode(),
            marks,
            b"}",
        )
    )
