"""Rehearse an import: all is done as it would be, in a store of its own that is thrown away.

What rows name in the real store is copied into that store before they are carried out there, so
that each has the outcome that it would have. The real store is only read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

import msgspec

from hubbub.moving.apply.files import Files, Paths
from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.apply.rows import apply_lines
from hubbub.moving.compare import key_of
from hubbub.moving.lines import (
    KINDS,
    FileLine,
    GroupLine,
    Line,
    MemberLine,
    MessageLine,
    ReactionLine,
    ReceiptLine,
    RoleLine,
    UserLine,
)
from hubbub.moving.staging import StagedRow
from hubbub.moving.target import ImportBeginning, ImportTarget, OwnStore
from hubbub.records.conversations.model import GROUP, ConversationKey
from hubbub.records.imports.model import Counts, ImportRun
from hubbub.records.roles.model import DEFAULT_ROLE
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

ORDER = list(KINDS)
RANKS = {kind: rank for rank, kind in enumerate(KINDS.values())}
Named = dict[tuple[type[Line], str], Line]
"""Lines that are looked up, of which only the key counts, by kind and key."""


class Rehearsal(OwnStore):
    """A store into which an import is rehearsed; `real` is the one that it is for."""

    def __init__(self, runtime: Runtime, app_id: str, real: ImportTarget, *, step: int) -> None:
        super().__init__(runtime, app_id, step=step)
        self._real = real
        self._looked_up: set[int] = set()
        """Hashes of the kinds and keys that were looked up: they are many."""
        self._told_run = ""

    async def begin(self, beginning: ImportBeginning) -> ImportRun:
        if beginning.id:
            self._told_run = (await self._real.begin(beginning)).id
        return await super().begin(msgspec.structs.replace(beginning, id=""))

    async def end(self, import_id: str, state: str, report: str | None) -> None:
        await super().end(import_id, state, report)
        if self._told_run:
            await self._real.end(self._told_run, state, report)

    async def apply(
        self, import_id: str, rows: Sequence[StagedRow], conflicts: Conflicts, paths: Paths
    ) -> Counts:
        lines = [row.line() for row in rows if row.error is None]
        await self._copy({name: line for each in lines for name, line in _named_by(each)})
        return await super().apply(import_id, rows, conflicts, paths)

    async def tell(self, keys: Sequence[ConversationKey]) -> None:
        """Tell nobody."""

    async def _copy(self, wanted: Named) -> None:
        """Copy what is stored of these lines, with all that they name themselves."""
        found: Named = {}
        while wanted := {name: each for name, each in wanted.items() if self._is_new(name)}:
            stored = await self._find(wanted.values())
            found |= stored
            wanted = {name: each for line in stored.values() for name, each in _named_by(line)}
        if not found:
            return
        lines = sorted(found.values(), key=_place)
        now = self._runtime.clock.now()

        async def within(tx: Transaction) -> None:
            await apply_lines(tx, lines, Conflicts.SKIP, now, Files())

        await self._runtime.database.write(self._app_id, within)

    def _is_new(self, name: tuple[type[Line], str]) -> bool:
        hash_ = hash(name)
        if hash_ in self._looked_up:
            return False
        self._looked_up.add(hash_)
        return True

    async def _find(self, lines: Iterable[Line]) -> Named:
        found: Named = {}
        for rank, some in groupby(sorted(lines, key=_place), key=lambda line: _place(line)[0]):
            stored: Mapping[str, Line] = await self._real.find(ORDER[rank], list(some))
            found |= {(type(line), key): line for key, line in stored.items()}
        return found


def _place(line: Line) -> tuple[int, int]:
    return RANKS[type(line)], line.sent_at if isinstance(line, MessageLine) else 0


def _named_by(line: Line) -> Iterator[tuple[tuple[type[Line], str], Line]]:
    """Yield a line, and the lines of what it names, by kind and key."""
    if isinstance(line, FileLine):
        return
    yield (type(line), key_of(line)), line
    for other in _others(line):
        yield (type(other), key_of(other)), other


def _others(line: Line) -> Iterator[Line]:
    match line:
        case UserLine(role=str(role)) if role != DEFAULT_ROLE:
            yield RoleLine(role=role, name=role)
        case GroupLine(owner=str(owner)):
            yield _user(owner)
        case MemberLine():
            yield _user(line.uid)
            yield _group(line.guid)
        case MessageLine():
            yield _user(line.sender)
            yield _receiver(line)
            if line.receiver_type == GROUP:
                yield MemberLine(guid=line.receiver, uid=line.sender)
            for muid, sender in (
                (line.parent_muid, line.parent_sender),
                (line.quoted_muid, line.quoted_sender),
            ):
                if muid is not None and sender is not None:
                    yield _message(sender, muid)
        case ReactionLine():
            yield _user(line.uid)
            yield _message(line.sender, line.muid)
        case ReceiptLine():
            yield _user(line.uid)
            yield _receiver(line)
            if line.receiver_type == GROUP:
                yield MemberLine(guid=line.receiver, uid=line.uid)
            yield _message(line.sender, line.read_up_to)


def _receiver(line: MessageLine | ReceiptLine) -> Line:
    return _group(line.receiver) if line.receiver_type == GROUP else _user(line.receiver)


def _user(uid: str) -> UserLine:
    return UserLine(uid=uid, name=uid)


def _group(guid: str) -> GroupLine:
    return GroupLine(guid=guid, name=guid, group_type="public")


def _message(sender: str, muid: str) -> MessageLine:
    return MessageLine(muid=muid, sender=sender, receiver_type="user", receiver=sender, sent_at=0)
