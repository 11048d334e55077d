"""All payloads by name, with samples, and the records that a batch of events shows."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from hubbub.outbox.registry import KINDS, NAMES
from hubbub.rest.payloads import areas
from hubbub.rest.payloads.facts import Facts, Named, Payload, read_facts
from hubbub.storage.interface import Event, Snapshot

_FIRST = (
    "messages",
    "receipts",
    "reactions",
    "people",
    "groups",
    "members",
    "webhooks",
    "pins",
    "interactions",
    "presence",
    "conversations",
)
"""The areas whose payloads the documents list first, in this order; those of others follow."""
_found = sorted(each.name for each in iter_modules(areas.__path__) if each.name not in _FIRST)
_AREAS = [import_module(f"{areas.__name__}.{name}") for name in (*_FIRST, *_found)]

PAYLOADS: Mapping[str, Payload[Any]] = {
    payload.trigger or NAMES[event]: payload
    for area in _AREAS
    for payload in getattr(area, "PAYLOADS", ())
    for event in payload.events
}
"""The payloads of all events that are not internal, and of all triggers of webhooks."""
SAMPLES: Mapping[str, dict[str, Any]] = {
    name: sample for area in _AREAS for name, sample in area.SAMPLES.items()
}
"""The data of each event that clients are told of, and of each trigger of webhooks."""
SHOWN: Sequence[type[Event]] = [
    KINDS[name].struct for name in PAYLOADS if name in KINDS and not KINDS[name].is_internal
]
"""The events that clients are told of."""


async def find_facts(snapshot: Snapshot, events: Iterable[Event]) -> Facts:
    """Return what a batch of events shows."""
    named = Named()
    for event in events:
        payload = PAYLOADS.get(NAMES[type(event)])
        if payload is not None:
            payload.add_ids(named, event)
    return await read_facts(snapshot, named)
