"""The rows of users, groups and messages, in the limits that their fields have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import msgspec

from hubbub.files.sniff import ALIASES, MIME_TYPES
from hubbub.moving.lines import FILE
from hubbub.moving.sources.interface import LONGEST_BROKEN, Broken, Reading, Row
from hubbub.moving.tree import Tree
from hubbub.records.messages.model import LARGEST_DATA_BYTES, MEDIA_TYPES

LONGEST_NAME = 100
LONGEST_SHORT_TEXT = 255
LONGEST_LINK = 3000
LARGEST_TEXT_BYTES = LARGEST_DATA_BYTES - 240
"""Of a message's text as JSON, so that its data have room for a little more."""
NO_OBJECT = "It is no JSON object."
REST_BROKEN = "The rest of the file is no JSON"
_NEAR_THE_END = 4
"""A long text is cut at the last line or word in the last one of so many parts."""

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where something stands in a source."""

    source: str
    number: int


@dataclass(frozen=True, slots=True)
class To:
    """The conversation that a message is sent to."""

    receiver_type: str
    receiver: str


def to_conversation(guid: str, uids: Sequence[str], sender: str) -> To | None:
    """Return where a message of `sender` goes: to the group, or else to the other one of `uids`.

    That is the sender, if nobody else is there. None if the sender takes no part.
    """
    if guid:
        return To("group", guid)
    if sender not in uids:
        return None
    return To("user", next((uid for uid in uids if uid != sender), sender))


@dataclass(frozen=True, slots=True)
class Attached:
    """A file of a message: with a link, or beside the lines with `file:` and its path."""

    url: str
    name: str = ""
    mime_type: str = ""
    size: int | None = None
    width: int | None = None
    height: int | None = None

    def fields(self) -> dict[str, Any]:
        """Return its fields, as messages have them."""
        found = {
            "url": self.url,
            "name": self.name,
            "extension": _extension(self.name),
            "mimeType": self.type(),
            "size": self.size,
            "width": self.width,
            "height": self.height,
        }
        return {name: value for name, value in found.items() if value not in ("", None)}

    def type(self) -> str:
        """Return its MIME type: as the source says it, or by its name."""
        extension = _extension(self.name)
        return self.mime_type or MIME_TYPES.get(ALIASES.get(extension, extension), "")


Named = tuple[str, str]
"""A message, by its sender and its muid."""


@dataclass(slots=True)
class Said:
    """A message as a source has it; times may be of any type, and are checked later."""

    muid: str
    sender: str
    to: To
    sent_at: Any
    text: str = ""
    attached: Sequence[Attached] = ()
    parent: Named | None = None
    quoted: Named | None = None
    edited_at: Any = None
    deleted_at: Any = None
    pinned_at: Any = None
    is_read: bool = True
    """Whether all have read it: what a source does not know is taken to be read."""
    metadata: dict[str, Any] = field(default_factory=dict)


class Rows:
    """Makes the rows of one source, and counts what they can't carry."""

    def __init__(self, tree: Tree, reading: Reading) -> None:
        self._tree = tree
        self._reading = reading
        self._named_files: set[str] = set()

    def user(self, place: SourcePlace, uid: str, name: str, **fields: Any) -> Row:
        """Return the row of a user; an avatar that is no link is left out."""
        avatar = fields.pop("avatar", "")
        if avatar and is_link(avatar):
            fields["avatar"] = avatar
        elif avatar:
            self._reading.drop("pictures of users that are files")
        return _row(place, "user", uid=uid, name=self._short(name or uid), **fields)

    def group(self, place: SourcePlace, guid: str, name: str, kind: str, **fields: Any) -> Row:
        """Return the row of a group of a kind, which is `public` or `private`."""
        named = self._short(name or guid)
        return _row(place, "group", guid=guid, name=named, groupType=kind, **fields)

    def member(self, place: SourcePlace, guid: str, uid: str, **fields: Any) -> Row:
        """Return the row of a member of a group."""
        return _row(place, "member", guid=guid, uid=uid, **fields)

    def reaction(
        self, place: SourcePlace, to: Named, uid: str, reaction: str, at: Any = None
    ) -> Row:
        """Return the row of a reaction to a message."""
        sender, muid = to
        return _row(place, "reaction", muid=muid, sender=sender, uid=uid, reaction=reaction, at=at)

    def receipt(self, place: SourcePlace, to: To, uid: str, read: Named, at: Any) -> Row:
        """Return the row of how far a user has read a conversation."""
        sender, muid = read
        return _row(
            place,
            "receipt",
            receiverType=to.receiver_type,
            receiver=to.receiver,
            uid=uid,
            sender=sender,
            readUpTo=muid,
            at=at,
        )

    def message(self, place: SourcePlace, said: Said) -> Iterator[Row]:
        """Yield the rows of a message, after those of its files beside it.

        A text that is too long becomes several messages. One without anything is left out.
        """
        if said.deleted_at is not None:
            yield _message(place, said, said.muid, None, None)
            return
        texts = split_text(said.text) if said.text.strip() else []
        if not texts and not said.attached:
            self._reading.drop("empty messages")
            return
        for each in said.attached:
            yield from self._file(place, each)
        yield _message(place, said, said.muid, texts[0] if texts else None, said.attached)
        if len(texts) > 1:
            self._reading.drop("long texts split into several messages")
        for number, text in enumerate(texts[1:], start=2):
            yield _message(place, said, f"{said.muid}-{number}", text, ())

    def _file(self, place: SourcePlace, attached: Attached) -> Iterator[Row]:
        path = attached.url.removeprefix(FILE)
        if path != attached.url and path not in self._named_files:
            self._named_files.add(path)
            yield _row(place, "file", path=path)

    def _short(self, name: str) -> str:
        if len(name) > LONGEST_NAME:
            self._reading.drop(f"ends of names longer than {LONGEST_NAME} characters")
        return name[:LONGEST_NAME]


