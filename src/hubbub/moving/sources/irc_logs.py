"""The lines of IRC logs: of the Ubuntu corpus, irssi, WeeChat and ZNC."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from pathlib import PurePosixPath
from typing import IO

from hubbub.moving.sources.local_time import Stamp
from hubbub.moving.sources.texts import beginning_of
from hubbub.moving.tree import DAMAGED, Tree


class Left(StrEnum):
    """What of a log no line carries."""

    ACTION = "actions (/me)"
    NOTICE = "notices"
    SYSTEM = "joins, parts, topics and other system lines"
    OTHER = "lines that are no messages"


@dataclass(frozen=True, slots=True)
class Untimed:
    """A message whose time is impossible."""

    text: str


Said = tuple[str, str, int]
"""Nickname, text, and time."""
Told = Said | Left | Untimed | None
"""None is an empty line."""


class Dialect(ABC):
    """How one program writes a file; the lines of the file come to `read` one after another."""

    @abstractmethod
    def read(self, line: str) -> Told:
        """Return what a line says."""


@dataclass(frozen=True, slots=True)
class IrcLog:
    """A file of a log, and what its name says."""

    name: str
    channel: str
    stem: str
    """Names the file in muids."""
    open: Callable[[Stamp], Dialect]
    is_public: bool = True


# --- The corpus: [HH:MM] <nick> text -------------------------------------------------------------

CORPUS_NAME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.(?:.*\.)?raw\.txt")
_TIMED = re.compile(r"\[([01][0-9]|2[0-3]):([0-5][0-9])\]")
_CLOCK_LENGTH = len("[HH:MM]")
_ACTION = re.compile(r" {0,2}\* \S")
_NOTICE = re.compile(r" ?-[^\s:]+:#\S+-")
_AFTERNOON = re.compile(rb"^\[(?:1[3-9]|2[0-3]):[0-5][0-9]\]", re.MULTILINE)
_NOON = 12 * 60
_MIDNIGHT = 24 * 60
_LARGEST_STEP_BACK = 60


class Corpus(Dialect):
    """A day's file. A clock that goes back by over an hour has passed midnight, or noon.

    The time stands still while a clock that was set back catches up. `turn` is the minutes of a
    round of the clock.
    """

    def __init__(self, day: date, turn: int, stamp: Stamp) -> None:
        self._day, self._turn, self._stamp = day, turn, stamp
        self._latest = -1
        self._clock = ""
        self._at: int | None = None

    def read(self, line: str) -> Told:
        clock = line[:_CLOCK_LENGTH]
        if clock != self._clock and not self._advance(clock):  # most lines share their minute
            return Left.SYSTEM if line.startswith("===") else Left.OTHER
        start = line.find("<", _CLOCK_LENGTH, _CLOCK_LENGTH + 2)
        end = line.find(">", start) if start == _CLOCK_LENGTH or line[start - 1] == " " else -1
        if start < 0 or end < 0:
            return _left_of_corpus(line)
        if self._at is None:
            return Untimed(line)
        behind = end + 1
        text = line[behind + 1 :] if line[behind : behind + 1] == " " else line[behind:]
        return line[start + 1 : end], text, self._at

    def _advance(self, clock: str) -> bool:
        """Go on to what a clock shows, in minutes since the first midnight, which never decrease.

        Returns whether it is one.
        """
        timed = _TIMED.fullmatch(clock)
        if timed is None:
            return False
        hand = (int(timed[1]) * 60 + int(timed[2])) % self._turn
        if self._latest < 0:
            self._latest = hand
        turns = -((hand + _LARGEST_STEP_BACK - self._latest) // self._turn)
        self._latest = max(self._latest, hand + turns * self._turn)
        self._clock, self._at = clock, self._stamp(self._day, self._latest * 60)
        return True


def _left_of_corpus(line: str) -> Left:
    if _ACTION.match(line, _CLOCK_LENGTH):
        return Left.ACTION
    return Left.NOTICE if _NOTICE.match(line, _CLOCK_LENGTH) else Left.OTHER


def turn_of(file: IO[bytes]) -> int:
    """Return the minutes of a round of a file's clock: a day, or half of one without afternoon."""
    rest = b""
    with suppress(*DAMAGED):  # reading its lines tells
        while chunk := file.read(1 << 16):
            chunk = rest + chunk
            if _AFTERNOON.search(chunk):
                return _MIDNIGHT
            rest = chunk[chunk.rfind(b"\n") :][:64] if b"\n" in chunk else b""
    return _NOON


# --- Programs ------------------------------------------------------------------------------------

_MODES = "~&@%+! "
_CLOCK = r"([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?"
_IRSSI = re.compile(rf"{_CLOCK} (?:<([^>]+)> ?(.*)|( \* )|(-!-)|(-[^-]))?", re.DOTALL)
_IRSSI_DAY = re.compile(
    r"--- (?:Log opened|Log closed|Day changed) [A-Z][a-z]{2} ([A-Z][a-z]{2}) ([0-9]{2})"
    r"(?: [0-9:]{8})? ([0-9]{4})"
)
_WEECHAT = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}) {_CLOCK}\t([^\t]*)\t(.*)", re.DOTALL)
_WEECHAT_SYSTEM = {"", "--", "-->", "<--", "=!=", "-=-"}
_ZNC = re.compile(rf"\[{_CLOCK}\] (?:<([^>]+)> ?(.*)|(\*\*\*)|(\* )|(-[^-]))?", re.DOTALL)
_ZNC_NAME = re.compile(r"(?:(.+)_)?([0-9]{4})-?([0-9]{2})-?([0-9]{2})\.log")


