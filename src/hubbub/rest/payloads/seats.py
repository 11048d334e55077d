"""The conversations that events name, with what participants have made of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from hubbub.records.conversations.model import Conversation, Participant
from hubbub.records.conversations.store import (
    APP_PINS,
    ParticipantKey,
    find_by_numbers,
    find_participants,
    list_pins,
)
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Seats:
    """Conversations, with the tags and pins of some of their participants."""

    conversations: Mapping[int, Conversation] = field(default_factory=dict)
    """By number; those that have been deleted are missing."""
    participants: Mapping[ParticipantKey, Participant] = field(default_factory=dict)
    pins: Mapping[ParticipantKey, int] = field(default_factory=dict)
    """The times of pins; those of the app have the uid `APP_PINS`."""

    def pinned_at(self, conversation: int, uid: str) -> int | None:
        """Return the time of a pin that a user sees; with the uid `APP_PINS`, of the app's."""
        return self.pins.get((conversation, APP_PINS), self.pins.get((conversation, uid)))


async def find_seats(
    snapshot: Snapshot, numbers: Collection[int], pairs: Collection[ParticipantKey]
) -> Seats:
    """Return the conversations with these numbers, and what is shown of these participants."""
    if not numbers:
        return Seats()
    found = await find_by_numbers(snapshot, sorted(numbers))
    if not pairs:
        return Seats({each.number: each for each in found})
    return Seats(
        {each.number: each for each in found},
        await find_participants(snapshot, sorted(pairs)),
        await list_pins(
            snapshot,
            sorted({number for number, _ in pairs}),
            [APP_PINS, *(uid for _, uid in pairs)],
        ),
    )
