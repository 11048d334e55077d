"""The events that sessions are told: what each says, and who hears it."""

from collections.abc import Mapping
from dataclasses import dataclass

from hubbub.realtime.protocol.own_methods import TYPING_SECONDS
from hubbub.records import EVENT_KINDS


@dataclass(frozen=True, slots=True)
class EventText:
    """What an event says, and who hears it."""

    text: str
    told: str
    is_always_stored: bool = True
    """False if it has no id and no cursor when it is about a group."""


_SIGNALS_OF_GROUPS = ("conversation_read", "conversation_delivered")
"""Of a group they are signals (`GroupMarked`): receipts there have no events of their own."""
STORED: Mapping[str, EventText] = {
    kind.name: EventText(
        kind.text, kind.told.text, is_always_stored=kind.name not in _SIGNALS_OF_GROUPS
    )
    for kind in EVENT_KINDS.values()
    if kind.told.text
}
"""The events of the log that sessions are told; the others are for webhooks alone."""
_RECEIVERS = "the sessions of the receiver: a user, or the other members of a group"
EPHEMERAL: Mapping[str, EventText] = {
    "typing_started": EventText(
        f"A user types. It ends with `typing_ended`, after {TYPING_SECONDS:g} s at the latest.",
        _RECEIVERS,
    ),
    "typing_ended": EventText("A user types no more.", _RECEIVERS),
    "transient_message": EventText("A message that is stored nowhere.", _RECEIVERS),
    "receipts_advanced": EventText(
        "All members of a group have the messages up to these ids, or have read them.",
        "the members of the group, at most once a second",
    ),
    "user_presence_changed": EventText(
        "A user is connected now, or is not any more.",
        "sessions that have subscribed to it, by `presence` of `connect` or `subscribe_presence`",
    ),
}
"""The events that are not stored."""
