"""Who is told of an event: the keys under which sessions are, and what these depend on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from hubbub.kernel.text import SYSTEM_UID
from hubbub.storage.interface import Event

Key = str | int
"""The uid of a user, or the number of a group's conversation."""
Keys = tuple[Key, ...]
EventType_contra = TypeVar("EventType_contra", contravariant=True)


@dataclass(slots=True)
class EventPlaces:
    """The conversations and messages that events name, looked up for their audience."""

    pairs: Mapping[int, tuple[str, str]]
    """The two users of a conversation by its number; a group is not here."""
    senders: Mapping[int, str]
    """The senders of messages by id."""

    def of_conversation(self, number: int) -> Keys:
        """Return the keys of those who take part in a conversation."""
        return self.pairs.get(number) or (number,)


@dataclass(frozen=True, slots=True)
class Audience(Generic[EventType_contra]):
    """Who is told of events of a type."""

    text: str
    """In words, for the document of the sockets; `NODES_ALONE` if no client is told."""
    keys: Callable[[EventType_contra, EventPlaces], Keys]
    unknown: Callable[[EventType_contra], tuple[int, int]] | None = None
    """Returns the conversation (or 0) and the message (or 0) that the keys depend on."""
    earlier: Callable[[EventType_contra], tuple[int, int] | None] | None = None
    """Returns the conversation and the id of the earlier message that the event is about, if any.

    Members who joined after that message are not told, if the app hides it from them.
    """
    ends: Callable[[EventType_contra, str, str], bool] | None = None
    """Returns whether a user, or the keyed hash of their token, is refused from the event on."""
    tells_only: bool = False
    """True if it changes nothing of who is told what: if it can't be read, sessions go on."""


class OfUser(Event, Protocol):
    """An event of one user."""

    @property
    def uid(self) -> str: ...


class OfConversation(Event, Protocol):
    """An event in a conversation."""

    @property
    def conversation(self) -> int: ...


class OfMessage(OfConversation, Protocol):
    """An event about a message of a conversation."""

    @property
    def message(self) -> int: ...


def no_keys(_: Event, __: EventPlaces) -> Keys:
    """Return no key."""
    return ()


def user_key(event: OfUser, _: EventPlaces) -> Keys:
    """Return the key of the user of an event."""
    return (event.uid,)


def group_key(event: OfConversation, _: EventPlaces) -> Keys:
    """Return the key of the members of the group whose conversation an event names."""
    return (event.conversation,)


def participant_keys(event: OfConversation, places: EventPlaces) -> Keys:
    """Return the keys of those who take part in the conversation of an event."""
    return places.of_conversation(event.conversation)


def pair_keys(one: str, other: str) -> Keys:
    """Return the keys of two users, who may be the same; `other` may be the app."""
    return (one,) if one == other or other == SYSTEM_UID else (one, other)


def conversation_unknown(event: OfConversation) -> tuple[int, int]:
    """Return the conversation of an event as what must be looked up."""
    return event.conversation, 0


def _earlier_message(event: OfMessage) -> tuple[int, int]:
    return event.conversation, event.message


NODES_ALONE = ""
ALL = "all participants: both users, or the members of the group"
NOBODY: Audience[Event] = Audience(NODES_ALONE, no_keys)
PARTICIPANTS_OF_MESSAGE: Audience[OfMessage] = Audience(
    ALL, participant_keys, conversation_unknown, _earlier_message, tells_only=True
)
OWN_SESSIONS: Audience[OfUser] = Audience("all sessions of the user who did it", user_key)
