"""Render the payloads of a batch of events: one reading of the store, then JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from hubbub.domain.deliveries.occurrences import Occurrence
from hubbub.files.links import Links, has_marks
from hubbub.outbox.consumer import BATCH_SIZE
from hubbub.outbox.log import LogEntry
from hubbub.outbox.registry import NAMES
from hubbub.records.messages.events import MessageSent
from hubbub.records.messages.model import MessageView
from hubbub.records.users.model import User
from hubbub.rest.payloads.all import PAYLOADS, SAMPLES, find_facts
from hubbub.rest.payloads.areas.messages import just_sent
from hubbub.rest.payloads.areas.people import payload_user
from hubbub.rest.payloads.facts import Facts, message_json
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event, Snapshot

_encode = msgspec.json.Encoder().encode
_SAMPLES = {name: _encode(data) for name, data in SAMPLES.items()}


async def render_events(
    runtime: Runtime, app_id: str, entries: Sequence[LogEntry]
) -> list[bytes | None]:
    """Return the `data` of each event as JSON, as things are now.

    It is None if what the event is about does not exist any more, and for internal events.
    """
    return await runtime.database.read(
        app_id,
        lambda snapshot: render_entries(runtime, snapshot, entries),
        is_short=len(entries) <= BATCH_SIZE,
    )


def render_about(app_id: str, event: Event, about: object) -> bytes | None:
    """Return the `data` of an event from what it was announced with; None if it must be read."""
    if isinstance(event, MessageSent) and isinstance(about, MessageView):
        return just_sent(app_id, about)
    return None


async def render_entries(
    runtime: Runtime, snapshot: Snapshot, entries: Sequence[LogEntry], *, with_links: bool = True
) -> list[bytes | None]:
    """Return the same as `render_events`, as things are in a snapshot.

    Without links, files have the marks that the answer to a request replaces by links.
    """
    rendering = await _begin(runtime, snapshot, [each.event for each in entries])
    if not with_links:
        rendering = replace(rendering, links=None)
    return [rendering.data_of(NAMES[type(each.event)], each.event) for each in entries]


async def render_payloads(
    runtime: Runtime, app_id: str, occurrences: Sequence[Occurrence]
) -> list[bytes | None]:
    """Return the `data` of each occurrence as JSON.

    It is None if the trigger does not apply (`user_mentioned` for a message without mentions), or
    if what it is about does not exist any more. An occurrence of a test has the trigger's sample.
    """
    events = [each.entry.event for each in occurrences if not each.is_sample]
    rendering = await runtime.database.read(
        app_id, lambda snapshot: _begin(runtime, snapshot, events)
    )
    return [
        _SAMPLES.get(each.trigger_id)  # a newer node may know further triggers
        if each.is_sample
        else rendering.data_of(each.trigger_id, each.entry.event)
        for each in occurrences
    ]


@dataclass(frozen=True, slots=True)
class _Rendering:
    """What a batch of events names, and the links to files in it."""

    facts: Facts
    links: Links | None

    def data_of(self, name: str, event: Event) -> bytes | None:
        """Return the data of an event, or of a trigger that occurs with it."""
        payload = PAYLOADS.get(name)
        found = payload.render(self.facts, event) if payload is not None else None
        if found is None:
            return None
        data = found if isinstance(found, bytes) else _encode(found)
        return self.links.link(data) if self.links is not None and has_marks(data) else data


async def _begin(runtime: Runtime, snapshot: Snapshot, events: Sequence[Event]) -> _Rendering:
    facts = await find_facts(snapshot, events)
    # No request says how the receiver reaches this node: without the setting, links have no host.
    address = runtime.settings.public_url.rstrip("/")
    return _Rendering(facts, Links(runtime.sealer, snapshot.app_id, address, runtime.clock.now()))


def show(what: MessageView | User) -> bytes:
    """Return a message or a user as JSON, in which files have marks in place of links."""
    if isinstance(what, User):
        return _encode(payload_user(what))
    return bytes(message_json(what))
