"""A client's copy of the app's state, built from the announced events alone.

It has no store and makes no requests. An event comes with what is looked up when it is delivered:
the content of the messages that it names, and the profile of its group.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from tests.world import Json

SYSTEM = "app_system"
DELIVERED, READ = "delivered", "read"
KINDS = (DELIVERED, READ)


@dataclass(frozen=True, slots=True)
class EventView:
    """An event as it is delivered: its fields, and the current state of the objects it names."""

    name: str
    fields: Json
    contents: Mapping[int, Json]
    """The contents of messages, by id; a deleted message has none."""
    group: Json | None = None
    """The group's profile; None if it is deleted, or if the event names no group."""


@dataclass(slots=True)
class Message:
    """A message: its content as looked up, and its state by the events."""

    id: int
    talk: int
    content: Json
    sent_at: int
    shows: bool
    edited: tuple[int, str] | None = None
    """The time of the edit, and the editor."""
    deleted: tuple[int, str] | None = None
    pinned_at: int | None = None
    reactions: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Reaction and uid; by the reaction's id."""
    had: dict[str, dict[str, int]] = field(default_factory=dict)
    """The times of receipts by uid; `app_system` stands for everybody."""


in_order = attrgetter("sent_at", "id")
"""The sort key of a message in its history."""


@dataclass(slots=True)
class Seat:
    """A user's state of a conversation in which they take part."""

    scope: str = ""
    joined_at: int = 0
    hidden: int = 0
    """The message up to which the user sees nothing."""
    read_count: int = 0
    own: int = 0
    """The number of the user's own counting messages after the read position."""
    is_counted: bool = True
    """Whether the events determine the user's unread count completely."""

    def count(self, read_count: int, own: int) -> None:
        """Update the user's unread count from an event."""
        self.read_count, self.own, self.is_counted = read_count, own, True


