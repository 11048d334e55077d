"""What the payloads of a batch of events show, read from one snapshot with few statements."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Raw

from hubbub.domain.views.messages import MessagePage, find_page
from hubbub.records.conversations.model import Conversation, Participant
from hubbub.records.conversations.store import (
    APP_PINS,
    ParticipantKey,
    find_by_numbers,
    find_participants,
    list_pins,
)
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.members.store import count_available
from hubbub.records.messages.model import ACTION, Message, MessageView
from hubbub.records.messages.store import find_in_conversations
from hubbub.records.receipts.events import ReceiptEvent
from hubbub.records.users.model import User
from hubbub.records.users.store import find_users
from hubbub.records.webhooks.store import list_names
from hubbub.rest.messages.wire.message import message_shape
from hubbub.rest.messages.wire.page import PageRenderer
from hubbub.rest.payloads.last_received import ByConversation, find_earlier
from hubbub.rest.wire.shapes import Shape
from hubbub.storage.interface import Event, Snapshot

EventType = TypeVar("EventType", bound=Event)
Key = TypeVar("Key")
Found = TypeVar("Found")
Finder = Callable[[Snapshot, Sequence[Key]], Awaitable[Found]]
"""A function of a store that finds records by keys."""
_encode = msgspec.json.Encoder().encode


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


@dataclass(slots=True)
class Named:
    """The ids in a batch of events."""

    shown: set[int] = field(default_factory=set)
    """The messages that are shown whole."""
    messages: set[int] = field(default_factory=set)
    """Further messages of which something is shown."""
    receipts: list[ReceiptEvent] = field(default_factory=list)
    uids: set[str] = field(default_factory=set)
    guids: set[str] = field(default_factory=set)
    updated_groups: set[str] = field(default_factory=set)
    """The groups of which the number of connected members is shown."""
    conversations: set[int] = field(default_factory=set)
    seats: set[ParticipantKey] = field(default_factory=set)
    """The participants whose tags and pins of a conversation are shown."""
    others: defaultdict[Finder[Any, Any], set[Any]] = field(
        default_factory=lambda: defaultdict(set)
    )
    """The keys of records that one area alone shows, by what finds them."""
    has_webhooks: bool = False


@dataclass(slots=True)
class Facts:
    """The stored records that events name, as they are now.

    They are shown as users see them, and nothing in them depends on who looks: of a deleted message
    there is no content, and of a reaction it is not said whether it is one's own.
    """

    app_id: str
    page: MessagePage
    """The messages that are shown whole, with all that belongs to them."""
    messages: Mapping[int, Message]
    """All messages that events name, by id, without those that were deleted permanently."""
    earlier: ByConversation
    """Further messages that receipts are about."""
    online_members: Mapping[str, int]
    """The numbers of connected members of updated groups, by guid."""
    seats: Seats
    others: Mapping[Finder[Any, Any], Any]
    """What was found of the keys in `Named.others`."""
    webhooks: Mapping[str, str]
    """The names of the app's webhooks by id, if an event names one."""
    _rows: Mapping[int, bytes] = field(init=False)

    def __post_init__(self) -> None:
        usual = [each for each in self.page.messages if each.category != ACTION]
        page = msgspec.structs.replace(self.page, messages=usual)
        rows = PageRenderer(app_id=self.app_id, page=page, is_app=False, with_tags=True).render()
        self._rows = {each.id: row for each, row in zip(usual, rows, strict=True)}

    def message_row(self, message_id: int) -> bytes | None:
        """Return a message that is not an action message as JSON."""
        return self._rows.get(message_id)

    def action(self, message_id: int) -> MessageView | None:
        """Return an action message."""
        message = self.messages.get(message_id)
        return self.page.view(message) if message is not None else None

    def user(self, uid: str) -> User:
        """Return a user; an erased one is shown by their uid alone."""
        return self.page.related.user(uid)

    def has_user(self, uid: str) -> bool:
        """Return whether a user was not erased."""
        return uid in self.page.related.users

    def group(self, guid: str, conversation: int) -> Group | None:
        """Return the group that has this conversation, not a later one with the same guid."""
        group = self.page.related.groups.get(guid)
        return group if group is not None and group.conversation == conversation else None

    def found(self, find: Finder[Key, Found]) -> Found:
        """Return what a function of a store has found; an event has named keys for it."""
        found: Found = self.others[find]
        return found

    def is_mentioning(self, message_id: int) -> bool:
        """Return whether a message mentions someone."""
        return bool(self.page.related.mentions.get(message_id))


@dataclass(frozen=True, slots=True)
class Payload(Generic[EventType]):
    """The data of events of some types, or of a trigger of webhooks that occurs with them."""

    events: Sequence[type[EventType]]
    shape: type[Shape]
    render: Callable[[Facts, EventType], Shape | bytes | None]
    """Returns the data, as a shape or as JSON; None if there is nothing to tell."""
    add_ids: Callable[[Named, EventType], None]
    """Adds the ids of the records that the data show."""
    trigger: str = ""
    """The trigger, if it has not the name of the event."""


def message_json(view: MessageView) -> Raw:
    """Return a message as JSON, as users are shown it."""
    return Raw(_encode(message_shape(view, with_tags=True, is_app=False)))


async def read_facts(snapshot: Snapshot, named: Named) -> Facts:
    """Return the records with the ids in a batch of events."""
    users = await find_users(snapshot, named.uids)
    groups = await find_groups(snapshot, named.guids)
    found = await find_in_conversations(snapshot, sorted(named.shown | named.messages))
    messages = {id_: each for id_, each in found.items() if not each.is_erased}
    whole = [each for id_, each in messages.items() if id_ in named.shown]
    return Facts(
        app_id=snapshot.app_id,
        page=await find_page(snapshot, whole, known=[*users.values(), *groups.values()]),
        messages=messages,
        earlier=await find_earlier(snapshot, named.receipts, found),
        online_members={
            guid: await count_available(snapshot, group.conversation, group.members_count)
            for guid, group in groups.items()
            if guid in named.updated_groups
        },
        seats=await find_seats(snapshot, named.conversations, named.seats),
        others={find: await find(snapshot, sorted(keys)) for find, keys in named.others.items()},
        webhooks=await list_names(snapshot) if named.has_webhooks else {},
    )
