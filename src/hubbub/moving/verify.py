"""Compare a source with the store, row by row: the proof of an import."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter

from hubbub.moving.compare import (
    SUM_MODULUS,
    checksum,
    content_of,
    conversation_of,
    is_compared_whole,
    key_of,
    within,
)
from hubbub.moving.lines import FileLine, Line, MessageLine, PlainLine
from hubbub.moving.report import Checksums, Compared, Comparison
from hubbub.moving.staging import StagedRow, Staging
from hubbub.moving.target import ImportTarget
from hubbub.records.conversations.model import GROUP, ConversationKey

STEP = 500
FILE_KIND = FileLine.__struct_config__.tag
MOST_SHOWN = 1000
MOST_CONVERSATIONS = 10_000
"""So many are listed in a report, which is stored, and goes to a node in one piece."""
DAY_SECONDS = 86_400


class Verification:
    """The sums and counts of a comparison while it is made."""

    def __init__(self) -> None:
        self._source = self._store = 0
        self._kinds: defaultdict[str, Compared] = defaultdict(Compared)
        self.conversations: defaultdict[ConversationKey, Compared] = defaultdict(Compared)
        self._days: defaultdict[int, Compared] = defaultdict(Compared)
        self._differences: list[str] = []
        self._different = 0

    def compare(self, row: StagedRow, given: Line, stored: Line | None) -> None:
        """Compare a line of the source with what is stored under its key."""
        if given == stored and is_compared_whole(given):
            self.add(row.kind, given, checksum(given))
            return
        wanted = content_of(given)
        found = within(content_of(stored), wanted) if stored is not None else None
        sum_ = checksum(wanted)
        self._source = (self._source + sum_) % SUM_MODULUS
        is_equal = found == wanted
        if found is not None:
            self._store = (self._store + (sum_ if is_equal else checksum(found))) % SUM_MODULUS
        for counted in self._counted(row.kind, given):
            counted.source += 1
            counted.store += is_equal
        if not is_equal:
            names = [name for name in wanted if found is not None and found[name] != wanted[name]]
            said = f"another {', '.join(names)} is stored" if names else "it is not stored"
            self._note(f"{row.source}, line {row.number}: {row.kind} {_name(given)}: {said}")

    def add(self, kind: str, line: Line | PlainLine, sum_: int) -> None:
        """Add a line that is stored as it is."""
        self._source = (self._source + sum_) % SUM_MODULUS
        self._store = (self._store + sum_) % SUM_MODULUS
        for counted in self._counted(kind, line):
            counted.source += 1
            counted.store += 1

    def refuse(self, row: StagedRow) -> None:
        """Count a row that can't be stored: it is missing in the store."""
        self._kinds[row.kind].source += 1
        self._note(f"{row.source}, line {row.number}: {row.error}")

    def result(self) -> Comparison:
        """Return the comparison of all rows so far."""
        days = {day_name(day): counted for day, counted in sorted(self._days.items())}
        return Comparison(
            Checksums(f"{self._source:016x}", f"{self._store:016x}"),
            dict(self._kinds),
            {_title(key): self.conversations[key] for key in self._shown_conversations()},
            days,
            self._differences,
            self._different,
        )

    def _shown_conversations(self) -> Sequence[ConversationKey]:
        """Return the conversations to list: if they are very many, those that differ come first."""
        counted = self.conversations
        keys = sorted(counted, key=lambda key: (counted[key].source == counted[key].store, key))
        return sorted(keys[:MOST_CONVERSATIONS])

    def _counted(self, kind: str, line: Line | PlainLine) -> Sequence[Compared]:
        if not isinstance(line, MessageLine | PlainLine):
            return [self._kinds[kind]]
        conversation = self.conversations[conversation_of(line)]
        return [self._kinds[kind], conversation, self._days[line.sent_at // DAY_SECONDS]]

    def _note(self, difference: str) -> None:
        self._different += 1
        if len(self._differences) < MOST_SHOWN:
            self._differences.append(difference)


def day_name(day: int) -> str:
    """Return a day since 1970 as `YYYY-MM-DD`."""
    return f"{datetime.fromtimestamp(day * DAY_SECONDS, UTC):%Y-%m-%d}"


def _title(key: ConversationKey) -> str:
    kind, left, right = key
    return left if kind == GROUP else f"{left} and {right}"


def _name(line: Line) -> str:
    return key_of(line).replace("\x1f", " ")


async def verify(
    staging: Staging, target: ImportTarget, show: Callable[[int, int], None]
) -> Verification:
    """Compare all rows of a staged source with the store; `show` is told how many are done of all.

    Of rows with the same key the first one counts: the others were refused, or said the same.
    """
    verification = Verification()
    total, done = staging.total, 0
    after = 0
    while rows := staging.read(after, limit=STEP):
        after = rows[-1].place
        for kind, some in groupby(rows, key=attrgetter("kind")):
            await _compare_some(verification, target, kind, list(some))
        done += len(rows)
        show(done, total)
    return verification


async def _compare_some(
    verification: Verification, target: ImportTarget, kind: str, rows: Sequence[StagedRow]
) -> None:
    good: list[StagedRow] = []
    for row in rows:
        if row.error is not None:
            verification.refuse(row)
        elif kind != FILE_KIND:  # the messages with the file are compared
            good.append(row)
    if not good:
        return
    other = await target.find_other(kind, good)
    for row in good:
        if row.plain is not None and row.place not in other:
            verification.add(kind, row.plain_line(), row.plain.sum)
            continue
        line = row.line()
        verification.compare(row, line, other.get(row.place, line))
