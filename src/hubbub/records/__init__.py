"""What is stored: a folder per area with its model, events, tables and queries; no rules."""

from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files

from hubbub.outbox.registry import KINDS, EventKind

_FIRST = (
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
"""The areas whose events the documents list first, in this order; those of others follow."""
_found = {area.name for area in files(__name__).iterdir() if (area / "events.py").is_file()}
AREAS_WITH_EVENTS = (*_FIRST, *sorted(_found.difference(_FIRST)))
for _area in AREAS_WITH_EVENTS:
    import_module(f"{__name__}.{_area}.events")

EVENT_KINDS: Mapping[str, EventKind] = KINDS
"""All events by name. Tables are derived from here, where none is missing yet."""
