"""WhatsApp: exported chats, each a text file with its media beside it."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from hubbub.moving.lines import FILE
from hubbub.moving.sources.interface import (
    LONGEST_BROKEN,
    Broken,
    Reading,
    Row,
    SourceUnreadable,
)
from hubbub.moving.sources.local_time import Stamp, stamps_in
from hubbub.moving.sources.people import KnownPeople
from hubbub.moving.sources.rows import Attached, Rows, Said, SourcePlace, To
from hubbub.moving.sources.texts import TextEnds, beginning_of
from hubbub.moving.sources.uids import Uids
from hubbub.moving.sources.whatsapp_chat import (
    ChatContent,
    ChatEntry,
    DateOrder,
    begins_chat,
    content_of,
    day_of,
    read_chat,
)
from hubbub.moving.tree import Tree

SYSTEM = "system lines"
OMITTED = "files that the export leaves out"
ABSENT = "files that are named and are not in the export"
_CHAT = "_chat.txt"
_TITLE = re.compile(r"(?=.*whatsapp).*?(?: with | mit | con | avec | com | - )(.+)", re.IGNORECASE)
_MENTION = re.compile(r"@(?:\u2068~?\s?([^\u2068\u2069\n]{1,200})\u2069|(\d{6,15})(?!\d))")
_NO_DIGIT = re.compile(r"\D")


class WhatsApp:
    """Chats in the forms of iOS and Android, for languages that write dates in numbers."""

    name = "whatsapp"
    title = "WhatsApp"

    def detect(self, tree: Tree) -> bool:
        return any(_is_chat(tree, name) for name in tree.names() if _may_be_chat(name))

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        texts = [name for name in tree.names() if name.endswith(".txt")]
        named = [name for name in texts if _may_be_chat(name)] or texts
        chats = [name for name in named if _is_chat(tree, name)]
        if not chats:
            raise SourceUnreadable(
                f"{tree.name} has no chat of WhatsApp. Give the .zip file or the text that"
                " WhatsApp exported; the text begins with a date."
            )
        surveyed = [_survey(tree, name) for name in chats]
        yield from _ExportedChats(tree, reading).read(surveyed)


def _may_be_chat(name: str) -> bool:
    last = PurePosixPath(name).name
    return last == _CHAT or (last.endswith(".txt") and "whatsapp" in last.lower())


def _is_chat(tree: Tree, name: str) -> bool:
    return begins_chat(beginning_of(tree, name))


@dataclass(slots=True)
class _ChatFile:
    """What a first reading of a chat tells."""

    source: str
    title: str
    """The name of the other person or of the group; empty if nothing tells it."""
    files: frozenset[str]
    """The names of the files beside it."""
    days_first: bool = True
    authors: dict[str, ChatEntry] = field(default_factory=dict)
    """Those who wrote something, with their first message."""
    digest: str = ""
    """Follows from the first line, and names a chat that has no title."""

    def pair(self) -> tuple[str, str] | None:
        """Return the two whose chat it is, unless it is that of a group."""
        names = list(self.authors)
        if len(names) == 1 and self.title and self.title != names[0]:
            return names[0], self.title
        if len(names) == 2 and (not self.title or self.title in names):
            return names[0], names[1]
        return None

    def path(self, name: str) -> str:
        """Return the path of a file beside the chat."""
        return str(PurePosixPath(self.source).parent / name)


def _survey(tree: Tree, name: str) -> _ChatFile:
    """Read a chat once, for all that has to be known before its first message.

    Raises:
        SourceUnreadable: nothing tells whether its dates begin with the day or the month.
    """
    folder = PurePosixPath(name).parent
    beside = (PurePosixPath(other) for other in tree.names() if other != name)
    files = frozenset(path.name for path in beside if path.parent == folder)
    chat, order = _ChatFile(name, _title_of(tree, name), files), DateOrder()
    with suppress(TextEnds):  # the second reading tells
        for told in read_chat(tree, name, Reading()):
            order.add(told.when)
            if not chat.digest:
                first = f"{told.when}\n{told.author}\n{told.text[:200]}"
                chat.digest = _digest(first)
            content = content_of(told.text, files)
            order.is_of_europe = order.is_of_europe or content.is_european
            if told.author and not content.is_system:
                told.lines.clear()
                chat.authors.setdefault(told.author, told)
    days_first = order.decide()
    if days_first is None:
        raise SourceUnreadable(
            f"Nothing in {name} tells whether its dates are day/month or month/day. Rewrite its"
            " dates as year-month-day, such as 2023-12-31, and import it again."
        )
    chat.days_first = days_first
    return chat


def _title_of(tree: Tree, name: str) -> str:
    path = PurePosixPath(name)
    outside = tree.name.removesuffix(".zip")
    place = (path.parent.name or outside) if path.name == _CHAT else path.stem
    found = _TITLE.fullmatch(place)
    return found[1].strip() if found else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _ExportedChats:
    def __init__(self, tree: Tree, reading: Reading) -> None:
        self._tree, self._reading = tree, reading
        self._rows = Rows(tree, reading)
        self._people = KnownPeople(self._rows)
        self._uids, self._guids = Uids(), Uids()
        self._stamp: Stamp = stamps_in(reading.timezone)

    def read(self, chats: list[_ChatFile]) -> Iterator[Row | Broken]:
        for chat in chats:
            yield from self._chat(chat)
        yield from self._people.strangers()

    def _chat(self, chat: _ChatFile) -> Iterator[Row | Broken]:
        for author, told in chat.authors.items():
            self._met(chat, told.number, author)
        pair = chat.pair()
        if pair:
            for name in pair:
                self._met(chat, 1, name)
            key = "\0".join(sorted(pair))
        else:
            key = chat.title or chat.digest
            yield from self._group(chat)
        names, number = _Muids(key), 0
        try:
            for told in read_chat(self._tree, chat.source, self._reading):
                number = told.number
                yield from self._told(chat, told, names, pair)
        except TextEnds as fault:
            yield Broken(chat.source, number + 1, str(fault), "")

    def _met(self, chat: _ChatFile, number: int, name: str) -> str:
        return self._people.met(SourcePlace(chat.source, number), self._uids.of(name), name)

    def _guid(self, chat: _ChatFile) -> str:
        return self._guids.of(chat.title or f"whatsapp-{chat.digest}")

    def _group(self, chat: _ChatFile) -> Iterator[Row]:
        """Yield the group of a chat, and its members: those who wrote something."""
        guid, joined = self._guid(chat), {}
        for author, told in chat.authors.items():
            joined[author] = self._at(chat, told)
        times = [at for at in joined.values() if at is not None]
        place = SourcePlace(chat.source, 1)
        name = chat.title or "WhatsApp"
        yield self._rows.group(place, guid, name, "private", createdAt=min(times, default=None))
        for author, at in joined.items():
            place = SourcePlace(chat.source, chat.authors[author].number)
            yield self._rows.member(place, guid, self._uids.of(author), joinedAt=at)

    def _at(self, chat: _ChatFile, told: ChatEntry) -> int | None:
        day = day_of(told.when, days_first=chat.days_first)
        return None if day is None else self._stamp(day, told.when.seconds)

    def _told(
        self, chat: _ChatFile, told: ChatEntry, names: "_Muids", pair: tuple[str, str] | None
    ) -> Iterator[Row | Broken]:
        content = content_of(told.text, chat.files)
        if not told.author or content.is_system:
            self._reading.drop(SYSTEM)
            return
        at = self._at(chat, told)
        if at is None or told.is_too_long:
            error = "The date does not exist." if at is None else "The message is over 1 MiB."
            yield Broken(chat.source, told.number, error, told.text[:LONGEST_BROKEN])
            return
        sender = self._uids.of(told.author)
        other = pair and pair[pair[0] == told.author]
        to = To("user", self._uids.of(other)) if other else To("group", self._guid(chat))
        attached = self._attached(chat, content)
        said = Said(
            muid=names.of(told, at),
            sender=sender,
            to=to,
            sent_at=at,
            text=self._with_mentions(chat, content.text),
            attached=attached,
            edited_at=at if content.is_edited else None,
            deleted_at=at if content.is_deleted else None,
        )
        if content.omitted:
            self._reading.drop(OMITTED, content.omitted)
            if not content.text:
                return
        yield from self._rows.message(SourcePlace(chat.source, told.number), said)

    def _attached(self, chat: _ChatFile, content: ChatContent) -> list[Attached]:
        """Return the files of a message; the name of one that is missing becomes its text."""
        found = []
        for name in content.files:
            if name not in chat.files:
                self._reading.drop(ABSENT)
                content.text = content.text or name
                continue
            path = chat.path(name)
            found.append(Attached(FILE + path, name=name, size=self._tree.size(path)))
        return found

    def _with_mentions(self, chat: _ChatFile, text: str) -> str:
        if "@" not in text:
            return text
        numbers = {_NO_DIGIT.sub("", name): name for name in chat.authors}

        def mention(found: re.Match[str]) -> str:
            name = found[1] if found[1] in chat.authors else numbers.get(found[2] or "")
            return f"<@uid:{self._uids.of(name)}>" if name else f"@{found[1] or found[2]}"

        return _MENTION.sub(mention, text)


class _Muids:
    """Makes muids of messages that have none: of what is said, when, by whom and where."""

    def __init__(self, chat: str) -> None:
        self._chat = chat
        self._at = -1
        self._equal: dict[str, int] = {}

    def of(self, told: ChatEntry, at: int) -> str:
        """Return the muid of a message; equal ones of the same time are told apart."""
        if at != self._at:
            self._at, self._equal = at, {}
        digest = _digest(f"{self._chat}\0{told.author}\0{at}\0{told.text}")
        number = self._equal[digest] = self._equal.get(digest, 0) + 1
        return f"whatsapp-{digest}" if number == 1 else f"whatsapp-{digest}.{number}"
