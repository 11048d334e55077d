"""Find the messages of a list whose text holds something.

A search is a list with one more condition, in the same order, with the same cursors. Its messages
are read in that order and their text is looked at; the index says beforehand which ones it may be,
unless they are very many: then the next of them is never far.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from hubbub.domain.conversations import store as conversations_store
from hubbub.domain.conversations.model import GROUP
from hubbub.domain.messages import store as messages_store
from hubbub.domain.messages.model import Message
from hubbub.domain.messages.store import Count, MessageFilter, Place
from hubbub.domain.search import store
from hubbub.domain.search.index import changed_by
from hubbub.domain.search.model import asked_terms, holds
from hubbub.domain.search.store import Position
from hubbub.storage.dialect import Terms
from hubbub.storage.interface import Snapshot

MOST_CANDIDATES = 20_000
FEW_CANDIDATES = 1_000
FIRST_LOOK = 200
"""So many messages of one conversation are read before the index is asked."""
AT_ONCE = 2_000
CONVERSATIONS_AT_ONCE = 500
MOST_COUNTED = 10_000


async def list_found(
    snapshot: Snapshot,
    wanted: MessageFilter,
    place: Place | None,
    *,
    is_before: bool,
    limit: int,
    offset: int = 0,
) -> list[Message]:
    """Messages as `list_messages` of their store lists them, and a search if one is asked for."""
    if not wanted.search:
        return await messages_store.list_messages(
            snapshot, wanted, place, is_before=is_before, limit=limit, offset=offset
        )
    if wanted.reader is not None and wanted.only_deleted:
        return []  # he is not shown what they said
    search = _Search(snapshot, wanted, place, is_before=is_before, count=offset + limit)
    if wanted.conversation is not None:
        await search.read(FIRST_LOOK)
    if not search.is_done:
        await search.narrow()
    while not search.is_done:
        await search.read(AT_ONCE)
    found = search.found[offset : offset + limit]
    return found[::-1] if is_before else found


async def count_found(snapshot: Snapshot, wanted: MessageFilter, whose: str | None) -> list[Count]:
    """How many messages a search finds, as `count_messages` of their store counts others."""
    found = await list_found(snapshot, wanted, None, is_before=True, limit=MOST_COUNTED)
    counts: Counter[tuple[str, str]] = Counter(_with_whom(each, whose) for each in found)
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
        place: Place | None,
        *,
        is_before: bool,
        count: int,
    ) -> None:
        self.found: list[Message] = []
        """In the order in which the list is read."""
        self.is_done = False
        self._snapshot = snapshot
        self._wanted = wanted
        self._place = place
        self._is_before = is_before
        self._count = count

    async def read(self, most: int) -> None:
        """Read on by so many messages."""
        ascending = await messages_store.list_messages(
            self._snapshot, self._wanted, self._place, is_before=self._is_before, limit=most
        )
        messages = ascending[::-1] if self._is_before else ascending
        self.found += [each for each in messages if holds(each, self._wanted.search)]
        self.is_done = len(messages) < most or len(self.found) >= self._count
        if messages:
            self._place = Place(messages[-1].sent_at, messages[-1].id)

    async def narrow(self) -> None:
        """From here on, read only what the index knows it may be."""
        candidates = await find_candidates(self._snapshot, self._wanted)
        if candidates is not None:
            self._wanted = replace(self._wanted, among=candidates)
            self.is_done = not candidates


async def find_candidates(snapshot: Snapshot, wanted: MessageFilter) -> Collection[int] | None:
    """All messages that a search may find, and others; None: they are too many to be named."""
    position = await store.find_position(snapshot)
    beyond = await _list_beyond(snapshot, position)
    if position is None or beyond is None:
        return beyond
    search = _Asked(snapshot, position, *asked_terms(wanted.search))
    if wanted.conversation is None:
        # Mostly they are few in the whole app, and asking where one may look takes longer.
        few = await search.ask([position.app_term()], FEW_CANDIDATES)
        if few is not None:
            return beyond | few
    for some in await _scopes(snapshot, wanted, position):
        found = await search.ask(some, MOST_CANDIDATES - len(beyond))
        if found is None:
            return None
        beyond |= found
    return beyond


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the index is asked for, in one place or another."""

    snapshot: Snapshot
    position: Position
    terms: Sequence[str]
    beginnings: Sequence[str]

    async def ask(self, places: Sequence[str], most: int) -> set[int] | None:
        """The messages in any of these places; None when they are more than so many."""
        terms = Terms(all_of=self.terms, beginnings=self.beginnings, any_of=places)
        found = await store.find_entries(self.snapshot, self.position, terms, limit=most + 1)
        return set(found) if len(found) <= most else None


async def _list_beyond(snapshot: Snapshot, position: Position | None) -> set[int] | None:
    """The messages that the index does not know yet, or not as they are now."""
    after = position.event if position is not None else 0
    events = await store.list_events(snapshot, after, limit=MOST_CANDIDATES + 1)
    if len(events) > MOST_CANDIDATES:
        return None
    return {each for _, name, body in events for each in changed_by(name, body)}


async def _scopes(
    snapshot: Snapshot, wanted: MessageFilter, position: Position
) -> list[Sequence[str]]:
    """Where to look, a part at a time: the terms of conversations, or that of the app."""
    numbers: Sequence[int]
    if wanted.conversation is not None:
        numbers = [wanted.conversation]
    elif wanted.conversations is not None:
        numbers = wanted.conversations
    elif wanted.viewer is not None:
        numbers = await conversations_store.list_numbers_of(snapshot, wanted.viewer)
    else:
        return [[position.app_term()]]
    terms = [position.conversation_term(number) for number in numbers]
    return [
        terms[place : place + CONVERSATIONS_AT_ONCE]
        for place in range(0, len(terms), CONVERSATIONS_AT_ONCE)
    ]
