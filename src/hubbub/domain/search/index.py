"""Keep the index: a consumer of the log, which puts what was sent, imported or edited into it.

Where it stands is stored with what it writes, so that a crash costs nothing; the row of that is the
lease, by which one node at a time indexes an app. What lies beyond it, searches look through
themselves. An entry goes in the transaction that deletes its message for good.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import msgspec

from hubbub.domain.messages import store as messages_store
from hubbub.domain.messages.events import MessageEdited, MessageSent, MessagesImported
from hubbub.domain.search import store
from hubbub.domain.search.model import Entry, make_entry
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction

CHUNK = 200
MOST_APPS = 50

_decode_sent = msgspec.json.Decoder(MessageSent).decode
_decode_edited = msgspec.json.Decoder(MessageEdited).decode
_decode_imported = msgspec.json.Decoder(MessagesImported).decode


def changed_by(name: str, body: str) -> Iterable[int]:
    """The messages whose text an event may have changed."""
    if name == MessageSent.event_name:
        return (_decode_sent(body).message,)
    if name == MessageEdited.event_name:
        return (_decode_edited(body).on,)
    if name == MessagesImported.event_name:
        imported = _decode_imported(body)
        return range(imported.first_id, imported.last_id + 1)
    return ()


async def index_all(runtime: Runtime) -> None:
    """Index all that is in the logs, chunk by chunk; what another node is at, is left to it."""
    left: set[str] = set()
    while apps := [app for app in await find_behind(runtime) if app not in left]:
        for app_id in apps:
            if not await index_chunk(runtime, app_id):
                left.add(app_id)


async def find_behind(runtime: Runtime) -> list[str]:
    """Some of the apps whose log goes on beyond what was indexed."""
    return await runtime.database.read(
        INSTALLATION, lambda snapshot: store.list_behind(snapshot, limit=MOST_APPS)
    )


async def index_chunk(runtime: Runtime, app_id: str) -> bool:
    """Index the next events of an app's log; whether this was ours to do.

    What is stored is made before the transaction, which then only looks what is still there: what
    is edited in between has an event to come.
    """
    chunk = await runtime.database.read(app_id, _read_chunk)
    if chunk is None:
        return False

    async def within(tx: Transaction) -> bool:
        position = await store.lock_position(tx)
        if position is None or position.event != chunk.after:
            return False
        present = await store.lock_present(tx, chunk.messages)
        await store.put_entries(tx, position, present, chunk.entries)
        await store.advance_position(tx, chunk.upto)
        return True

    return await runtime.database.write(app_id, within)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some events of a log, and what is to be stored for the messages that they changed."""

    after: int
    upto: int
    messages: Collection[int]
    entries: Mapping[int, Entry]


async def _read_chunk(snapshot: Snapshot) -> Chunk | None:
    position = await store.find_position(snapshot)
    after = position.event if position is not None else 0
    events = await store.list_events(snapshot, after, limit=CHUNK)
    if not events:
        return None
    changed = {each for _, name, body in events for each in changed_by(name, body)}
    found = await messages_store.find_messages(snapshot, list(changed))
    entries = {each.id: entry for each in found.values() if (entry := make_entry(each)) is not None}
    return Chunk(after, events[-1][0], changed, entries)
