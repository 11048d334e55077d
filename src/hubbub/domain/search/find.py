"""Find the messages of a list whose text holds something.

A search is a list with one more condition: the same order, the same cursors. It reads the messages
of the list in order and compares their texts. The index narrows the list to candidates first,
unless they are very many: then the next match is never far.

A search has a limited time. It ends with what it found so far and the cursor to go on from.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from hubbub.domain.search.candidates import Part, find_parts
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.counts import Count, count_messages
from hubbub.records.messages.listing import MessageCursor, MessageFilter, list_messages
from hubbub.records.messages.model import Message
from hubbub.records.search.model import is_common, matches
from hubbub.storage.interface import Snapshot

FIRST_LOOK = 500
"""This many messages are read before the index is asked."""
LONG_LOOK = 20_000
"""The same if many of the first ones match, or the text is a letter or two: then the index would
find too many."""
MOST_READ = 100_000
"""This many messages are read for one answer; its cursor continues the search."""
AT_ONCE = 1_000
"""So many messages are read with one statement."""
COMPARED_AT_ONCE = 100
"""So many texts are compared before others have a turn."""
MOST_COUNTED = 10_000
SEARCH_SECONDS = 2.0
"""Then a search, or a count, ends with what it has."""
INDEX_SECONDS = 0.5
"""Then the index is not waited for any longer, and the list is read without it."""


class FoundMessages(msgspec.Struct, frozen=True):
    """Messages of a list, ascending."""

    messages: Sequence[Message]
    cut_at: MessageCursor | None = None
    """The cursor up to which the list was read, if the search stopped before it was complete."""
    is_cut: bool = False
    """Whether it stopped at `MOST_READ`, or because its time was over."""


class Counted(msgspec.Struct, frozen=True):
    """Numbers of messages, and whether there may be more."""

    counts: Sequence[Count]
    is_incomplete: bool = False


async def list_found(
    snapshot: Snapshot,
    wanted: MessageFilter,
    cursor: MessageCursor | None,
    *,
    is_before: bool,
    limit: int,
    offset: int = 0,
) -> FoundMessages:
    """Return those of the messages that `list_messages` lists which match the search."""
    if wanted.reader is not None and wanted.only_deleted:
        return FoundMessages([])  # readers are not shown the content of deleted messages
    search = _Search(snapshot, wanted, cursor, is_before, count=offset + limit, left=MOST_READ)
    await search.run()
    found = search.found[offset : offset + limit]
    cut_at = search.cursor if search.is_cut else None
    return FoundMessages(found[::-1] if is_before else found, cut_at, search.is_cut)


async def count_found(snapshot: Snapshot, wanted: MessageFilter, uid: str | None) -> Counted:
    """Count messages by conversation; of very many matches of a search, the newest.

    If counting takes too long, those are counted that are read in as much time.
    """
    if not wanted.search:
        counts = await snapshot.within(
            SEARCH_SECONDS, lambda: count_messages(snapshot, wanted, uid)
        )
        if counts is not None:
            return Counted(counts)
    if wanted.search and wanted.reader is not None and wanted.only_deleted:
        return Counted([])
    search = _Search(snapshot, wanted, None, is_before=True, count=MOST_COUNTED, left=MOST_READ)
    await search.run()
    found = Counter(_counterpart_of(each, uid) for each in search.found[:MOST_COUNTED])
    rows = [(kind, id_, count) for (kind, id_), count in sorted(found.items())]
    return Counted(rows, search.is_cut or search.is_full)


def _counterpart_of(message: Message, uid: str | None) -> tuple[str, str]:
    if message.receiver_type == GROUP or uid is None:
        return message.receiver_type, message.receiver
    return message.receiver_type, message.other_than(uid)


@dataclass(slots=True)
class _Search:
    """A list that is read until enough messages match or nothing is left."""

    snapshot: Snapshot
    wanted: MessageFilter
    cursor: MessageCursor | None
    is_before: bool
    count: int
    """The number of matches that are enough."""
    left: int
    """The number of messages that may still be read."""
    found: list[Message] = field(default_factory=list)
    """Matches in the order of reading."""
    is_over: bool = False
    """Whether its time was over before it had read everything."""

    @property
    def is_full(self) -> bool:
        """True if enough messages match."""
        return len(self.found) >= self.count

    @property
    def is_cut(self) -> bool:
        """True if the search stopped before it was full, and may go on from its cursor."""
        return (self.left <= 0 or self.is_over) and not self.is_full

    async def run(self) -> None:
        """Read until enough messages match, nothing is left, or the time is over."""
        if await self.snapshot.within(SEARCH_SECONDS, self._run) is None:
            self.is_over = True

    async def _run(self) -> bool:
        """Read the beginning of the list, then the candidates that the index names."""
        if not self.wanted.search:
            return await self._read_up_to(self.left)
        if not await self._read_beginning():
            return True
        for part in await self._find_parts():
            self.wanted = msgspec.structs.replace(self.wanted, among=part)
            if part != set():
                await self._read_up_to(self.left)
        return True

    async def _find_parts(self) -> Sequence[Part]:
        """Ask the index; without an answer in time every message of the list may match."""
        parts = await self.snapshot.within(
            INDEX_SECONDS,
            lambda: find_parts(self.snapshot, self.wanted, is_before=self.is_before),
        )
        return [None] if parts is None else parts

    async def _read_beginning(self) -> bool:
        """Read without the index while that is likely faster; return whether there may be more."""
        if is_common(self.wanted.search):
            return await self._read_up_to(LONG_LOOK)
        if self.wanted.viewer is not None and self.wanted.conversation is None:
            return True
        may_be_more = await self._read_up_to(FIRST_LOOK)
        is_dense = self.count * FIRST_LOOK <= len(self.found) * LONG_LOOK
        return await self._read_up_to(LONG_LOOK) if may_be_more and is_dense else may_be_more

    async def _read_up_to(self, most: int) -> bool:
        """Read up to `most` messages until the search is full; return whether there may be more."""
        while most > 0 and self.left > 0 and not self.is_full and not self.is_over:
            limit = min(most, AT_ONCE)
            if await self._read(limit) < limit:
                return False
            most -= limit
            self.is_over = self.snapshot.is_overdue
        return not self.is_full and not self.is_over

    async def _read(self, limit: int) -> int:
        """Read the next messages of the list and keep the matches; return how many were read."""
        ascending = await list_messages(
            self.snapshot, self.wanted, self.cursor, is_before=self.is_before, limit=limit
        )
        messages = ascending[::-1] if self.is_before else ascending
        for at in range(0, len(messages), COMPARED_AT_ONCE):
            self.found += self._matches_of(messages[at : at + COMPARED_AT_ONCE])
            await self.snapshot.give_way()
        if messages:
            self.cursor = MessageCursor(messages[-1].sent_at, messages[-1].id)
        self.left -= len(messages)
        return len(messages)

    def _matches_of(self, messages: Sequence[Message]) -> Sequence[Message]:
        text = self.wanted.search
        return [each for each in messages if matches(each, text)] if text else messages
