"""The lines of a chat that WhatsApp exported, in the forms of iOS and Android."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from hubbub.moving.sources.interface import Reading
from hubbub.moving.sources.texts import LONGEST_LINE, decode, raw_lines
from hubbub.moving.tree import Tree

_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\ufeff"
SYSTEM_MARK = "\u200e"
"""Stands before what WhatsApp itself says, on iOS."""
_BEGINNING = re.compile(
    r"(?P<bracket>\[?)(?P<first>\d{1,4})(?P<mark>[./-])(?P<second>\d{1,2})(?P=mark)"
    r"(?P<third>\d{1,4})(?:,| à| às)?\s{1,2}"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second_>\d{2}))?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?(?:\]\s|\s[-–]\s)(?P<rest>.*)",
    re.DOTALL,
)
_AUTHOR = re.compile(r"([^:\n“”\"«»„]{1,200}):(?: (.*)|\Z)", re.DOTALL)
_UNSAVED = re.compile(r"\A~\s?")
"""Stands before the name of somebody who is not in the phone's address book."""
_NOON = 12


@dataclass(frozen=True, slots=True)
class Clocked:
    """The three numbers of a date as they stand there, and the seconds since midnight."""

    numbers: tuple[int, int, int]
    mark: str
    seconds: int

    @property
    def begins_with_year(self) -> bool:
        return self.numbers[0] > 31


@dataclass(slots=True)
class ChatEntry:
    """A message, or with an empty author a line of WhatsApp itself; `text` has all its lines."""

    number: int
    when: Clocked
    author: str
    lines: list[str] = field(default_factory=list)
    size: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def is_too_long(self) -> bool:
        return self.size >= LONGEST_LINE


def begins_chat(text: str) -> bool:
    """Return whether the first line of a text is that of a chat."""
    first = next((line for line in text.splitlines() if line.strip(_MARKS).strip()), "")
    return _parse(first) is not None


def read_chat(tree: Tree, name: str, reading: Reading) -> Iterator[ChatEntry]:
    """Yield what is said in a chat; what precedes the first date is left out.

    Raises:
        TextEnds: the file can't be read from here on.
    """
    told: ChatEntry | None = None
    bracket: str | None = None
    for number, raw in enumerate(raw_lines(tree, name), start=1):
        if raw is None:
            if told is not None:
                told.size += LONGEST_LINE
            continue
        line = decode(raw, reading).rstrip("\r")
        found = _parse(line) if line[:9].strip(_MARKS + " [")[:1].isdecimal() else None
        if found is not None and bracket in (None, found["bracket"]):
            if told is not None:
                yield told
            bracket = found["bracket"]
            told = _begin(number, found)
        elif told is not None:
            told.size += len(line)
            if not told.is_too_long:
                told.lines.append(line)
        elif line.strip(_MARKS).strip():
            reading.drop("lines before the first message")
    if told is not None:
        yield told


def _parse(line: str) -> re.Match[str] | None:
    found = _BEGINNING.fullmatch(line.lstrip(_MARKS))
    if found is None or int(found["hour"]) > 23 or int(found["minute"]) > 59:
        return None
    is_closed = bool(found["bracket"]) == ("]" in line[: found.start("rest") + len(_MARKS)])
    return found if is_closed else None


def _begin(number: int, found: re.Match[str]) -> ChatEntry:
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    seconds = hour * 3600 + int(found["minute"]) * 60 + int(found["second_"] or 0)
    numbers = (int(found["first"]), int(found["second"]), int(found["third"]))
    when = Clocked(numbers, found["mark"], seconds)
    rest = found["rest"]
    said = _AUTHOR.fullmatch(rest)
    if said is None:
        return ChatEntry(number, when, "", [rest], len(rest))
    author = _UNSAVED.sub("", said[1].strip(_MARKS + " \u2068\u2069"))
    text = said[2] or ""
    return ChatEntry(number, when, author, [text], len(text))


# --- Dates ---------------------------------------------------------------------------------------


class DateOrder:
    """Finds out from all dates of a chat whether days or months come first."""

    def __init__(self) -> None:
        self.is_of_europe = False
        """Whether words of a language are there whose dates begin with the day."""
        self._days_first = self._months_first = True
        self._differs = False
        self._latest: dict[bool, tuple[int, int, int, int]] = {}
        self._backwards = {True: 0, False: 0}

    def add(self, when: Clocked) -> None:
        """Look at one more date."""
        first, second, third = when.numbers
        if when.begins_with_year:
            return
        if when.mark == ".":
            self._months_first = False
        if first > _NOON:
            self._months_first = False
        if second > _NOON:
            self._days_first = False
        if first != second:
            self._differs = True
        for days_first in (True, False):
            day, month = (first, second) if days_first else (second, first)
            moment = (third, month, day, when.seconds)
            if moment < self._latest.get(days_first, moment):
                self._backwards[days_first] += 1
            self._latest[days_first] = moment

    def decide(self) -> bool | None:
        """Return whether days come first; None if that can't be known."""
        if self._days_first != self._months_first:
            return self._days_first
        if not self._days_first:
            return None
        if not self._differs or self.is_of_europe:
            return True
        days, months = self._backwards[True], self._backwards[False]
        if bool(days) != bool(months):  # chats are in order of time
            return not days
        return None


