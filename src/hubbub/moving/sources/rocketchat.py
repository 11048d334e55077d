"""Rocket.Chat: the exports of rooms and of a user's data, with a file for each room."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any

import msgspec

from hubbub.moving.lines import FILE
from hubbub.moving.sources.interface import Broken, Reading, Row, SourceUnreadable
from hubbub.moving.sources.json_lines import read_json_lines
from hubbub.moving.sources.json_stream import RepairedText
from hubbub.moving.sources.mrkdwn import with_double_marks
from hubbub.moving.sources.named_mentions import outside_code, with_mentions
from hubbub.moving.sources.people import KnownPeople
from hubbub.moving.sources.rows import Attached, Rows, Said, SourcePlace, To, broken, is_link
from hubbub.moving.sources.uids import Uids, muid_of
from hubbub.moving.sources.values import (
    Object,
    object_of,
    objects_of,
    seconds_of_date,
    text_of,
)
from hubbub.moving.tree import DAMAGED, Tree

_ROOMS, _USER = "channels.json", "user.json"
_OTHER_FILES = {_ROOMS, _USER, "user.html"}
_ASSETS = "assets"
_MOST_LOOKED_AT = 20
_FIRST_BYTES = 64 * 1024
_LONGEST_LINE = 1024 * 1024
_PUBLIC, _DIRECT = "c", "d"
_IDS_OF_TWO = re.compile(r"[A-Za-z0-9]{34}")
"""The id of the room of two users, and so its name in exports: both of their ids."""
_DELETED = "rm"
_ENCRYPTED = {"e2e", "otr"}
_QUOTE = re.compile(r"\[ ?\]\(https?://[^)\s]*\)\s*")
"""A link without words before a text: to the message that it quotes."""
_SAID_IN_HTML = re.compile(r"<p><strong>(.*?)</strong> \((.*?)\):<br/>\s*$")
_FILE_IN_HTML = re.compile(r'<br/><a href="\./assets/([^"]*)">(.*)</a>\s*$')
_NOTICE_IN_HTML = re.compile(r"<i>.*</i>\s*", re.DOTALL)

_decode = msgspec.json.Decoder().decode


@dataclass(slots=True)
class _RoomFile:
    """A file with the messages of a room, and what is known of the room."""

    name: str
    type: str = ""
    authors: dict[str, None] = field(default_factory=dict)
    to_group: To | None = None
    time: Any = None
    at_this_time: Counter[str] = field(default_factory=Counter)
    """The ids of messages at one time: pages have whole seconds, and two may say the same."""

    def muid(self, message: Object, time: Any) -> str:
        """Return another id for each message of this file."""
        if time != self.time:
            self.time, self.at_this_time = time, Counter()
        muid = muid_of(time, self.room, message.get("username"), message.get("msg"))
        self.at_this_time[muid] += 1
        again = self.at_this_time[muid]
        return muid if again == 1 else f"{muid}.{again}"

    @property
    def room(self) -> str:
        return self.name.rpartition("/")[2].rpartition(".")[0]

    @property
    def is_direct(self) -> bool:
        return self.type == _DIRECT or (not self.type and bool(_IDS_OF_TWO.fullmatch(self.room)))


class RocketChat:
    """A folder or zip file that Rocket.Chat exports, or one file of a room."""

    name = "rocketchat"
    title = "Rocket.Chat"

    def detect(self, tree: Tree) -> bool:
        return bool(_room_files(tree, _MOST_LOOKED_AT))

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        names = _room_files(tree)
        if not names:
            raise SourceUnreadable(
                f"{tree.name} has no file of a room of Rocket.Chat. Export a room as a file, with"
                " the format JSON, and give the .zip file or the folder that it unpacks to."
            )
        yield from _RocketExport(tree, reading, names).read()


def _room_files(tree: Tree, most: int | None = None) -> list[str]:
    """Return the names of files with messages, among the first ones if there is a most."""
    candidates = [
        name
        for name in tree.names()
        if name.endswith((".json", ".html"))
        and name.rpartition("/")[2] not in _OTHER_FILES
        and f"/{_ASSETS}/" not in f"/{name}"
    ]
    return [name for name in candidates[:most] if _has_messages(tree, name)]


def _has_messages(tree: Tree, name: str) -> bool:
    with tree.open(name) as file, suppress(*DAMAGED, msgspec.DecodeError, UnicodeDecodeError):
        first = file.readline(_FIRST_BYTES)
        if name.endswith(".html"):
            return bool(_SAID_IN_HTML.search(first.decode("utf-8", "replace")))
        message = _decode(first.removeprefix(b"\xef\xbb\xbf"))
        return isinstance(message, dict) and {"msg", "ts", "username"} <= message.keys()
    return False


class _RocketExport:
    def __init__(self, tree: Tree, reading: Reading, names: list[str]) -> None:
        self._tree = tree
        self._reading = reading
        self._files = [_RoomFile(name) for name in names]
        self._rows = Rows(tree, reading)
        self._people = KnownPeople(self._rows)
        self._uids = Uids()
        self._guids = Uids()
        self._usernames: set[str] = set()
        self._owner = ""
        """The user whose data it is; nobody's, if it is an export of a room."""

    def read(self) -> Iterator[Row | Broken]:
        yield from self._described()
        types = dict(self._types_of_rooms())
        for file in self._files:
            file.type = types.get(file.room, "")
            for found in self._messages(file, Reading(self._reading.timezone)):
                if not isinstance(found, Broken) and (username := _author(found[1])):
                    self._usernames.add(username)
                    file.authors.setdefault(username)
        for file in self._files:
            yield from self._room(file)
        yield from self._people.strangers()

    def _described(self) -> Iterator[Row]:
        """Yield the user whose data it is."""
        for name in self._tree.names():
            if name.rpartition("/")[2] != _USER:
                continue
            for found in read_json_lines(self._tree, name, Reading()):
                if isinstance(found, Broken) or not text_of(found[1].get("username")):
                    continue
                place, user = found
                self._owner = text_of(user["username"])
                self._usernames.add(self._owner)
                shown = text_of(user.get("name")) or self._owner
                metadata = {"username": self._owner}
                uid = self._uids.of(self._owner)
                yield from self._people.described(place, uid, shown, metadata=metadata)

    def _types_of_rooms(self) -> Iterator[tuple[str, str]]:
        """Yield the names of rooms with their types, which the export of a user's data has."""
        for name in self._tree.names():
            if name.rpartition("/")[2] == _ROOMS:
                for found in read_json_lines(self._tree, name, Reading()):
                    if not isinstance(found, Broken):
                        room, kind = found[1], text_of(found[1].get("type"))
                        yield text_of(room.get("roomId")), kind
                        yield text_of(room.get("roomName")), kind

    def _messages(
        self, file: _RoomFile, reading: Reading
    ) -> Iterator[tuple[SourcePlace, Object] | Broken]:
        if file.name.endswith(".html"):
            return _read_html(self._tree, file.name, reading)
        return read_json_lines(self._tree, file.name, reading)

    # --- Rooms

    def _room(self, file: _RoomFile) -> Iterator[Row | Broken]:
        place = SourcePlace(file.name, 1)
        uids = [self._met(place, username) for username in file.authors]
        both: list[str] = []
        if file.is_direct and len(uids) <= 2:
            both = self._both(place, file, uids)
        else:
            file.to_group = To("group", self._guids.of(file.room))
            names = ", ".join(map(self._people.name_of, uids)) if file.is_direct else file.room
            kind = "public" if file.type == _PUBLIC else "private"
            yield self._rows.group(place, file.to_group.receiver, names, kind)
            for uid in uids:
                yield self._rows.member(place, file.to_group.receiver, uid)
        for found in self._messages(file, self._reading):
            if isinstance(found, Broken):
                yield found
            else:
                yield from self._message(found[0], file, both, found[1])

    def _both(self, place: SourcePlace, file: _RoomFile, uids: list[str]) -> list[str]:
        """Return the two of direct messages; somebody stands for one who never wrote."""
        owner = self._met(place, self._owner) if self._owner else ""
        found = dict.fromkeys([*uids, *([owner] if owner else [])])
        if len(found) < 2:
            other = self._uids.of(f"other-{file.room}")
            found[self._people.met(place, other, "Somebody who did not write")] = None
        return list(found)

    def _met(self, place: SourcePlace, username: str) -> str:
        return self._people.met(place, self._uids.of(username), username)

    # --- Messages

    def _message(
        self, place: SourcePlace, file: _RoomFile, both: list[str], message: Object
    ) -> Iterator[Row | Broken]:
        kind, username = text_of(message.get("type")), text_of(message.get("username"))
        if kind and kind != _DELETED:
            is_encrypted = kind in _ENCRYPTED
            self._reading.drop("encrypted messages" if is_encrypted else "system messages")
            return
        if not username:
            yield broken(place, "The message has no username.", message)
            return
        sender, ts = self._met(place, username), message.get("ts")
        ts = object_of(ts).get("$date", ts)
        sent_at = seconds_of_date(ts, self._reading.timezone)
        others = [uid for uid in both if uid != sender] or [sender]
        said = Said(
            muid=file.muid(message, ts),
            sender=sender,
            to=file.to_group or To("user", others[0]),
            sent_at=sent_at,
            text=self._text(text_of(message.get("msg"))),
            attached=list(self._attached(file, message)),
            deleted_at=sent_at if kind == _DELETED else None,
        )
        yield from self._rows.message(place, said)

    def _text(self, text: str) -> str:
        text, quotes = _QUOTE.subn("", text)
        if quotes:
            self._reading.drop("quotes: the export does not have the ids of messages", quotes)
        return with_mentions(outside_code(text, with_double_marks), self._uid_of)

    def _uid_of(self, username: str) -> str | None:
        return self._uids.of(username) if username in self._usernames else None

    def _attached(self, file: _RoomFile, message: Object) -> Iterator[Attached]:
        folder, slash, _ = file.name.rpartition("/")
        seen = set()
        for each in objects_of(message.get("attachments")):
            if text_of(each.get("message_link")):
                continue  # a quote, whose link is in the text
            name = text_of(each.get("fileName")) or text_of(each.get("title"))
            path = f"{folder}{slash}{_ASSETS}/{text_of(each.get('fileId'))}-{name}"
            link = text_of(each.get("url"))
            url = FILE + path if self._tree.has(path) else link
            if not url or url in seen:
                continue
            seen.add(url)
            if url == link and not is_link(link):
                self._reading.drop("files that are not in the export")
                continue
            yield Attached(url, name, _mime_type(each))