class Irssi(Dialect):
    """A log of irssi, whose lines say when the day changes."""

    def __init__(self, stamp: Stamp) -> None:
        self._stamp = stamp
        self._day: date | None = None

    def read(self, line: str) -> Told:
        if line.startswith("---"):
            if day := _IRSSI_DAY.match(line):
                self._day = _day(" ".join(day.groups()), "%b %d %Y")
            return Left.SYSTEM
        found = _IRSSI.match(line)
        if found is None:
            return None if not line.strip() else Left.OTHER
        hour, minute, second, nickname, text, action, system, notice = found.groups()
        if nickname:
            return _said(self._stamp, self._day, (hour, minute, second), nickname, text, line)
        return _left(action, notice, system)


class WeeChat(Dialect):
    """A log of WeeChat: time, prefix and text between tabs."""

    def __init__(self, stamp: Stamp) -> None:
        self._stamp = stamp

    def read(self, line: str) -> Told:
        found = _WEECHAT.match(line)
        if found is None:
            return None if not line.strip() else Left.OTHER
        day, hour, minute, second, prefix, text = found.groups()
        prefix = prefix.strip()
        if prefix == "*":
            return Left.ACTION
        if prefix in _WEECHAT_SYSTEM:
            return Left.NOTICE if text.startswith("Notice(") else Left.SYSTEM
        moment = (hour, minute, second)
        return _said(self._stamp, _day(day, "%Y-%m-%d"), moment, prefix, text, line)


class Znc(Dialect):
    """A day's file of ZNC."""

    def __init__(self, day: date | None, stamp: Stamp) -> None:
        self._day, self._stamp = day, stamp

    def read(self, line: str) -> Told:
        found = _ZNC.match(line)
        if found is None:
            return None if not line.strip() else Left.OTHER
        hour, minute, second, nickname, text, system, action, notice = found.groups()
        if nickname:
            return _said(self._stamp, self._day, (hour, minute, second), nickname, text, line)
        return _left(action, notice, system)


def _said(
    stamp: Stamp,
    day: date | None,
    clock: tuple[str, str, str | None],
    nickname: str,
    text: str,
    line: str,
) -> Told:
    hour, minute, second = clock
    seconds = int(hour) * 3600 + int(minute) * 60 + int(second or 0)
    at = None if day is None else stamp(day, seconds)
    return Untimed(line) if at is None else (nickname.lstrip(_MODES), text, at)


def _left(action: str | None, notice: str | None, system: str | None) -> Left:
    if action:
        return Left.ACTION
    if notice:
        return Left.NOTICE
    return Left.SYSTEM if system else Left.OTHER


def _day(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).date()  # noqa: DTZ007  # a day has no zone
    except ValueError:
        return None


# --- Which program wrote a file -----------------------------------------------------------------

_SNIFFED = 8192
_ENDINGS = (".log", ".weechatlog", ".txt")
_BY_LINES = (
    (re.compile(r"^--- (?:Log opened|Day changed) [A-Z][a-z]{2} ", re.MULTILINE), Irssi),
    (
        re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\t", re.MULTILINE),
        WeeChat,
    ),
)
_ZNC_LINE = re.compile(r"^\[[0-9]{2}:[0-9]{2}:[0-9]{2}\] (?:<|\*|-)", re.MULTILINE)


def find_log(tree: Tree, name: str) -> IrcLog | None:
    """Return how a file is read, if it is a log."""
    path = PurePosixPath(name)
    if corpus := CORPUS_NAME.fullmatch(path.name):
        day = _day(corpus[1], "%Y-%m-%d")
        stem = path.name.removesuffix(".raw.txt").replace(".", "-")
        return IrcLog(
            name, _folder(tree, path), stem, lambda stamp: _corpus(tree, name, day, stamp)
        )
    if not name.endswith(_ENDINGS):
        return None
    beginning = beginning_of(tree, name, _SNIFFED)
    channel, opened = _channel(path), _program(path, beginning)
    if opened is None:
        return None
    if dated := _ZNC_NAME.fullmatch(path.name):
        channel = dated[1] or _folder(tree, path)
    return IrcLog(name, channel, path.stem, opened, is_public=channel.startswith("#"))


def _program(path: PurePosixPath, beginning: str) -> Callable[[Stamp], Dialect] | None:
    if (dated := _ZNC_NAME.fullmatch(path.name)) and _ZNC_LINE.search(beginning):
        day = _day("-".join(dated.groups()[1:]), "%Y-%m-%d")
        return lambda stamp: Znc(day, stamp)
    found = (dialect for pattern, dialect in _BY_LINES if pattern.search(beginning))
    return next(found, None)


def _corpus(tree: Tree, name: str, day: date | None, stamp: Stamp) -> Dialect:
    if day is None:
        return Znc(None, stamp)
    with tree.open(name) as file:
        return Corpus(day, turn_of(file), stamp)


def _folder(tree: Tree, path: PurePosixPath) -> str:
    """Return the name of the folder of a file, which is that of the channel."""
    return path.parent.name or tree.name.partition(".")[0] or path.stem


def _channel(path: PurePosixPath) -> str:
    """Return the channel of `irc.libera.#garden.weechatlog` or `#garden.log`."""
    _, hash_, rest = path.stem.partition("#")
    if hash_:
        return hash_ + rest
    return path.stem.rpartition(".")[2] if path.suffix == ".weechatlog" else path.stem
