"""Find the messages of a list whose text holds something.

A search is a list with one more condition: the same order, the same cursors. It reads the messages
of the list in order and compares their texts. The index narrows the list to candidates first,
unless they are very many: then the next match is never far.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from hubbub.domain.search.candidates import find_parts
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.counts import Count
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
MOST_COUNTED = 10_000


class Found(msgspec.Struct, frozen=True):
    """Messages of a list, ascending."""

    messages: Sequence[Message]
    cut_at: MessageCursor | None = None
    """The cursor up to which the list was read, if the search stopped at `MOST_READ`."""


async def list_found(
    snapshot: Snapshot,
    wanted: MessageFilter,
    cursor: MessageCursor | None,
    *,
    is_before: bool,
    limit: int,
    offset: int = 0,
) -> Found:
    """Return the messages that `list_messages` lists; with a search, those of them that match."""
    if not wanted.search:
        return Found(
            await list_messages(
                snapshot, wanted, cursor, is_before=is_before, limit=limit, offset=offset
            )
        )
    if wanted.reader is not None and wanted.only_deleted:
        return Found([])  # readers are not shown the content of deleted messages
    search = _Search(snapshot, wanted, cursor, is_before, count=offset + limit, left=MOST_READ)
    await search.run()
    found = search.found[offset : offset + limit]
    return Found(found[::-1] if is_before else found, search.cut_at)


async def count_found(snapshot: Snapshot, wanted: MessageFilter, uid: str | None) -> list[Count]:
    """Count the matches by conversation, as `count_messages` does; of very many, the newest."""
    found = await list_found(snapshot, wanted, None, is_before=True, limit=MOST_COUNTED)
    counts = Counter(_counterpart_of(each, uid) for each in found.messages)
    return [(kind, id_, count) for (kind, id_), count in sorted(counts.items())]


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

    @property
    def is_full(self) -> bool:
        """True if enough messages match."""
        return len(self.found) >= self.count

    @property
    def cut_at(self) -> MessageCursor | None:
        """The cursor to continue from, if the search stopped before it was full."""
        return self.cursor if self.left <= 0 and not self.is_full else None

    async def run(self) -> None:
        """Read the beginning of the list, then the candidates that the index names."""
        if not await self._read_beginning():
            return
        for part in await find_parts(self.snapshot, self.wanted, is_before=self.is_before):
            self.wanted = msgspec.structs.replace(self.wanted, among=part)
            if part != set():
                await self._read_up_to(self.left)

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
        while most > 0 and self.left > 0 and not self.is_full:
            limit = min(most, AT_ONCE)
            if await self._read(limit) < limit:
                return False
            most -= limit
        return not self.is_full

    async def _read(self, limit: int) -> int:
        """Read the next messages of the list and keep the matches; return how many were read."""
        ascending = await list_messages(
            self.snapshot, self.wanted, self.cursor, is_before=self.is_before, limit=limit
        )
        messages = ascending[::-1] if self.is_before else ascending
        self.found += [each for each in messages if matches(each, self.wanted.search)]
        if messages:
            self.cursor = MessageCursor(messages[-1].sent_at, messages[-1].id)
        self.left -= len(messages)
        return len(messages)