def day_of(when: Clocked, *, days_first: bool) -> date | None:
    """Return the day of a date, if there is one."""
    first, second, third = when.numbers
    if when.begins_with_year:
        year, month, day = first, second, third
    else:
        day, month = (first, second) if days_first else (second, first)
        year = third if third > 99 else 2000 + third
    try:
        return date(year, month, day)
    except ValueError:
        return None


# --- What WhatsApp writes in place of a content --------------------------------------------------

_WORDS_OF_FILES = {
    "attached": "file attached",
    "Anhang": "Datei angehängt",
    "pièce jointe": "fichier joint",
    "adjunto": "archivo adjunto",
    "anexado": "arquivo anexado",
    "allegato": "file allegato",
}
"""On iOS `<attached: name>`, on Android `name (file attached)`: English, German, French, …"""
_ATTACHED = re.compile(r"[\u200e\u200f]?<([^<>:\n]{1,30}?)\s?: ([^<>\n]{1,300})>")
_NAMED = re.compile(r"[\u200e\u200f]?([^\n]{1,300}?\.\w{1,8}) \(([^()\n]{1,40})\)(?=\n|\Z)")
_OMITTED = re.compile(
    r"[\u200e\u200f]?(?:<(?:Media omitted|Medien ausgeschlossen|Médias? omis|Multimedia omitido"
    r"|Mídia oculta|Arquivo de mídia oculto|Media omessi|View once .{1,30} omitted)>"
    r"|(?:image|video|audio|sticker|GIF|document|Contact card|video note) omitted"
    r"|(?:Bild|Video|Audio|Sticker|GIF|Dokument|Kontaktkarte|Videonachricht) weggelassen"
    r"|(?:image|vidéo|audio|sticker|GIF|document|fiche contact) (?:absente?|omise?)"
    r"|(?:imagen|video|audio|sticker|GIF|documento|Tarjeta de contacto) omitid[oa]"
    r"|(?:imagem|vídeo|áudio|figurinha|GIF|documento|Cartão do contato) (?:omitid|ocultad)[oa]"
    r"|(?:immagine|video|audio|sticker|GIF|documento|scheda contatto) omess[oa])(?=\n|\Z)",
    re.IGNORECASE,
)
_DELETED = re.compile(
    r"[\u200e\u200f]?(?:This message was deleted|You deleted this message"
    r"|Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht"
    r"|Ce message a été supprimé|Vous avez supprimé ce message"
    r"|Se eliminó este mensaje|Este mensaje fue eliminado|Eliminaste este mensaje"
    r"|Mensagem apagada|Esta mensagem foi apagada|Você apagou esta mensagem"
    r"|Questo messaggio è stato eliminato|Hai eliminato questo messaggio)\.?\s*"
)
_EDITED = re.compile(
    r"\s?[\u200e\u200f]?<(?:This message was edited|Diese Nachricht wurde bearbeitet"
    r"|Ce message a été modifié|Se editó este mensaje|Mensagem editada"
    r"|Questo messaggio è stato modificato)\.?>\s*\Z"
)
_ENGLISH = re.compile(r"attached|omitted|deleted|edited", re.IGNORECASE)


@dataclass(slots=True)
class ChatContent:
    """What a message has."""

    text: str
    files: list[str] = field(default_factory=list)
    """The names that the text names as files."""
    is_deleted: bool = False
    is_edited: bool = False
    omitted: int = 0
    """The files that the export leaves out."""
    is_system: bool = False
    words: str = ""
    """What of it is in the language of the phone."""

    @property
    def is_european(self) -> bool:
        return bool(self.words) and _ENGLISH.search(self.words) is None


def content_of(text: str, names: frozenset[str] | set[str]) -> ChatContent:
    """Return what a text says and names; `names` are those of the files beside the chat."""
    if deleted := _DELETED.fullmatch(text):
        return ChatContent("", is_deleted=True, words=deleted[0])
    found = ChatContent(text)
    was_marked = text.startswith(SYSTEM_MARK)

    def edited(match: re.Match[str]) -> str:
        found.is_edited, found.words = True, match[0]
        return ""

    def attached(match: re.Match[str]) -> str:
        if match[2] not in names and match[1] not in _WORDS_OF_FILES:
            return match[0]
        found.files.append(match[2])
        found.words = match[1]
        return ""

    def named(match: re.Match[str]) -> str:
        if match[1] not in names and match[2] not in _WORDS_OF_FILES.values():
            return match[0]
        found.files.append(match[1])
        found.words = match[2]
        return ""

    def omitted(match: re.Match[str]) -> str:
        found.omitted += 1
        found.words = match[0]
        return ""

    text = _EDITED.sub(edited, text)
    if "<" in text:
        text = _ATTACHED.sub(attached, text)
    if "(" in text and (match := _NAMED.match(text)):
        text = named(match) + text[match.end() :]
    if match := _OMITTED.match(text):
        text = omitted(match) + text[match.end() :]
    found.text = text.strip("\n" + _MARKS).strip()
    is_whole = not (found.files or found.omitted or found.is_edited)
    found.is_system = was_marked and is_whole and "\n" not in text and "://" not in text
    return found
