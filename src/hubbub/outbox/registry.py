"""The registry of events: every kind of fact that a log can hold, and what is known of the kind.

An area declares its events as structs in `records/<area>/events.py`, each under `@event(name, …)`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, TypeVar

import msgspec

from hubbub.outbox.audience import Audience
from hubbub.storage.interface import Event

EventType = TypeVar("EventType", bound=Event)
Category = Literal["message", "user", "group", "webhook", "moderation"]


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event: its name in the log, its struct, who did it and who is told."""

    name: str
    struct: type[Event]
    text: str
    """A sentence for the documents; empty if no document has the event."""
    told: Audience[Any]
    """Who is told of it by sockets."""
    content: Callable[[Any], int] | None
    """Returns the id of the message whose content it shows: some roles list only some kinds."""
    actor: Callable[[Any], str] | None
    """Returns the uid of the user who did it, `app_system`, or nothing; None: it is not an act."""
    trigger: Category | None
    """The category of the trigger of webhooks that it is; None: it is none."""
    trigger_text: str
    is_internal: bool
    """True if only consumers read it; sockets and the change feed leave it out."""
    decode: Callable[[str], Any]
    decode_several: Callable[[str], Any]
    authors: tuple[str, ...]
    """The fields with the uids of those who may have written its texts."""
    redacted: Mapping[str, str | None]
    """Its texts, by field, with what is left of each when an author is erased."""


KINDS: dict[str, EventKind] = {}
"""All events by name. The documents list them in this order."""
STRUCTS: dict[type[Event], EventKind] = {}
"""All events by struct. A struct that is not registered cannot be announced."""
NAMES: dict[type[Event], str] = {}
"""The names of all events' structs."""


def event(
    name: str,
    text: str = "",
    *,
    told: Audience[EventType],
    actor: Literal["by", "sender", "uid"] | None,
    content: Literal["message", "on"] | None = None,
    trigger: Category | None = None,
    trigger_text: str = "",
    internal: bool = False,
    authors: tuple[str, ...] = (),
    redacted: Mapping[str, str | None] | None = None,
) -> Callable[[type[EventType]], type[EventType]]:
    """Register the decorated struct as the event `name`, with all that is stated of it.

    `actor` is the field with the user who did it, `content` that with the message whose content it
    shows. With `trigger`, webhooks can be attached to it, and are told `trigger_text`, or `text`.

    An event names things and does not describe them. One that holds a text that a user wrote says
    who its `authors` are, and what is left of the text when one of them is erased.

    Raises:
        ValueError: another struct has that name.
    """

    def register(struct: type[EventType]) -> type[EventType]:
        if name in KINDS:
            raise ValueError(f"{struct} and {KINDS[name].struct} are both named {name!r}.")
        KINDS[name] = STRUCTS[struct] = EventKind(
            name=name,
            struct=struct,
            text=text,
            told=told,
            content=attrgetter(content) if content else None,
            actor=attrgetter(actor) if actor else None,
            trigger=trigger,
            trigger_text=trigger_text or text,
            is_internal=internal,
            decode=msgspec.json.Decoder(struct).decode,
            decode_several=msgspec.json.Decoder(list[struct]).decode,  # type: ignore[valid-type]
            authors=authors,
            redacted=redacted or {},
        )
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
