"""Ask the search index which messages of a list may match; their text decides afterwards."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hubbub.domain.search.index import list_unindexed
from hubbub.records.conversations.store import find_imported_id
from hubbub.records.messages.listing import MessageFilter
from hubbub.records.search import store
from hubbub.records.search.model import Scope
from hubbub.records.search.store import Slot
from hubbub.storage.interface import Snapshot

MOST_CANDIDATES = 20_000
"""A list is narrowed to at most this many candidates in one part."""
MOST_IN_PARTS = 200_000
"""At most this many candidates of an app are read part by part."""
PART_SIZE = 1_000
CONVERSATIONS_AT_ONCE = 100

EMPTY_SLOT = Slot(0)
"""Of an app that was not indexed yet: no entry is in it."""
Part = Collection[int] | None
"""The ids of candidates; None if every message of the list may match."""


async def find_parts(
    snapshot: Snapshot, wanted: MessageFilter, *, is_before: bool
) -> Sequence[Part]:
    """Return the candidates in parts, each before the next in the direction of the list.

    A search in all conversations of a viewer asks for the whole app, since asking for many
    conversations takes longer; the list leaves out what the viewer may not see. The ids of live
    messages are in the order of the list, so these come in parts. Imported messages may stand
    anywhere before them.
    """
    unindexed = await list_unindexed(snapshot, limit=MOST_CANDIDATES)
    if unindexed is None:
        return [None]
    index = _Index(snapshot, await store.find_slot(snapshot) or EMPTY_SLOT, wanted.search)
    if wanted.viewer is None or wanted.conversation is not None:
        return [await index.find_all(wanted, unindexed)]
    found = await index.find([index.app], MOST_IN_PARTS)
    if found is None:
        return [None]
    ids = sorted(found | unindexed)
    live = bisect_right(ids, await find_imported_id(snapshot, wanted.viewer))
    parts: list[Part] = [set(ids[:live])]
    parts += [set(ids[at : at + PART_SIZE]) for at in range(live, len(ids), PART_SIZE)]
    return parts[::-1] if is_before else parts


@dataclass(frozen=True, slots=True)
class _Index:
    """An app's part of the index, searched for one text."""

    snapshot: Snapshot
    slot: Slot
    text: str

    @property
    def app(self) -> Scope:
        """The scope of all entries."""
        return Scope(self.slot.number)

    async def find_all(self, wanted: MessageFilter, unindexed: Collection[int]) -> Part:
        """Return all candidates of a list, the unindexed ones included; None if too many."""
        candidates = set(unindexed)
        for scope in self._scopes_of(wanted):
            found = await self.find(scope, MOST_CANDIDATES - len(candidates))
            if found is None:
                return None
            candidates |= found
        return candidates

    def _scopes_of(self, wanted: MessageFilter) -> list[Sequence[Scope]]:
        """Return the scopes of the list's conversations, some at a time, or that of the app."""
        if wanted.conversation is not None:
            return [[Scope(self.slot.number, wanted.conversation)]]
        if wanted.conversations is None:
            return [[self.app]]
        scopes = [Scope(self.slot.number, number) for number in wanted.conversations]
        step = CONVERSATIONS_AT_ONCE
        return [scopes[at : at + step] for at in range(0, len(scopes), step)]

    async def find(self, scopes: Sequence[Scope], most: int) -> set[int] | None:
        """Return the candidates in any of `scopes`; None if there are more than `most`."""
        for terms in store.conditions_of(self.text, scopes):
            found = await store.find_entries(self.snapshot, self.slot, terms, most=max(0, most))
            if found is not None:
                return found
        return None
