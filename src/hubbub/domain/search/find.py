"""Find the messages of a list whose text holds something.

A search is a list with one more condition, in the same order, with the same cursors. Its messages
are read in that order and their text is looked at; the index says beforehand which ones it may be,
unless they are very many: then the next of them is never far.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from hubbub.domain.search.index import changed_by
from hubbub.records.conversations import store as conversations_store
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.counts import Count
from hubbub.records.messages.listing import MessageCursor, MessageFilter, list_messages
from hubbub.records.messages.model import Message
from hubbub.records.search import store
from hubbub.records.search.model import IndexKey, holds, key_of
from hubbub.records.search.store import Position
from hubbub.storage.dialect import Terms
from hubbub.storage.interface import Snapshot

MOST_CANDIDATES = 20_000
"""So many are named to a list in one piece."""
MOST_IN_PARTS = 200_000
"""So many, of all that an app holds, are gone through part by part for somebody."""
FIRST_LOOK = 500
"""So many messages are read before the index is asked, unless most are none that one may see."""
LONG_LOOK = 20_000
"""The same where much is found in them, or a letter or two are searched for: the index knows too
much of these."""
MOST_READ = 100_000
"""So many messages are read for one answer; who wants to go on has a cursor for it."""
AT_ONCE = 1_000
CONVERSATIONS_AT_ONCE = 100
MOST_COUNTED = 10_000

NOTHING_INDEXED = Position(slot=0, event=0)
"""Of an app whose log nobody has indexed yet: no entry begins with it."""
Part = Collection[int] | None
"""Candidates that come before those of the next part; None: whatever there is."""


@dataclass(frozen=True, slots=True)
class Found:
    """Messages of a list, ascending."""

    messages: Sequence[Message]
    cut_at: MessageCursor | None = None
    """Up to where it was read, when the answer would have taken too long otherwise."""


async def list_found(
    snapshot: Snapshot,
    wanted: MessageFilter,
    place: MessageCursor | None,
    *,
    is_before: bool,
    limit: int,
    offset: int = 0,
) -> Found:
    """Messages as `list_messages` of their store lists them, and a search if one is asked for."""
    if not wanted.search:
        return Found(
            await list_messages(
                snapshot, wanted, place, is_before=is_before, limit=limit, offset=offset
            )
        )
    if wanted.reader is not None and wanted.only_deleted:
        return Found([])  # he is not shown what they said
    search = _Search(snapshot, wanted, place, is_before=is_before, count=offset + limit)
    await search.run()
    found = search.found[offset : offset + limit]
    return Found(found[::-1] if is_before else found, search.cut_at)


async def count_found(snapshot: Snapshot, wanted: MessageFilter, whose: str | None) -> list[Count]:
    """How many messages a search finds, as `count_messages` of their store counts others.

    Of very many the newest are counted.
    """
    found = await list_found(snapshot, wanted, None, is_before=True, limit=MOST_COUNTED)
    counts: Counter[tuple[str, str]] = Counter(_with_whom(each, whose) for each in found.messages)
    return [(kind, id_, count) for (kind, id_), count in sorted(counts.items())]


def _with_whom(message: Message, whose: str | None) -> tuple[str, str]:
    if message.receiver_type == GROUP or whose is None:
        return message.receiver_type, message.receiver
    return message.receiver_type, message.other_than(whose)


class _Search:
    """A list that is read on and on, until enough is found or nothing is left."""

    def __init__(
        self,
        snapshot: Snapshot,
        wanted: MessageFilter,
        place: MessageCursor | None,
        *,
        is_before: bool,
        count: int,
    ) -> None:
        self.found: list[Message] = []
        """In the order in which the list is read."""
        self.cut_at: MessageCursor | None = None
        self._snapshot = snapshot
        self._wanted = wanted
        self._key = key_of(wanted.search)
        self._place = place
        self._is_before = is_before
        self._count = count
        self._left = MOST_READ

    async def run(self) -> None:
        """Find as many as are asked for, if there are so many."""
        if await self._look():
            for part in await self._find_parts():
                self._wanted = replace(self._wanted, among=part)
                if part != set():
                    await self._read_on(self._left)
        if self._left <= 0 and not self._is_full:
            self.cut_at = self._place

    async def _look(self) -> bool:
        """Read what comes first, as long as it is worth while; whether there may be more."""
        if self._key.is_common:
            return await self._read_on(LONG_LOOK)
        if self._wanted.viewer is not None and self._wanted.conversation is None:
            return True
        may_be_more = await self._read_on(FIRST_LOOK)
        is_dense = self._count * FIRST_LOOK <= len(self.found) * LONG_LOOK
        if may_be_more and is_dense:
            may_be_more = await self._read_on(LONG_LOOK)
        return may_be_more

    @property
    def _is_full(self) -> bool:
        return len(self.found) >= self._count

    async def _read_on(self, most: int) -> bool:
        """Read so many messages, unless enough is found before; whether there may be more."""
        while most > 0 and self._left > 0 and not self._is_full:
            limit = min(most, AT_ONCE)
            if await self._read(limit) < limit:
                return False
            most -= limit
        return not self._is_full

    async def _read(self, limit: int) -> int:
        ascending = await list_messages(
            self._snapshot, self._wanted, self._place, is_before=self._is_before, limit=limit
        )
        messages = ascending[::-1] if self._is_before else ascending
        self.found += [each for each in messages if holds(each, self._wanted.search)]
        if messages:
            self._place = MessageCursor(messages[-1].sent_at, messages[-1].id)
        self._left -= len(messages)
        return len(messages)

    async def _find_parts(self) -> Sequence[Part]:
        """What may be found, in parts that come one after the other."""
        wanted = self._wanted
        index = await _open_index(self._snapshot, self._key)
        if index is None:
            return [None]
        if wanted.viewer is None or wanted.conversation is not None:
            return [await index.find(wanted)]
        return await self._find_parts_of(wanted.viewer, index)

    async def _find_parts_of(self, viewer: str, index: "_Index") -> Sequence[Part]:
        """Those of an app, for one who may see some of them.

        Where he may look is asked of each message: by the index it takes longer, as it would be
        many conversations. Live messages have their ids in the order of their times, so they come
        in parts; imported ones may stand anywhere before them.
        """
        candidates = await index.ask([index.position.app_term()], MOST_IN_PARTS)
        if candidates is None:
            return [None]
        imported = await conversations_store.find_imported_id(self._snapshot, viewer)
        ids = sorted(candidates)
        live = bisect_right(ids, imported)
        parts: list[Part] = [set(ids[:live])]
        parts += [set(ids[at : at + AT_ONCE]) for at in range(live, len(ids), AT_ONCE)]
        return parts[::-1] if self._is_before else parts


async def _open_index(snapshot: Snapshot, key: IndexKey) -> "_Index | None":
    """What there is to ask for a key; None: the index is too far behind."""
    position = await store.find_position(snapshot)
    beyond = await _list_beyond(snapshot, position)
    if beyond is None:
        return None
    return _Index(snapshot, position or NOTHING_INDEXED, beyond, key)


@dataclass(frozen=True, slots=True)
class _Index:
    """The index, and what it is asked for."""

    snapshot: Snapshot
    position: Position
    beyond: Collection[int]
    """What it does not know yet, or not as it is now: all of it may be found."""
    key: IndexKey

    async def find(self, wanted: MessageFilter) -> Part:
        """All that may be found where the search looks; None when it is too much to be named."""
        found = set(self.beyond)
        for some in self._scopes(wanted):
            candidates = await self.ask(some, MOST_CANDIDATES - len(found))
            if candidates is None:
                return None
            found |= candidates
        return found

    async def ask(self, places: Sequence[str], most: int) -> set[int] | None:
        """The messages in any of these places, and those beyond; None when they are too many.

        Beginnings are asked for when there is nothing longer, or not enough said by it.
        """
        longer = Terms(all_of=self.key.terms, any_of=places)
        if self.key.terms and (found := await self._ask(longer, most)) is not None:
            return found
        if not self.key.beginnings:
            return None
        return await self._ask(replace(longer, beginnings=self.key.beginnings), most)

    async def _ask(self, terms: Terms, most: int) -> set[int] | None:
        limit = max(0, most) + 1
        found = await store.find_entries(self.snapshot, self.position, terms, limit=limit)
        return {*found, *self.beyond} if len(found) < limit else None

    def _scopes(self, wanted: MessageFilter) -> list[Sequence[str]]:
        """Where to look, a part at a time: the terms of conversations, or that of the app."""
        if wanted.conversation is not None:
            return [[self.position.conversation_term(wanted.conversation)]]
        if wanted.conversations is None:
            return [[self.position.app_term()]]
        terms = [self.position.conversation_term(number) for number in wanted.conversations]
        return [
            terms[place : place + CONVERSATIONS_AT_ONCE]
            for place in range(0, len(terms), CONVERSATIONS_AT_ONCE)
        ]


async def _list_beyond(snapshot: Snapshot, position: Position | None) -> set[int] | None:
    """The messages that the index does not know yet, or not as they are now."""
    after = position.event if position is not None else 0
    events = await store.list_events(snapshot, after, limit=MOST_CANDIDATES + 1)
    if len(events) > MOST_CANDIDATES:
        return None
    return {each for _, name, body in events for each in changed_by(name, body)}
