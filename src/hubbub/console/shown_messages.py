"""Messages as pages show them: texts, files, and all else as JSON; they hold what people wrote."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.console.visit import Visit
from hubbub.domain.messages.find import History
from hubbub.files.links import Links, mark_references
from hubbub.records.conversations.model import conversation_id
from hubbub.records.messages.actions import read_member_action, read_message_action
from hubbub.records.messages.listing import MessageCursor
from hubbub.records.messages.model import ACTION, GROUP_MEMBER, Message, MessageView

_decode = msgspec.json.Decoder(dict[str, Any]).decode
_SHOWN_ELSEWHERE = ("text", "attachments")
"""The fields of the data that are shown in a form of their own."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file of a message. Files that lie elsewhere are named, and neither shown nor linked."""

    name: str
    mime_type: str
    size: int | None
    address: str
    """Where this node has it, with a signature; else empty."""
    picture: str
    """The same of a picture to show in its place."""
    elsewhere: str
    """The address elsewhere."""


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message with what its data say."""

    view: MessageView
    text: str
    files: Sequence[ShownFile]
    rest: Mapping[str, Any]
    """The other fields of the data."""
    deed: str
    """The name of the action that an action message is about."""

    @property
    def message(self) -> Message:
        return self.view.message

    @property
    def conversation(self) -> str:
        """Return the id of its conversation."""
        return conversation_id(self.message.key)

    @property
    def place(self) -> str:
        """Return the position from which its conversation is read so that it is the newest."""
        return place_of(MessageCursor(self.message.sent_at, self.message.id + 1))


def shown_message(visit: Visit, view: MessageView) -> ShownMessage:
    """Return a message as pages show it."""
    message = view.message
    if message.category == ACTION:
        return ShownMessage(view, "", (), {}, _deed(message))
    data = _decode(_with_links(visit, message))
    text = data.get("text")
    rest = {name: value for name, value in data.items() if name not in _SHOWN_ELSEWHERE}
    files = tuple(_files(visit, message, data.get("attachments")))
    return ShownMessage(view, text if isinstance(text, str) else "", files, rest, "")


def shown_history(visit: Visit, history: History) -> list[ShownMessage]:
    """Return a part of a history as pages show it."""
    page = history.page
    return [] if page is None else [shown_message(visit, page.view(each)) for each in page.messages]


def place_of(cursor: MessageCursor | None) -> str:
    """Return a position in a history as text; empty if there is none."""
    return "" if cursor is None else f"{cursor.sent_at}-{cursor.id or 0}"


def _deed(message: Message) -> str:
    read = read_member_action if message.type == GROUP_MEMBER else read_message_action
    return read(message.data).action


def _with_links(visit: Visit, message: Message) -> bytes:
    is_deleted = message.deleted_at is not None
    marked = mark_references(message.data.encode(), message.id, is_deleted=is_deleted)
    return _links(visit).link(marked)


def _links(visit: Visit) -> Links:
    runtime = visit.runtime
    return Links(runtime.sealer, visit.app, address="", now=runtime.clock.now())


def _files(visit: Visit, message: Message, attachments: object) -> Iterator[ShownFile]:
    """Yield the files; an app may have stored anything under this name in a custom message."""
    own = f"/files/{visit.app}/{message.id}/"
    for each in attachments if isinstance(attachments, list) else ():
        if not isinstance(each, dict):
            continue
        address, thumbnail = str(each.get("url", "")), each.get("thumbnail")
        picture = str(thumbnail.get("url", "")) if isinstance(thumbnail, dict) else ""
        is_own, size = address.startswith(own), each.get("size")
        yield ShownFile(
            name=str(each.get("name", "")),
            mime_type=str(each.get("mimeType", "")),
            size=size if isinstance(size, int) else None,
            address=address if is_own else "",
            picture=picture if is_own and picture.startswith(own) else "",
            elsewhere="" if is_own else address,
        )
