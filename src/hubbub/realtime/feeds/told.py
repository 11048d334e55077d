"""Who is told of an event, as its declaration says (`outbox/registry.py`)."""

from hubbub.outbox.audience import EventPlaces, Keys
from hubbub.outbox.registry import STRUCTS
from hubbub.records import EVENT_KINDS
from hubbub.storage.interface import Event

TOLD_ONLY = tuple(kind.struct for kind in EVENT_KINDS.values() if kind.told.tells_only)
"""The events that change nothing of who is told what."""
ENDING = tuple(kind.struct for kind in EVENT_KINDS.values() if kind.told.ends is not None)
"""The events that end sessions."""


def find_unknown(event: Event) -> tuple[int, int]:
    """Return the conversation (or 0) and the message (or 0) that the audience depends on."""
    unknown = STRUCTS[type(event)].told.unknown
    return unknown(event) if unknown is not None else (0, 0)


def keys_of(event: Event, places: EventPlaces) -> Keys:
    """Return the keys under which an event is told; none for one that no session is told."""
    return STRUCTS[type(event)].told.keys(event, places)


def find_earlier(event: Event) -> tuple[int, int] | None:
    """Return the conversation and the id of the earlier message that an event is about, if any.

    Members who joined after that message are not told, if the app hides it from them.
    """
    earlier = STRUCTS[type(event)].told.earlier
    return earlier(event) if earlier is not None else None


def find_content(event: Event) -> int:
    """Return the id of the message whose content an event shows; 0 if none."""
    content = STRUCTS[type(event)].content
    return content(event) if content is not None else 0


def ends_session(event: Event, uid: str, token: str) -> bool:
    """Return whether a user, or the keyed hash of their token, is refused from an event on."""
    ends = STRUCTS[type(event)].told.ends
    return ends is not None and ends(event, uid, token)
