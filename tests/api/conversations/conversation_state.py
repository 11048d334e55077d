"""The state of the model of conversations: messages with flags, and each user's receipts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

UIDS = ("anna", "ben", "cleo", "dora")
PUBLIC, PRIVATE = "tea", "jazz"
GUIDS = (PUBLIC, PRIVATE)
SYSTEM = "app_system"
APP_PINS = ""
"""The owner of pins that apply to all users."""
MARKS = ("delivered", "read")

Row = tuple[Any, ...]
Times = dict[str, int]
"""The times of delivery and reading; missing ones have not happened."""


@dataclass(slots=True)
class Message:
    """A message, or an action (`category` is action)."""

    id: int
    sender: str
    receiver: str
    category: str
    sent_at: int
    counts: bool
    """Whether it is unread for users who have not read it."""
    shows: bool
    """Whether it may be the lastMessage."""
    parent: int | None = None
    brought: Times = field(default_factory=dict)
    """The times that an import gave it."""
    had_by_all: dict[str, int | None] = field(default_factory=dict)
    """None: nobody has, as its sender was alone."""
    edited_at: int | None = None
    deleted_at: int | None = None
    is_gone: bool = False
    """Whether it was deleted permanently."""


in_order = attrgetter("sent_at", "id")
"""The sort key of a message in its history."""


@dataclass(slots=True)
class Seat:
    """A user's state of a conversation in which they take part; messages by their ids."""

    scope: str = "participant"
    before: set[int] = field(default_factory=set)
    """Messages from before the user joined or reset it: they never become unread again."""
    hidden: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    """Messages that are not unread for the user."""
    had: dict[str, dict[int, int | None]] = field(default_factory=lambda: {it: {} for it in MARKS})
    """Messages delivered and read, with times; None: they were there before."""
    tags: list[str] = field(default_factory=list)

    def take_as_had(self, ids: set[int]) -> None:
        """Treat all present messages as had."""
        self.before, self.read = set(ids), set(ids)
        for had in self.had.values():
            had.update({id_: None for id_ in ids if id_ not in had})

    def have(self, kind: str, ids: set[int], now: int) -> bool:
        """Record new receipts and return whether there are any; reading includes delivery."""
        is_more = not ids <= (self.read if kind == "read" else self.had[kind].keys())
        for each in MARKS[: MARKS.index(kind) + 1]:
            self.had[each].update({id_: now for id_ in ids if id_ not in self.had[each]})
        if kind == "read":
            self.read |= ids
        return is_more

    def take_back(self, ids: set[int]) -> bool:
        """Mark messages as unread again; the times at which they were read are kept."""
        back = (ids - self.before) & self.read
        self.read -= back
        return bool(back)


