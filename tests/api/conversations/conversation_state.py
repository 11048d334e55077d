"""What the model of conversations remembers: messages with flags, and what each person had when."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

UIDS = ("anna", "ben", "cleo", "dora")
PUBLIC, PRIVATE = "tea", "jazz"
GUIDS = (PUBLIC, PRIVATE)
SYSTEM = "app_system"
THE_APP_S = ""
"""Whose pins hold for all."""
MARKS = ("delivered", "read")

Row = tuple[Any, ...]
Times = dict[str, int]
"""When something was delivered and read; what was not is missing."""


@dataclass(slots=True)
class Message:
    """Something that was said, or done (`category` is action)."""

    id: int
    sender: str
    receiver: str
    category: str
    sent_at: int
    counts: bool
    """Is it unread for whoever has not read it?"""
    shows: bool
    """May it be the lastMessage?"""
    parent: int | None = None
    brought: Times = field(default_factory=dict)
    """What an import says of its past."""
    had_by_all: dict[str, int | None] = field(default_factory=dict)
    """None: nobody has, as its sender was alone."""
    edited_at: int | None = None
    deleted_at: int | None = None
    is_gone: bool = False
    """Was it deleted for good?"""


in_order = attrgetter("sent_at", "id")
"""Where a message stands in its history."""


@dataclass(slots=True)
class Seat:
    """What somebody has of a conversation that he takes part in; messages by their ids."""

    scope: str = "participant"
    before: set[int] = field(default_factory=set)
    """What was there when he joined, or reset it: it never becomes unread again."""
    hidden: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    """What is not unread for him."""
    had: dict[str, dict[int, int | None]] = field(default_factory=lambda: {it: {} for it in MARKS})
    """What was delivered, and read, and when; None: it was there before."""
    tags: list[str] = field(default_factory=list)

    def take_as_had(self, ids: set[int]) -> None:
        """Let all that is there be nothing new."""
        self.before, self.read = set(ids), set(ids)
        for had in self.had.values():
            had.update({id_: None for id_ in ids if id_ not in had})

    def have(self, kind: str, ids: set[int], now: int) -> bool:
        """Note what he has now, and say whether it is more; reading is having it delivered."""
        is_more = not ids <= (self.read if kind == "read" else self.had[kind].keys())
        for each in MARKS[: MARKS.index(kind) + 1]:
            self.had[each].update({id_: now for id_ in ids if id_ not in self.had[each]})
        if kind == "read":
            self.read |= ids
        return is_more

    def take_back(self, ids: set[int]) -> bool:
        """Let messages be unread again, if they were not; when they were read is not forgotten."""
        back = (ids - self.before) & self.read
        self.read -= back
        return bool(back)


@dataclass(slots=True)
class Talk:
    """A conversation: of two people, or of the members of a group (`guid`)."""

    number: int
    key: tuple[str, str]
    created_at: int
    guid: str = ""
    is_private: bool = False
    seats: dict[str, Seat] = field(default_factory=dict)
    bans: set[str] = field(default_factory=set)
    pins: dict[str, int] = field(default_factory=dict)
    left: dict[str, Seat] = field(default_factory=dict)
    """What those had who took part before."""
    messages: list[Message] = field(default_factory=list)
    """In the order of their ids."""
    latest_at: int = 0
    """When the latest of its messages was sent, be it there or not."""

    @property
    def id(self) -> str:
        return f"group_{self.guid}" if self.guid else "_user_".join(self.key)

    def other_than(self, uid: str) -> str:
        left, right = self.key
        return self.guid or (left if right == uid else right)

    def ids(self) -> set[int]:
        return {message.id for message in self.messages}

    def seen_by(self, uid: str) -> list[Message]:
        """What somebody finds in it, in the order of the history."""
        hidden = self.seats[uid].hidden if uid in self.seats else set()
        seen = [each for each in self.messages if not each.is_gone and each.id not in hidden]
        return sorted(seen, key=in_order)

    def is_seen_by(self, uid: str) -> bool:
        """Whether it is in somebody's list: something happened that is not hidden from him."""
        return uid in self.seats and bool(self.ids() - self.seats[uid].hidden)

    def unread_of(self, uid: str) -> list[Message]:
        """What somebody has not read, what is gone for good included."""
        read = self.seats[uid].read
        unread = [each for each in self.messages if each.counts and each.sender != uid]
        return [each for each in unread if each.id not in read]

    def ids_there(self, after: int) -> set[int]:
        """What came after a message and is not gone for good."""
        return {each.id for each in self.messages if each.id > after and not each.is_gone}

    def still_unread(self, uid: str, upto: int) -> set[int]:
        """Of what is gone for good, what still counts when somebody reads up to a message.

        Only how many is known: what was read, and is gone, takes the place of what was not.
        """
        read = self.seats[uid].read
        gone = [each for each in self.messages if each.is_gone and each.counts]
        others = [each.id for each in gone if each.sender != uid]
        beyond = [each for each in others if each in read and each > upto]
        return set([each for each in others if each not in read and each <= upto][: len(beyond)])

    def undelivered_to(self, uid: str) -> list[Message]:
        """What others sent and somebody does not have."""
        had = self.seats[uid].had["delivered"]
        return [each for each in self.seen_by(uid) if each.sender != uid and each.id not in had]

    def shown(self) -> Message | None:
        """What was said last."""
        shown = [each for each in self.messages if each.shows and not each.is_gone]
        return max(shown, key=in_order, default=None)

    def updated_at(self) -> int:
        shown = self.shown()
        return max(self.created_at, shown.sent_at if shown else 0)

    def reset_for(self, uid: str) -> None:
        """Hide from somebody all that is there; his pin goes."""
        self.pins.pop(uid, None)
        self.seats[uid].take_as_had(self.ids())
        self.seats[uid].hidden = self.ids()

    def erase(self, messages: Sequence[Message]) -> None:
        """Let messages be gone for good, but for what unread counts are told by."""
        for message in messages:
            message.is_gone = True

    def wipe(self) -> None:
        """Let all messages be gone, as if nobody had ever said them."""
        self.erase(self.messages)
        self.messages = []

    def take_in(self, uid: str, scope: str) -> None:
        """Let somebody take part from here on; when he had what he had before is not forgotten."""
        seat = Seat(scope)
        if uid in self.left:
            seat.had = self.left[uid].had
        seat.take_as_had(self.ids())
        self.seats[uid] = seat

    def take_out(self, uid: str) -> None:
        """Let somebody take part no more: his pin and his tags go with him."""
        self.left[uid] = self.seats.pop(uid)
        self.pins.pop(uid, None)

    def receipts_of(self, message: Message) -> list[Row]:
        """Who of those that take part had a message, and when."""
        rows = []
        for uid in sorted(self.seats.keys() - {message.sender}):
            had = self.seats[uid].had
            brought = {} if self.guid else message.brought
            times = [brought.get(kind, had[kind].get(message.id)) for kind in MARKS]
            if any(times):
                rows.append((uid, *times))
        return rows

    def times_of(self, message: Message) -> Times:
        """When those had a message whom it was for; what an import brought wins."""
        if self.guid:
            had = {kind: at for kind, at in message.had_by_all.items() if at is not None}
            return {**had, **message.brought}
        his = self.seats[message.receiver].had
        found = {kind: at for kind in MARKS if (at := his[kind].get(message.id)) is not None}
        return {**found, **message.brought}

    def note_what_all_had(self, now: int) -> None:
        """Let a message to a group have been had when all members but its sender had it.

        What the only member has sent, and had, nobody will have had.
        """
        for message in self.messages if self.seats else ():
            others = [seat for uid, seat in self.seats.items() if uid != message.sender]
            for kind in MARKS:
                if all(message.id in seat.had[kind] for seat in others or self.seats.values()):
                    message.had_by_all.setdefault(kind, now if others else None)

    def message_row(self, message: Message, viewer: str) -> Row:
        """What a message looks like; only the app sees what was deleted."""
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
        """What it looks like in somebody's list."""
        seat, shown = self.seats.get(uid, Seat()), self.shown()
        is_shown = shown is not None and shown.id not in seat.hidden
        return (
            self.id,
            self.other_than(uid),
            len(self.unread_of(uid)) if uid in self.seats else 0,
            self.message_row(shown, viewer) if shown and is_shown else None,
            self.pins.get(THE_APP_S, self.pins.get(uid)),
            seat.tags,
            self.created_at,
            self.updated_at(),
        )
