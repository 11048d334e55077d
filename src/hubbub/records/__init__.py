"""What is stored: a folder per area with its model, events, tables and queries; no rules."""

from collections.abc import Mapping
from importlib import import_module

from hubbub.outbox.registry import KINDS, EventKind

AREAS_WITH_EVENTS = (
    "messages",
    "receipts",
    "reactions",
    "pins",
    "interactions",
    "conversations",
    "blocks",
    "presence",
    "groups",
    "members",
    "webhooks",
    "bots",
    "friends",
    "roles",
    "tokens",
    "users",
)
"""In the order in which the documents list their events."""

for _area in AREAS_WITH_EVENTS:
    import_module(f"{__name__}.{_area}.events")

EVENT_KINDS: Mapping[str, EventKind] = KINDS
"""All events by name. Tables are derived from here, where none is missing yet."""
