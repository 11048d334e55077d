"""All payloads by name, and the records that a batch of events shows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hubbub.outbox.registry import KINDS, NAMES
from hubbub.rest.payloads import (
    conversations,
    groups,
    members,
    messages,
    people,
    pins,
    presence,
    reactions,
    receipts,
    uses,
    webhooks,
)
from hubbub.rest.payloads.facts import Facts, Named, Payload, read_facts
from hubbub.storage.interface import Event, Snapshot

_ALL: Sequence[Payload[Any]] = (
    *messages.PAYLOADS,
    *receipts.PAYLOADS,
    *reactions.PAYLOADS,
    *people.PAYLOADS,
    *groups.PAYLOADS,
    *members.PAYLOADS,
    *webhooks.PAYLOADS,
    *pins.PAYLOADS,
    *uses.PAYLOADS,
    *presence.PAYLOADS,
    *conversations.PAYLOADS,
)
"""In the order in which the OpenAPI document lists them."""
PAYLOADS: Mapping[str, Payload[Any]] = {
    payload.trigger or NAMES[event]: payload for payload in _ALL for event in payload.events
}
"""The payloads of all events that are not internal, and of all triggers of webhooks."""
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