@dataclass(slots=True)
class Talk:
    """A conversation: of two users, or of the members of a group (`guid`)."""

    number: int
    key: tuple[str, str]
    created_at: int
    guid: str = ""
    is_private: bool = False
    seats: dict[str, Seat] = field(default_factory=dict)
    bans: set[str] = field(default_factory=set)
    pins: dict[str, int] = field(default_factory=dict)
    left: dict[str, Seat] = field(default_factory=dict)
    """The state of former participants."""
    messages: list[Message] = field(default_factory=list)
    """Messages in the order of their ids."""
    latest_at: int = 0
    """The time of the latest of its messages, deleted or not."""

    @property
    def id(self) -> str:
        return f"group_{self.guid}" if self.guid else "_user_".join(self.key)

    def other_than(self, uid: str) -> str:
        left, right = self.key
        return self.guid or (left if right == uid else right)

    def ids(self) -> set[int]:
        return {message.id for message in self.messages}

    def seen_by(self, uid: str) -> list[Message]:
        """Return the messages that a user sees, in the order of the history."""
        hidden = self.seats[uid].hidden if uid in self.seats else set()
        seen = [each for each in self.messages if not each.is_gone and each.id not in hidden]
        return sorted(seen, key=in_order)

    def is_seen_by(self, uid: str) -> bool:
        """Return whether a user's list shows it: it has messages that are not hidden from them."""
        return uid in self.seats and bool(self.ids() - self.seats[uid].hidden)

    def unread_of(self, uid: str) -> list[Message]:
        """Return a user's unread messages, including permanently deleted ones."""
        read = self.seats[uid].read
        unread = [each for each in self.messages if each.counts and each.sender != uid]
        return [each for each in unread if each.id not in read]

    def ids_there(self, after: int) -> set[int]:
        """Return the messages after a given one that are not permanently deleted."""
        return {each.id for each in self.messages if each.id > after and not each.is_gone}

    def still_unread(self, uid: str, upto: int) -> set[int]:
        """Return the permanently deleted messages that still count after reading up to a message.

        Only their number is known: read ones among the deleted replace the unread ones.
        """
        read = self.seats[uid].read
        gone = [each for each in self.messages if each.is_gone and each.counts]
        others = [each.id for each in gone if each.sender != uid]
        beyond = [each for each in others if each in read and each > upto]
        return set([each for each in others if each not in read and each <= upto][: len(beyond)])

    def undelivered_to(self, uid: str) -> list[Message]:
        """Return the messages of others that were not delivered to a user."""
        had = self.seats[uid].had["delivered"]
        return [each for each in self.seen_by(uid) if each.sender != uid and each.id not in had]

    def shown(self) -> Message | None:
        """Return the last message."""
        shown = [each for each in self.messages if each.shows and not each.is_gone]
        return max(shown, key=in_order, default=None)

    def updated_at(self) -> int:
        shown = self.shown()
        return max(self.created_at, shown.sent_at if shown else 0)

    def reset_for(self, uid: str) -> None:
        """Hide all present messages from a user, and remove their pin."""
        self.pins.pop(uid, None)
        self.seats[uid].take_as_had(self.ids())
        self.seats[uid].hidden = self.ids()

    def erase(self, messages: Sequence[Message]) -> None:
        """Delete messages permanently, but keep them for unread counts."""
        for message in messages:
            message.is_gone = True

    def wipe(self) -> None:
        """Delete all messages as if they had never been sent."""
        self.erase(self.messages)
        self.messages = []

    def take_in(self, uid: str, scope: str) -> None:
        """Add a participant from here on; receipts of an earlier participation are kept."""
        seat = Seat(scope)
        if uid in self.left:
            seat.had = self.left[uid].had
        seat.take_as_had(self.ids())
        self.seats[uid] = seat

    def take_out(self, uid: str) -> None:
        """Remove a participant, with their pin and tags."""
        self.left[uid] = self.seats.pop(uid)
        self.pins.pop(uid, None)

    def receipts_of(self, message: Message) -> list[Row]:
        """Return the receipts of a message, by participant."""
        rows = []
        for uid in sorted(self.seats.keys() - {message.sender}):
            had = self.seats[uid].had
            brought = {} if self.guid else message.brought
            times = [brought.get(kind, had[kind].get(message.id)) for kind in MARKS]
            if any(times):
                rows.append((uid, *times))
        return rows

    def times_of(self, message: Message) -> Times:
        """Return when the addressees had a message; times from an import take precedence."""
        if self.guid:
            had = {kind: at for kind, at in message.had_by_all.items() if at is not None}
            return {**had, **message.brought}
        receipts = self.seats[message.receiver].had
        found = {kind: at for kind in MARKS if (at := receipts[kind].get(message.id)) is not None}
        return {**found, **message.brought}

    def note_what_all_had(self, now: int) -> None:
        """Mark a message to a group as had when all members but its sender had it.

        Messages of the only member, once had, are never had by anybody else.
        """
        for message in self.messages if self.seats else ():
            others = [seat for uid, seat in self.seats.items() if uid != message.sender]
            for kind in MARKS:
                if all(message.id in seat.had[kind] for seat in others or self.seats.values()):
                    message.had_by_all.setdefault(kind, now if others else None)

    def message_row(self, message: Message, viewer: str) -> Row:
        """Return the message as answered; only the app sees deleted ones."""
        times = self.times_of(message)
        is_content = message.category != "action"
        return (
            message.id,
            self.id,
            message.sender,
            message.receiver,
            message.category,
            message.parent,
            message.sent_at,
            times.get("delivered"),
            times.get("read"),
            message.edited_at,
            message.deleted_at,
            is_content and (message.deleted_at is None or viewer == SYSTEM),
        )

    def row(self, uid: str, viewer: str) -> Row:
        """Return the conversation as a row of a user's list."""
        seat, shown = self.seats.get(uid, Seat()), self.shown()
        is_shown = shown is not None and shown.id not in seat.hidden
        return (
            self.id,
            self.other_than(uid),
            len(self.unread_of(uid)) if uid in self.seats else 0,
            self.message_row(shown, viewer) if shown and is_shown else None,
            self.pins.get(APP_PINS, self.pins.get(uid)),
            seat.tags,
            self.created_at,
            self.updated_at(),
        )
