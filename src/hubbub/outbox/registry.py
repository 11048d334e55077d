"""The registry of events: every kind of fact that a log can hold, by its name.

An area declares its events as structs in `records/<area>/events.py`, each under `@event(name)`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from hubbub.storage.interface import Event

EventClass = TypeVar("EventClass", bound=type[Event])


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event: its name in the log, its struct, and who may see it."""

    name: str
    struct: type[Event]
    is_internal: bool
    """True if only consumers read it; webhooks, sockets and the change feed leave it out."""
    decode: Callable[[str], Any]


KINDS: dict[str, EventKind] = {}
"""All registered events by name."""
_names: dict[type[Event], str] = {}


def event(name: str, *, internal: bool = False) -> Callable[[EventClass], EventClass]:
    """Register the decorated struct as the event `name`.

    Raises:
        ValueError: another struct is registered under that name.
    """

    def register(struct: EventClass) -> EventClass:
        if name in KINDS:
            raise ValueError(f"{struct} and {KINDS[name].struct} are both named {name!r}.")
        KINDS[name] = EventKind(name, struct, internal, msgspec.json.Decoder(struct).decode)
        _names[struct] = name
        return struct

    return register


def name_of(struct: type[Event]) -> str:
    """Return the name of a registered struct.

    Raises:
        LookupError: the struct is not registered.
    """
    if struct not in _names:
        raise LookupError(f"{struct} is no event: register it with @event(name).")
    return _names[struct]


def decode(name: str, body: str) -> Event:
    """Return the event of a row of the log. Fields that this version does not know are dropped.

    Raises:
        KeyError: this version knows no event of that name; a newer one may have written it.
    """
    decoded: Event = KINDS[name].decode(body)
    return decoded
