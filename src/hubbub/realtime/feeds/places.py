"""Look up what the audience of events depends on: the users of conversations, senders."""

from collections.abc import Iterable, Mapping

from hubbub.outbox.audience import Places
from hubbub.realtime.feeds.audience import find_unknown
from hubbub.records.conversations.model import GROUP
from hubbub.records.conversations.store import find_by_numbers
from hubbub.records.messages.store import find_messages_and_tombstones
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event, Snapshot

MOST_REMEMBERED = 50_000
Pair = tuple[str, str] | None


class PlaceFinder:
    """Finds places in one app, and remembers the users of conversations, who never change."""

    def __init__(self, runtime: Runtime, app_id: str) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._pairs: dict[int, Pair] = {}
        """None: a group's, or that of users who are gone."""

    async def find(self, events: Iterable[Event]) -> Places:
        """Return the places that the audience of events depends on."""
        unknowns = [find_unknown(event) for event in events]
        remembered = self._pairs  # others may replace it while this one reads
        conversations = {number for number, _ in unknowns if number}
        messages = {id_ for _, id_ in unknowns if id_}
        missing = conversations - remembered.keys()
        senders: Mapping[int, str] = {}
        if missing or messages:
            pairs, senders = await self._runtime.database.read(
                self._app_id, lambda snapshot: _read(snapshot, missing, messages), is_short=True
            )
            remembered.update({number: pairs.get(number) for number in missing})
        known = {number: pair for number in conversations if (pair := remembered[number])}
        if len(self._pairs) > MOST_REMEMBERED:
            self._pairs = {}
        return Places(known, senders)


async def _read(
    snapshot: Snapshot, conversations: Iterable[int], messages: Iterable[int]
) -> tuple[dict[int, Pair], dict[int, str]]:
    found = await find_by_numbers(snapshot, conversations)
    rows = await find_messages_and_tombstones(snapshot, sorted(messages))
    pairs = {
        each.number: None if each.kind == GROUP else (each.left_id, each.right_id) for each in found
    }
    return pairs, {id_: message.sender for id_, message in rows.items()}
