"""The registry of events: every kind of fact that a log can hold, by its name.

An area declares its events as structs in `records/<area>/events.py`, each under `@event(name)`.
"""

from collections.abc import Callable, Mapping
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
    decode_several: Callable[[str], Any]
    authors: tuple[str, ...]
    """The fields with the uids of those who may have written its texts."""
    redacted: Mapping[str, str | None]
    """Its texts, by field, with what is left of each when an author is erased."""


KINDS: dict[str, EventKind] = {}
"""All events by name."""
NAMES: dict[type[Event], str] = {}
"""The names of all events' structs. A struct that is not registered cannot be announced."""


def event(
    name: str,
    *,
    internal: bool = False,
    authors: tuple[str, ...] = (),
    redacted: Mapping[str, str | None] | None = None,
) -> Callable[[EventClass], EventClass]:
    """Register the decorated struct as the event `name`.

    An event names things and does not describe them. One that holds a text that a user wrote says
    who its `authors` are, and what is left of the text when one of them is erased.

    Raises:
        ValueError: another struct has that name.
    """

    def register(struct: EventClass) -> EventClass:
        if name in KINDS:
            raise ValueError(f"{struct} and {KINDS[name].struct} are both named {name!r}.")
        decode_one = msgspec.json.Decoder(struct).decode
        decode_several = msgspec.json.Decoder(list[struct]).decode  # type: ignore[valid-type]
        texts = redacted or {}
        KINDS[name] = EventKind(name, struct, internal, decode_one, decode_several, authors, texts)
        NAMES[struct] = name
        return struct

    return register


def decode(name: str, body: str) -> list[Event]:
    """Return the events of a row of the log. Fields that this version does not know are dropped.

    Raises:
        KeyError: this version knows no event of that name; a newer one may have written it.
    """
    kind = KINDS[name]
    decoded: list[Event] = kind.decode_several(body) if body[0] == "[" else [kind.decode(body)]
    return decoded
