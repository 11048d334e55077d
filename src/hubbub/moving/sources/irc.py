"""IRC: logs of channels in files; a nickname becomes a user, a channel a group."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from hubbub.moving.lines import GroupLine, Line, MemberLine, MessageLine, UserLine
from hubbub.moving.sources.interface import (
    LONGEST_BROKEN,
    Broken,
    Reading,
    Row,
    SourceUnreadable,
)
from hubbub.moving.sources.irc_logs import CORPUS_NAME, IrcLog, Left, Untimed, find_log
from hubbub.moving.sources.local_time import stamps_in
from hubbub.moving.sources.nicknames import Nicknames
from hubbub.moving.sources.rows import split_text
from hubbub.moving.sources.texts import TextEnds, decode, fit_name, raw_lines
from hubbub.moving.tree import Tree
from hubbub.rest.wire.enums import GroupType

BLANK = "irc_blank"
"""The type of the custom message that a line without text becomes: a text must not be empty."""
SNIFFED_FILES = 5
IMPOSSIBLE = "The day of the line is not known, or lies before 1970 or after 5138."
LONGEST_STEM = 100
SHORT = 1000
"""Characters; JSON has at most six bytes for each, so a text below this is never split."""


class Irc:
    """Logs of the Ubuntu corpus, irssi, WeeChat and ZNC, in UTF-8."""

    name = "irc"
    title = "IRC logs"

    def detect(self, tree: Tree) -> bool:
        names = tree.names()
        if any(CORPUS_NAME.fullmatch(PurePosixPath(name).name) for name in names):
            return True
        named = [name for name in names if name.endswith((".log", ".weechatlog"))]
        return any(find_log(tree, name) for name in named[:SNIFFED_FILES])

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        logs = [log for name in tree.names() if (log := find_log(tree, name))]
        if not logs:
            raise SourceUnreadable(
                "The source has no IRC log. Files are named YYYY-MM-DD.….raw.txt, or are logs as"
                " irssi, WeeChat or ZNC write them."
            )
        uids, guids = Nicknames("nick"), Nicknames("irc", ())
        channels: dict[str, _IrcChannel] = {}
        for log, stem in zip(logs, _stems(logs), strict=True):
            channel = channels.get(log.channel)
            if channel is None:
                channel = channels[log.channel] = _IrcChannel(log, guids.of(log.channel), uids)
            yield from _read_log(tree, log, stem, channel, reading)
        yield from _user_rows(channels.values())
        for channel in channels.values():
            yield from channel.rows()


def _stems(logs: Sequence[IrcLog]) -> Iterator[str]:
    """Yield what names each file in muids; with its path, if several have the same name."""
    times = Counter(log.stem for log in logs)
    ids = Nicknames("log", ())
    for log in logs:
        is_own = times[log.stem] == 1 and len(log.stem) <= LONGEST_STEM
        yield log.stem if is_own else ids.of(log.name.replace("/", "-"))


@dataclass(slots=True)
class _First:
    """Where a user is named first, and the time of their earliest message."""

    uid: str
    source: str
    number: int
    at: int

    def row(self, line: Line) -> Row:
        return Row(self.source, self.number, line)


class _IrcChannel:
    """The group of a channel; users join it with their first message."""

    def __init__(self, log: IrcLog, guid: str, uids: Nicknames) -> None:
        self.guid = guid
        self.members: dict[str, _First] = {}
        self._log, self._uids = log, uids

    def uid_of(self, nickname: str, source: str, number: int, at: int) -> str:
        """Return the uid of a nickname, who says something at this time."""
        member = self.members.get(nickname)
        if member is None:
            uid = self._uids.of(nickname)
            member = self.members[nickname] = _First(uid, source, number, at)
        elif at < member.at:
            member.at = at
        return member.uid

    def rows(self) -> Iterator[Row]:
        """Yield the group, which is made just before its first message, and its members."""
        if not self.members:
            return
        created_at = max(min(member.at for member in self.members.values()) - 1, 0)
        name = fit_name(self._log.channel, otherwise=self.guid)
        kind: GroupType = "public" if self._log.is_public else "private"
        group = GroupLine(guid=self.guid, name=name, group_type=kind, created_at=created_at)
        yield Row(self._log.name, 1, group)
        for member in self.members.values():
            yield member.row(MemberLine(guid=self.guid, uid=member.uid, joined_at=member.at))


def _user_rows(channels: Iterable[_IrcChannel]) -> Iterator[Row]:
    """Yield the users, who are as old as their first message in any channel."""
    users: dict[str, _First] = {}
    for channel in channels:
        for nickname, member in channel.members.items():
            first = users.setdefault(nickname, replace(member))
            first.at = min(first.at, member.at)
    for nickname, first in users.items():
        name = fit_name(nickname, otherwise=first.uid)
        yield first.row(UserLine(uid=first.uid, name=name, created_at=first.at))


def _read_log(
    tree: Tree, log: IrcLog, stem: str, channel: _IrcChannel, reading: Reading
) -> Iterator[Row | Broken]:
    source, dropped, number = log.name, reading.dropped, 0
    read_line = log.open(stamps_in(reading.timezone)).read
    try:
        for number, raw in enumerate(raw_lines(tree, source), start=1):
            if raw is None:
                yield Broken(source, number, "The line has more than 1 MiB.", "")
                continue
            try:
                text = raw.decode()
            except UnicodeDecodeError:
                text = decode(raw, reading)
            said = read_line(text)
            if type(said) is tuple:
                nickname, text, at = said
                sender = channel.uid_of(nickname, source, number, at)
                muid = f"irc-{stem}-{number}"
                if len(text) < SHORT and text.strip():
                    line = _message(muid, sender, channel.guid, at, {"text": text})
                    yield Row(source, number, line)
                    continue
                for line in _unusual(muid, sender, channel.guid, at, text, reading):
                    yield Row(source, number, line)
            elif isinstance(said, Left):
                dropped[said.value] += 1
            elif isinstance(said, Untimed):
                yield Broken(source, number, IMPOSSIBLE, said.text[:LONGEST_BROKEN])
    except TextEnds as fault:
        yield Broken(source, number + 1, str(fault), "")


def _message(muid: str, sender: str, guid: str, at: int, data: dict[str, Any]) -> MessageLine:
    return MessageLine(
        muid=muid,
        sender=sender,
        receiver_type="group",
        receiver=guid,
        sent_at=at,
        read_at=at,  # or everybody would begin with thousands of unread messages
        data=data,
    )


def _unusual(
    muid: str, sender: str, guid: str, at: int, text: str, reading: Reading
) -> Iterator[MessageLine]:
    """Yield the messages of a line that is blank or may be too long."""
    if not text.strip():
        line = _message(muid, sender, guid, at, {"customData": {"text": text[:SHORT]}})
        line.category, line.message_type = "custom", BLANK
        yield line
        return
    pieces = split_text(text)
    if len(pieces) > 1:
        reading.drop("long texts split into several messages")
    for piece, part in enumerate(pieces, start=1):
        named = muid if piece == 1 else f"{muid}-{piece}"
        yield _message(named, sender, guid, at, {"text": part})