def _author(message: Object) -> str:
    """Return who said a message; an empty text for a notice."""
    is_said = text_of(message.get("type")) in ("", _DELETED)
    return text_of(message.get("username")) if is_said else ""


def _mime_type(attachment: Object) -> str:
    names = ("image_type", "audio_type", "video_type")
    return next(filter(None, (text_of(attachment.get(name)) for name in names)), "")


def _read_html(
    tree: Tree, name: str, reading: Reading
) -> Iterator[tuple[SourcePlace, Object] | Broken]:
    """Yield the messages of a page, with the fields that they have in JSON."""
    begun: re.Match[str] | None = None
    lines: list[str] = []
    number = 0
    with tree.open(name) as file:
        try:
            for text in _lines_of_text(RepairedText(file, reading)):
                if begun is None:
                    begun = _SAID_IN_HTML.search(text)
                elif text.strip() == "</p>":
                    number += 1
                    yield SourcePlace(name, number), _message_in_html(begun, lines)
                    begun, lines = None, []
                else:
                    lines.append(text)
        except DAMAGED as fault:
            yield Broken(name, number + 1, f"The archive is damaged here: {fault}.", "")
    if begun is not None:
        yield broken(SourcePlace(name, number + 1), "The page ends within a message.")


def _lines_of_text(file: RepairedText) -> Iterator[str]:
    rest = ""
    while piece := file.read(_FIRST_BYTES):
        *lines, rest = (rest + piece.decode("utf-8", "replace")).split("\n")
        yield from lines
        if len(rest) > _LONGEST_LINE:
            yield rest
            rest = ""
    yield rest


def _message_in_html(begun: re.Match[str], lines: list[str]) -> dict[str, Any]:
    attachments = []
    if lines and (found := _FILE_IN_HTML.match(lines[-1])):
        file_id, _, file_name = unescape(found[1]).partition("-")
        attachments = [{"fileId": file_id, "fileName": file_name, "url": "assets"}]
        lines = lines[:-1]
    text = "\n".join(lines)
    return {
        "msg": unescape(text),
        "username": unescape(begun[1]),
        "ts": _iso_date(begun[2]),
        "attachments": attachments,
        **({"type": "notice"} if _NOTICE_IN_HTML.fullmatch(text) else {}),
    }


def _iso_date(text: str) -> str:
    """Return a date as pages have it in ISO 8601; what is none stays."""
    try:
        return parsedate_to_datetime(text).isoformat()
    except (TypeError, ValueError, IndexError, OverflowError):
        return text
