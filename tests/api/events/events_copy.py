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
class MessageView:
    """An event as it is delivered: its fields, and the current state of the objects it names."""

    name: str
    facts: Json
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

    def apply(self, told: MessageView) -> None:
        """Apply an event; each event has a method."""
        getattr(self, f"_{told.name}")(told)

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

    def _message_sent(self, told: MessageView) -> None:
        facts = told.facts
        talk = self.talks.get(facts["conversation"]) or self._begin(facts)
        self._take_in(talk, told, shows=facts["shows"])
        if not facts["counts"]:
            return
        talk.counted = facts["counted"]
        if facts["sender"] in talk.seats:
            talk.seats[facts["sender"]].own += 1

    def _begin(self, facts: Json) -> Talk:
        """Return the conversation of two users, which their first message begins."""
        left, right = sorted((facts["sender"], facts["receiver"]))
        for ended in [each for each in self.talks.values() if each.people == (left, right)]:
            del self.talks[ended.number]
        seats = {uid: Seat() for uid in (left, right) if uid != SYSTEM}
        talk = Talk(facts["conversation"], people=(left, right), seats=seats)
        self.talks[talk.number] = talk
        return talk

    def _take_in(self, talk: Talk, told: MessageView, *, shows: bool) -> None:
        id_, at = told.facts["message"], told.facts["at"]
        self.messages[id_] = Message(id_, talk.number, told.contents[id_], at, shows)
        talk.last = id_

    def _message_edited(self, told: MessageView) -> None:
        facts = told.facts
        self._take_in(self.talks[facts["conversation"]], told, shows=facts["shows"])
        edited = self.messages[facts["on"]]
        edited.content = told.contents[edited.id]
        edited.edited = (facts["at"], facts["by"])

    def _message_deleted(self, told: MessageView) -> None:
        facts = told.facts
        self._take_in(self.talks[facts["conversation"]], told, shows=facts["shows"])
        if facts["permanent"]:
            del self.messages[facts["on"]]
        else:
            self.messages[facts["on"]].deleted = (facts["at"], facts["by"])

    def _messages_deleted(self, told: MessageView) -> None:
        for id_ in told.facts["messages"]:
            self.messages.pop(id_, None)

    def _message_reaction_added(self, told: MessageView) -> None:
        facts = told.facts
        self.messages[facts["message"]].reactions[facts["id"]] = (facts["reaction"], facts["uid"])

    def _message_reaction_removed(self, told: MessageView) -> None:
        del self.messages[told.facts["message"]].reactions[told.facts["id"]]

    def _message_pinned(self, told: MessageView) -> None:
        self.messages[told.facts["message"]].pinned_at = told.facts["at"]

    def _message_unpinned(self, told: MessageView) -> None:
        self.messages[told.facts["message"]].pinned_at = None

    # Receipts -------------------------------------------------------------------------------

    def _message_delivery_receipt(self, told: MessageView) -> None:
        self._receive(told.facts, DELIVERED)

    def _message_read_receipt(self, told: MessageView) -> None:
        facts = told.facts
        self._receive(facts, READ)
        if facts["uid"] != SYSTEM:
            seat = self.talks[facts["conversation"]].seats[facts["uid"]]
            seat.count(facts["read_count"], facts["own"])

    def _receive(self, facts: Json, kind: str) -> None:
        """Record that a user, or everybody, had all messages in a range."""
        for message in self.messages.values():
            is_within = facts["after"] < message.id <= facts["upto"]
            if is_within and message.talk == facts["conversation"] and _is_about(message, facts):
                message.had.setdefault(facts["uid"], {}).setdefault(kind, facts["at"])

    def _conversation_read(self, told: MessageView) -> None:
        facts = told.facts
        seat = self.talks[facts["conversation"]].seats[facts["uid"]]
        seat.count(facts["read_count"], facts["own"])

    _conversation_unread = _conversation_read

    # Conversations --------------------------------------------------------------------------

    def _conversation_reset(self, told: MessageView) -> None:
        talk = self.talks[told.facts["conversation"]]
        self._reset(talk, told.facts["uid"], told.facts["upto"])

    def _reset(self, talk: Talk, uid: str, upto: int) -> None:
        talk.seats[uid].hidden = upto
        talk.seats[uid].count(talk.counted, 0)

    def _conversation_deleted(self, told: MessageView) -> None:
        talk, upto = self.talks[told.facts["conversation"]], told.facts["upto"]
        self._drop_messages(talk, upto)
        for uid in talk.seats:
            self._reset(talk, uid, upto)

    def _drop_messages(self, talk: Talk, upto: int) -> None:
        for id_ in [each.id for each in self.messages.values() if each.talk == talk.number]:
            if id_ <= upto:
                del self.messages[id_]

    # Groups and members ---------------------------------------------------------------------

    def _group_created(self, told: MessageView) -> None:
        """Create a group, with its owner unless that is the app."""
        facts = told.facts
        owner = facts["owner"]
        talk = Talk(facts["conversation"])
        talk.group = Group(facts["guid"], told.group or {}, owner, 0, facts["at"])
        if owner != SYSTEM:
            talk.group.members_count = 1
            talk.seats[owner] = Seat("admin", facts["at"])
        self.talks[talk.number] = talk

    def _group_updated(self, told: MessageView) -> None:
        group = self._group(told)
        group.shown = told.group or {}
        group.updated = (told.facts["at"], told.facts["by"])

    def _group_deleted(self, told: MessageView) -> None:
        talk = self.talks.pop(told.facts["conversation"])
        self._drop_messages(talk, talk.last)

    def _group_owner_transferred(self, told: MessageView) -> None:
        """Make the owner an admin, whatever their scope was."""
        talk, owner = self.talks[told.facts["conversation"]], told.facts["owner"]
        group = self._group(told)
        group.owner, group.updated = owner, (told.facts["at"], told.facts["by"])
        if owner != SYSTEM:
            talk.seats[owner].scope = "admin"

    def _group(self, told: MessageView) -> Group:
        group = self.talks[told.facts["conversation"]].group
        assert group is not None
        return group

    def _group_member_joined(self, told: MessageView) -> None:
        talk = self._tell_of_member(told)
        seat = Seat(told.facts["scope"], told.facts["joined_at"])
        seat.count(talk.counted, 0)
        talk.seats[told.facts["uid"]] = seat

    _group_member_added = _group_member_joined

    def _group_member_left(self, told: MessageView) -> None:
        talk = self._tell_of_member(told)
        del talk.seats[told.facts["uid"]]

    _group_member_kicked = _group_member_left

    def _group_member_banned(self, told: MessageView) -> None:
        talk = self._tell_of_member(told)
        seat = talk.seats.pop(told.facts["uid"], None)
        self._group(told).bans[told.facts["uid"]] = {
            "scope": seat.scope if seat else "participant",
            "joinedAt": seat.joined_at if seat else None,
            "bannedAt": told.facts["banned_at"],
        }

    def _group_member_unbanned(self, told: MessageView) -> None:
        self._tell_of_member(told)
        del self._group(told).bans[told.facts["uid"]]

    def _group_member_scope_changed(self, told: MessageView) -> None:
        talk = self._tell_of_member(told)
        talk.seats[told.facts["uid"]].scope = told.facts["scope"]

    def _tell_of_member(self, told: MessageView) -> Talk:
        """Apply the action message about a member, and the size of the group."""
        talk = self.talks[told.facts["conversation"]]
        self._take_in(talk, told, shows=told.facts["shows"])
        self._group(told).members_count = told.facts["members_count"]
        return talk

    # Blocks ---------------------------------------------------------------------------------

    def _user_blocked(self, told: MessageView) -> None:
        self.blocks |= {(told.facts["uid"], other) for other in told.facts["blocked"]}

    def _user_unblocked(self, told: MessageView) -> None:
        self.blocks -= {(told.facts["uid"], other) for other in told.facts["unblocked"]}