@dataclass(slots=True)
class Group:
    """The profile of a group."""

    guid: str
    shown: Json
    owner: str
    members_count: int
    created_at: int
    updated: tuple[int, str] | None = None
    bans: dict[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class Talk:
    """A conversation: of two users, or of the members of a group."""

    number: int
    people: tuple[str, str] | None = None
    group: Group | None = None
    seats: dict[str, Seat] = field(default_factory=dict)
    counted: int = 0
    last: int = 0
    """The latest message so far."""

    @property
    def id(self) -> str:
        if self.group is not None:
            return f"group_{self.group.guid}"
        return "_user_".join(self.people or ())

    def unread_of(self, uid: str) -> int:
        """Return the number of a user's unread messages."""
        seat = self.seats[uid]
        return self.counted - seat.read_count - seat.own


def _is_about(message: Message, receipt: Json) -> bool:
    """Return whether a receipt concerns messages of this message's sender."""
    sender = message.content.get("sender")
    return receipt.get("of") in (None, sender) and receipt.get("not_of") != sender


@dataclass(slots=True)
class Copy:
    """The state of an app by its events."""

    messages: dict[int, Message] = field(default_factory=dict)
    talks: dict[int, Talk] = field(default_factory=dict)
    blocks: set[tuple[str, str]] = field(default_factory=set)

    def apply(self, event: EventView) -> None:
        """Apply an event; each event has a method."""
        getattr(self, f"_{event.name}")(event)

    # Looking --------------------------------------------------------------------------------

    def talk_of(self, at: str, uid: str = "") -> Talk | None:
        """Return the conversation of a group, or of two users."""
        pair = tuple(sorted((at, uid)))
        for talk in self.talks.values():
            if talk.people == pair or (talk.group is not None and talk.group.guid == at):
                return talk
        return None

    def groups(self) -> dict[str, Talk]:
        """Return the conversations of groups, by guid."""
        return {each.group.guid: each for each in self.talks.values() if each.group is not None}

    def seen_in(self, talk: Talk, uid: str) -> list[Message]:
        """Return the messages that a user, or the app, sees, in the order of the history."""
        hidden = talk.seats[uid].hidden if uid in talk.seats else 0
        found = [each for each in self.messages.values() if each.talk == talk.number]
        return sorted((each for each in found if each.id > hidden), key=in_order)

    def last_shown(self, talk: Talk, uid: str) -> int | None:
        """Return the id of the last message, if the user sees it."""
        found = [each for each in self.messages.values() if each.talk == talk.number and each.shows]
        newest = max(found, key=in_order, default=None)
        return newest.id if newest and newest.id > talk.seats[uid].hidden else None

    # Messages -------------------------------------------------------------------------------

    def _message_sent(self, event: EventView) -> None:
        fields = event.fields
        talk = self.talks.get(fields["conversation"]) or self._begin(fields)
        self._take_in(talk, event, shows=fields["shows"])
        if not fields["counts"]:
            return
        talk.counted = fields["counted"]
        if fields["sender"] in talk.seats:
            talk.seats[fields["sender"]].own += 1

    def _begin(self, fields: Json) -> Talk:
        """Return the conversation of two users, which their first message begins."""
        left, right = sorted((fields["sender"], fields["receiver"]))
        for ended in [each for each in self.talks.values() if each.people == (left, right)]:
            del self.talks[ended.number]
        seats = {uid: Seat() for uid in (left, right) if uid != SYSTEM}
        talk = Talk(fields["conversation"], people=(left, right), seats=seats)
        self.talks[talk.number] = talk
        return talk

    def _take_in(self, talk: Talk, event: EventView, *, shows: bool) -> None:
        id_, at = event.fields["message"], event.fields["at"]
        self.messages[id_] = Message(id_, talk.number, event.contents[id_], at, shows)
        talk.last = id_

    def _message_edited(self, event: EventView) -> None:
        fields = event.fields
        self._take_in(self.talks[fields["conversation"]], event, shows=fields["shows"])
        edited = self.messages[fields["on"]]
        edited.content = event.contents[edited.id]
        edited.edited = (fields["at"], fields["by"])

    def _message_deleted(self, event: EventView) -> None:
        fields = event.fields
        self._take_in(self.talks[fields["conversation"]], event, shows=fields["shows"])
        if fields["permanent"]:
            del self.messages[fields["on"]]
        else:
            self.messages[fields["on"]].deleted = (fields["at"], fields["by"])

    def _messages_deleted(self, event: EventView) -> None:
        for id_ in event.fields["messages"]:
            self.messages.pop(id_, None)

    _messages_expired = _messages_deleted

    def _message_reaction_added(self, event: EventView) -> None:
        fields = event.fields
        self.messages[fields["message"]].reactions[fields["id"]] = (
            fields["reaction"],
            fields["uid"],
        )

    def _message_reaction_removed(self, event: EventView) -> None:
        del self.messages[event.fields["message"]].reactions[event.fields["id"]]

    def _message_pinned(self, event: EventView) -> None:
        self.messages[event.fields["message"]].pinned_at = event.fields["at"]

    def _message_unpinned(self, event: EventView) -> None:
        self.messages[event.fields["message"]].pinned_at = None

    # Receipts -------------------------------------------------------------------------------

    def _message_delivery_receipt(self, event: EventView) -> None:
        self._receive(event.fields, DELIVERED)

    def _message_read_receipt(self, event: EventView) -> None:
        fields = event.fields
        self._receive(fields, READ)
        if fields["uid"] != SYSTEM:
            seat = self.talks[fields["conversation"]].seats[fields["uid"]]
            seat.count(fields["read_count"], fields["own"])

    def _receive(self, fields: Json, kind: str) -> None:
        """Record that a user, or everybody, had all messages in a range."""
        for message in self.messages.values():
            is_within = fields["after"] < message.id <= fields["upto"]
            if is_within and message.talk == fields["conversation"] and _is_about(message, fields):
                message.had.setdefault(fields["uid"], {}).setdefault(kind, fields["at"])

    def _conversation_read(self, event: EventView) -> None:
        fields = event.fields
        seat = self.talks[fields["conversation"]].seats[fields["uid"]]
        seat.count(fields["read_count"], fields["own"])

    _conversation_unread = _conversation_read

    # Conversations --------------------------------------------------------------------------

    def _conversation_reset(self, event: EventView) -> None:
        talk = self.talks[event.fields["conversation"]]
        self._reset(talk, event.fields["uid"], event.fields["upto"])

    def _reset(self, talk: Talk, uid: str, upto: int) -> None:
        talk.seats[uid].hidden = upto
        talk.seats[uid].count(talk.counted, 0)

    def _conversation_deleted(self, event: EventView) -> None:
        talk, upto = self.talks[event.fields["conversation"]], event.fields["upto"]
        self._drop_messages(talk, upto)
        for uid in talk.seats:
            self._reset(talk, uid, upto)

    def _drop_messages(self, talk: Talk, upto: int) -> None:
        for id_ in [each.id for each in self.messages.values() if each.talk == talk.number]:
            if id_ <= upto:
                del self.messages[id_]

    # Groups and members ---------------------------------------------------------------------

    def _group_created(self, event: EventView) -> None:
        """Create a group, with its owner unless that is the app."""
        fields = event.fields
        owner = fields["owner"]
        talk = Talk(fields["conversation"])
        talk.group = Group(fields["guid"], event.group or {}, owner, 0, fields["at"])
        if owner != SYSTEM:
            talk.group.members_count = 1
            talk.seats[owner] = Seat("admin", fields["at"])
        self.talks[talk.number] = talk

    def _group_updated(self, event: EventView) -> None:
        group = self._group(event)
        group.shown = event.group or {}
        group.updated = (event.fields["at"], event.fields["by"])

    def _group_deleted(self, event: EventView) -> None:
        talk = self.talks.pop(event.fields["conversation"])
        self._drop_messages(talk, talk.last)

    def _group_owner_transferred(self, event: EventView) -> None:
        """Make the owner an admin, whatever their scope was."""
        talk, owner = self.talks[event.fields["conversation"]], event.fields["owner"]
        group = self._group(event)
        group.owner, group.updated = owner, (event.fields["at"], event.fields["by"])
        if owner != SYSTEM:
            talk.seats[owner].scope = "admin"

    def _group(self, event: EventView) -> Group:
        group = self.talks[event.fields["conversation"]].group
        assert group is not None
        return group

    def _group_member_joined(self, event: EventView) -> None:
        talk = self._apply_member_action(event)
        seat = Seat(event.fields["scope"], event.fields["joined_at"])
        seat.count(talk.counted, 0)
        talk.seats[event.fields["uid"]] = seat

    _group_member_added = _group_member_joined

    def _group_member_left(self, event: EventView) -> None:
        talk = self._apply_member_action(event)
        del talk.seats[event.fields["uid"]]

    _group_member_kicked = _group_member_left

    def _group_member_banned(self, event: EventView) -> None:
        talk = self._apply_member_action(event)
        seat = talk.seats.pop(event.fields["uid"], None)
        self._group(event).bans[event.fields["uid"]] = {
            "scope": seat.scope if seat else "participant",
            "joinedAt": seat.joined_at if seat else None,
            "bannedAt": event.fields["banned_at"],
        }

    def _group_member_unbanned(self, event: EventView) -> None:
        self._apply_member_action(event)
        del self._group(event).bans[event.fields["uid"]]

    def _group_member_scope_changed(self, event: EventView) -> None:
        talk = self._apply_member_action(event)
        talk.seats[event.fields["uid"]].scope = event.fields["scope"]

    def _apply_member_action(self, event: EventView) -> Talk:
        """Apply the action message about a member, and the size of the group."""
        talk = self.talks[event.fields["conversation"]]
        self._take_in(talk, event, shows=event.fields["shows"])
        self._group(event).members_count = event.fields["members_count"]
        return talk

    # Blocks ---------------------------------------------------------------------------------

    def _user_blocked(self, event: EventView) -> None:
        self.blocks |= {(event.fields["uid"], other) for other in event.fields["blocked"]}

    def _user_unblocked(self, event: EventView) -> None:
        self.blocks -= {(event.fields["uid"], other) for other in event.fields["unblocked"]}
