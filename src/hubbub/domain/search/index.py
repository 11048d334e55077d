"""Keep the index: a consumer of the log, which puts what was sent, imported or edited into it.

Where it stands is stored with what it writes, so that a crash costs nothing; the row of that is the
lease, by which one node at a time indexes an app. What lies beyond it, searches look through
themselves. An entry goes in the transaction that deletes its message for good.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec
import structlog

from hubbub.kernel.errors import Unavailable
from hubbub.records.messages import store as messages_store
from hubbub.records.messages.events import MessageEdited, MessageSent, MessagesImported
from hubbub.records.messages.model import Message
from hubbub.records.search import store
from hubbub.records.search.model import Entry, make_entry
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction

log = structlog.get_logger()

CHUNK = 200
LARGEST_CHUNK = 200_000
"""With so many characters of terms, or a little more, a chunk ends."""
MOST_APPS = 50

_decode_sent = msgspec.json.Decoder(MessageSent).decode
_decode_edited = msgspec.json.Decoder(MessageEdited).decode
_decode_imported = msgspec.json.Decoder(MessagesImported).decode


def changed_by(name: str, body: str) -> Collection[int]:
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
            if not await _index_next(runtime, app_id):
                left.add(app_id)


async def _index_next(runtime: Runtime, app_id: str) -> bool:
    """Index a chunk; what can't be indexed for a defect of ours keeps no other app waiting."""
    try:
        return await index_chunk(runtime, app_id)
    except Unavailable:
        raise
    except Exception as defect:
        log.error("search_index_failed", app=app_id, exc_info=defect)
        return False


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
    stretch = await runtime.database.read(app_id, _read_stretch)
    if stretch is None:
        return False
    chunk = await runtime.threads.run(partial(_make_chunk, stretch))

    async def within(tx: Transaction) -> bool:
        position = await store.lock_position(tx)
        if position is None or position.event != stretch.after:
            return False
        present = await store.lock_present(tx, chunk.messages)
        await store.put_entries(tx, position, present, chunk.entries)
        await store.advance_position(tx, chunk.upto)
        return True

    return await runtime.database.write(app_id, within)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some events of a log, each with the messages that it may have changed, as they are now."""

    after: int
    changed: Sequence[tuple[int, Collection[int]]]
    messages: Mapping[int, Message]


@dataclass(slots=True)
class Chunk:
    """Up to which event the log is indexed next, and what is to be stored for it."""

    upto: int = 0
    messages: set[int] = field(default_factory=set)
    entries: dict[int, Entry] = field(default_factory=dict)


async def _read_stretch(snapshot: Snapshot) -> Stretch | None:
    position = await store.find_position(snapshot)
    after = position.event if position is not None else 0
    events = await store.list_events(snapshot, after, limit=CHUNK)
    if not events:
        return None
    changed = [(number, changed_by(name, body)) for number, name, body in events]
    ids = {each for _, some in changed for each in some}
    return Stretch(after, changed, await messages_store.find_messages(snapshot, list(ids)))


def _make_chunk(stretch: Stretch) -> Chunk:
    """As many of the events as have so much text: nobody waits long for what is stored."""
    chunk, size = Chunk(), 0
    for number, ids in stretch.changed:
        for id_ in ids:
            message = stretch.messages.get(id_)
            entry = make_entry(message) if message is not None else None
            chunk.messages.add(id_)
            if entry is not None:
                chunk.entries[id_] = entry
                size += len(entry.terms)
        chunk.upto = number
        if size > LARGEST_CHUNK:
            break
    return chunk