def broken(place: SourcePlace, error: str, value: Any = None) -> Broken:
    """Return a place that can't be read, with what stands there."""
    text = "" if value is None else _encode(value).decode()
    return Broken(place.source, place.number, error, text[:LONGEST_BROKEN])


def is_link(url: str) -> bool:
    """Return whether a URL is one that attachments and avatars may have."""
    is_web = url.lower().startswith(("http://", "https://"))
    return is_web and len(url) <= LONGEST_LINK and not any(map(str.isspace, url))


def short_text(text: str) -> str | None:
    """Return the beginning of a text that a short field can have; None for an empty one."""
    return text.strip()[:LONGEST_SHORT_TEXT] or None


def split_text(text: str) -> list[str]:
    """Return the parts of a text, each short enough for a message; usually it is one."""
    parts = []
    start = 0
    while start < len(text):
        piece = text[start : start + LARGEST_TEXT_BYTES]
        is_last = len(piece) == len(text) - start and len(_encode(piece)) <= LARGEST_TEXT_BYTES
        end = len(piece) if is_last else _end_of_part(piece)
        parts.append(piece[:end])
        start += end
    return [part for part in parts if part.strip()]


def _end_of_part(text: str) -> int:
    """Return where a text is cut: after a line or a word, and never within a mention."""
    end = len(text)
    while (size := len(_encode(text[:end]))) > LARGEST_TEXT_BYTES:
        end = min(end - 1, end * LARGEST_TEXT_BYTES // size)
    nearest = end - end // _NEAR_THE_END
    for mark in ("\n", " "):
        if (found := text.rfind(mark, nearest, end)) >= 0:
            return found + 1
    begun = text.rfind("<@", end - LONGEST_NAME - len("<@uid:>"), end)
    return begun if begun > 0 and ">" not in text[begun:end] else end


def _message(
    place: SourcePlace, said: Said, muid: str, text: str | None, attached: Sequence[Attached] | None
) -> Row:
    is_first = muid == said.muid
    parent, quoted = said.parent or (None, None), (is_first and said.quoted) or (None, None)
    data: dict[str, Any] | None = None
    if attached is not None:
        data = {"text": text} if text else {}
        if attached:
            data["attachments"] = [each.fields() for each in attached]
        if said.metadata and is_first:
            data["metadata"] = said.metadata
    return _row(
        place,
        "message",
        always=("sentAt",),
        muid=muid,
        sender=said.sender,
        receiverType=said.to.receiver_type,
        receiver=said.to.receiver,
        sentAt=said.sent_at,
        messageType=_type_of(attached) if attached else None,
        data=data,
        parentSender=parent[0],
        parentMuid=parent[1],
        quotedSender=quoted[0],
        quotedMuid=quoted[1],
        editedAt=said.edited_at,
        deletedAt=said.deleted_at,
        pinnedAt=said.pinned_at if is_first else None,
        readAt=_read_at(said),
    )


def _read_at(said: Said) -> int | None:
    is_known = isinstance(said.sent_at, int) and said.deleted_at is None
    return said.sent_at if said.is_read and is_known else None


def _type_of(attached: Sequence[Attached]) -> str:
    """Return the type of a message with files: that of all of them, or else `file`."""
    kinds = {each.type().partition("/")[0].lower() for each in attached}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return kind if kind in MEDIA_TYPES else "file"


def _row(place: SourcePlace, kind: str, always: Sequence[str] = (), **fields: Any) -> Row:
    line = {"type": kind}
    line |= {name: each for name, each in fields.items() if each is not None or name in always}
    return Row(place.source, place.number, line)


def _extension(name: str) -> str:
    return PurePosixPath(name).suffix.removeprefix(".").lower()[:20]
