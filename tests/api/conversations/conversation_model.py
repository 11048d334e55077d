"""Conversations in plain Python: unread counts, receipts, and the lists of each user.

The model follows the written rules and has no store. It keeps sets of messages where the product
keeps watermarks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.api.conversations.conversation_state import (
    APP_PINS,
    MARKS,
    SYSTEM,
    Message,
    Row,
    Seat,
    Talk,
    Times,
    in_order,
)

ON_GROUP_ACTIONS = "core.conversations.updateOnGroupActions"
ON_REPLIES = "core.conversations.updateOnReplies"
ON_MESSAGE_ACTIONS = "core.conversations.updateOnMessageActions"
ON_ACTIONS_IN_THREADS = "core.threads.updateOnMessageActions"
MOST_UPDATED = "limits.groupUpdateMembers"
MOST_PINNED = "limits.pinnedConversations"
OLD_HISTORY = "groups.historyForNewMembers"
DEFAULTS: Mapping[str, Any] = {
    ON_GROUP_ACTIONS: True,
    ON_REPLIES: True,
    ON_MESSAGE_ACTIONS: False,
    ON_ACTIONS_IN_THREADS: False,
    MOST_UPDATED: 300,
    MOST_PINNED: 5,
    OLD_HISTORY: True,
}
NO_MESSAGE = 10**9


@dataclass(frozen=True, slots=True)
class Call:
    """A call by a user, or by the app; the model has a method for each verb.

    `at` names a conversation by its other user or its group. `which` names a message until it is
    resolved: it counts back from the newest, of the conversation `at` or, without one, of the app.
    """

    verb: str
    by: str = SYSTEM
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to a call: the code of an error, or data."""

    code: str = ""
    data: Any = None


class Refused(Exception):
    """A call, or a row of it, is refused."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(slots=True)
class Model:
    """An app with its users, groups and conversations."""

    now: int = 0
    users: set[str] = field(default_factory=set)
    talks: dict[tuple[str, str], Talk] = field(default_factory=dict)
    blocks: set[tuple[str, str]] = field(default_factory=set)
    settings: dict[str, Any] = field(default_factory=lambda: dict(DEFAULTS))
    messages: list[tuple[Talk, Message]] = field(default_factory=list)
    by_muid: dict[tuple[str, str], int] = field(default_factory=dict)
    wiped: set[int] = field(default_factory=set)
    """Muids of messages that were deleted with their history."""
    latest_live: int = 0
    number: int = 0
    """The number of conversations so far."""

    def resolve(self, call: Call) -> Call:
        """Return the call with the id of the message that it names."""
        if "which" not in call.args:
            return call
        args = dict(call.args)
        which, talk = args.pop("which"), self.talks.get(self._key(call.by, args.get("at", "")))
        named = [each for _, each in self.messages]
        if "at" in args and (which is None or which >= 0):
            named = talk.messages if talk else []
        if which is not None:
            args["on"] = named[-1 - which % len(named)].id if named else NO_MESSAGE
        return replace(call, args=args)

    def carry_out(self, call: Call) -> Outcome:
        """Return the answer to a call; a refused call changes nothing."""
        try:
            return Outcome(data=getattr(self, call.verb)(call.by, **call.args))
        except Refused as refusal:
            return Outcome(refusal.code)

    # Users and groups -----------------------------------------------------------------------

    def create_user(self, by: str, uid: str) -> None:
        self.users.add(uid)

    def create_group(self, by: str, guid: str, *, is_private: bool, admins: Sequence[str]) -> None:
        self.number += 1
        talk = Talk(self.number, (guid, ""), self.now, guid, is_private)
        self.talks[talk.key] = talk
        for uid in admins:
            self._enter(talk, uid, "admin", by)

    def block(self, by: str, uid: str) -> None:
        self.blocks.add((by, uid))

    def unblock(self, by: str, uid: str) -> None:
        self.blocks.discard((by, uid))

    def join(self, by: str, guid: str) -> None:
        talk = self.talks[guid, ""]
        if talk.is_private and by not in talk.seats:
            raise Refused("ERR_GUID_NOT_FOUND")
        self._enter(talk, by, "participant", by)

    def add(self, by: str, guid: str, uid: str) -> str:
        """Add a member, or return the code of the refusal."""
        try:
            self._enter(self.talks[guid, ""], uid, "participant", by)
        except Refused as refusal:
            return refusal.code
        return ""

    def _enter(self, talk: Talk, uid: str, scope: str, by: str) -> None:
        if uid in talk.seats:
            raise Refused("ERR_ALREADY_JOINED")
        if uid in talk.bans:
            raise Refused("ERR_BANNED_GROUPMEMBER")
        talk.take_in(uid, scope)
        if not self.settings[OLD_HISTORY]:
            talk.seats[uid].hidden = talk.ids()
        self._add_member_action(talk, by)

    def leave(self, by: str, guid: str) -> None:
        talk = self.talks[guid, ""]
        self._require_member(talk, by)
        self._take_out(talk, by, by)

    def kick(self, by: str, guid: str, uid: str) -> None:
        talk = self.talks[guid, ""]
        if uid not in talk.seats:
            raise Refused("ERR_NOT_A_MEMBER")
        self._take_out(talk, uid, by)

    def ban(self, by: str, guid: str, uid: str) -> None:
        talk = self.talks[guid, ""]
        if uid in talk.bans:
            raise Refused("ERR_ALREADY_BANNED")
        talk.bans.add(uid)
        if uid in talk.seats:
            self._take_out(talk, uid, by)
        else:
            self._add_member_action(talk, by)

    def unban(self, by: str, guid: str, uid: str) -> None:
        talk = self.talks[guid, ""]
        if uid not in talk.bans:
            raise Refused("ERR_NOT_A_BANNED_USER")
        talk.bans.discard(uid)
        self._add_member_action(talk, by)

    def _take_out(self, talk: Talk, uid: str, by: str) -> None:
        talk.take_out(uid)
        talk.note_what_all_had(self.now)
        self._add_member_action(talk, by)

    def _add_member_action(self, talk: Talk, by: str) -> None:
        shows = not self._is_large(talk) and self.settings[ON_GROUP_ACTIONS]
        self._store(talk, by, talk.guid, "action", counts=False, shows=shows)

    def set(self, by: str, key: str, value: Any) -> None:
        self.settings[key] = value

    # Messages -------------------------------------------------------------------------------

    def say(
        self, by: str, at: str, category: str, *, updates: bool, muid: str | None = None
    ) -> Row:
        self._require_may_send(by, at)
        first = self.by_muid.get((by, muid or ""))
        if first is not None:
            return self._repeat(by, first)
        message = self._send(by, at, category, updates=updates, muid=muid)
        return self._row(by, message.id)

    def _repeat(self, by: str, first: int) -> Row:
        if first in self.wiped:
            raise Refused("ERR_MESSAGE_ID_NOT_FOUND")
        talk, message = self._find(first)
        if message.is_gone:
            raise Refused("ERR_MESSAGE_ID_NOT_FOUND")
        return talk.message_row(message, by)

    def say_to_many(self, by: str, ats: Sequence[str]) -> dict[str, int | str]:
        """Return the outcome for each receiver; users come first."""
        outcomes: dict[str, int | str] = {}
        for at in sorted(dict.fromkeys(ats), key=self._is_group):
            try:
                self._require_may_send(by, at)
                outcomes[at] = self._send(by, at, "message", updates=True).id
            except Refused as refusal:
                outcomes[at] = refusal.code
        return outcomes

    def reply(self, by: str, on: int, *, updates: bool) -> Row:
        talk, parent = self._require_message(by, on)
        at = talk.guid or (parent.receiver if parent.sender == by else parent.sender)
        self._require_may_send(by, at)
        if parent.category == "action" or parent.deleted_at is not None:
            raise Refused("ERR_MESSAGE_ACTION_NOT_ALLOWED")
        if parent.parent is not None:
            raise Refused("ERR_MESSAGE_THREAD_NESTING")
        shows = updates and not self._is_large(talk) and self.settings[ON_REPLIES]
        message = self._store(talk, by, at, "message", counts=False, shows=shows, parent=parent.id)
        return self._row(by, message.id)

    def bring(self, by: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Row | str]:
        """Return the outcome of each row of an import, by muid."""
        return {row["muid"]: self._bring(**row) for row in rows}

    def _bring(
        self, muid: str, sender: str, at: str, ago: int, past: Mapping[str, int], *, updates: bool
    ) -> Row | str:
        first = self.by_muid.get((sender, muid))
        if first is not None and first not in self.wiped:
            return "ERR_IMPORT_MUID_ALREADY_EXISTS"
        sent_at = self.now - ago
        brought = {kind: sent_at + after for kind, after in past.items()}
        message = self._send(
            sender, at, "message", updates=updates, muid=muid, sent_at=sent_at, brought=brought
        )
        return self._row(SYSTEM, message.id)

    def _send(
        self,
        by: str,
        at: str,
        category: str,
        *,
        updates: bool,
        muid: str | None = None,
        sent_at: int | None = None,
        brought: Times | None = None,
    ) -> Message:
        created_at = self.now if sent_at is None else sent_at
        talk = self._talk_to_write_to(by, at, created_at)
        shows = updates and not self._is_large(talk)
        counts = shows and "read" not in (brought or {})
        message = self._store(talk, by, at, category, counts=counts, shows=shows, sent_at=sent_at)
        message.brought = brought or {}
        if muid is not None:
            self.by_muid[by, muid] = message.id
        return message

    def _talk_to_write_to(self, by: str, at: str, created_at: int) -> Talk:
        """Return a conversation to write to; one of two users begins with their first message."""
        key = self._key(by, at)
        if key not in self.talks:
            people = {uid: Seat() for uid in key if uid != SYSTEM}
            self.number += 1
            self.talks[key] = Talk(self.number, key, created_at, seats=people)
        return self.talks[key]

    def _store(
        self,
        talk: Talk,
        sender: str,
        receiver: str,
        category: str,
        *,
        counts: bool,
        shows: bool,
        parent: int | None = None,
        sent_at: int | None = None,
    ) -> Message:
        """Add a message to a conversation; live messages never go back in time."""
        if sent_at is None:
            sent_at = self.latest_live = max(self.now, self.latest_live, talk.latest_at)
        talk.latest_at = max(talk.latest_at, sent_at)
        id_ = len(self.messages) + 1
        message = Message(id_, sender, receiver, category, sent_at, counts, shows, parent)
        talk.messages.append(message)
        self.messages.append((talk, message))
        return message

    def edit(self, by: str, on: int) -> Row:
        talk, message = self._require_message_to_change(by, on)
        if message.deleted_at is not None:
            raise Refused("ERR_MESSAGE_ACTION_NOT_ALLOWED")
        if not talk.guid and by != SYSTEM:
            self._require_no_block(by, talk.other_than(by))
        action = self._add_message_action(talk, message, by)
        message.edited_at = action.sent_at
        return self._row(by, action.id)

    def delete(self, by: str, on: int, *, permanent: bool) -> Row:
        talk, message = self._require_message_to_change(by, on)
        if message.deleted_at is not None and not permanent:
            raise Refused("ERR_MESSAGE_ACTION_NOT_ALLOWED")
        if permanent:
            talk.erase([message])
        action = self._add_message_action(talk, message, by)
        message.deleted_at = action.sent_at
        return self._row(by, action.id)

    def _add_message_action(self, talk: Talk, message: Message, by: str) -> Message:
        switch = ON_MESSAGE_ACTIONS if message.parent is None else ON_ACTIONS_IN_THREADS
        shows = not self._is_large(talk) and self.settings[switch]
        return self._store(
            talk,
            by,
            message.receiver,
            "action",
            counts=False,
            shows=shows,
            parent=message.parent,
        )

    # Marks and the rest of a user's state of a conversation ---------------------------------

    def mark(self, by: str, at: str, kind: str, on: int | None = None) -> None:
        """Mark as delivered or read up to a message, or all; or mark later messages as unread."""
        talk = self._require_talk(by, at)
        seat = talk.seats[by]
        if on is not None and (on not in talk.ids() or on in seat.hidden):
            raise Refused("ERR_MESSAGE_ID_NOT_FOUND")
        if kind in MARKS:
            upto = NO_MESSAGE if on is None else on
            kept = talk.still_unread(by, upto) if kind == "read" else set()
            is_moved = seat.have(kind, {each for each in talk.ids() if each <= upto}, self.now)
            seat.read -= kept
        else:
            after = self._before_newest(talk, by) if on is None else on
            is_moved = seat.take_back(talk.ids_there(after))
        if talk.guid and is_moved:
            talk.note_what_all_had(self.now)

    def _before_newest(self, talk: Talk, uid: str) -> int:
        """Return the id before the newest message of others, which so becomes unread."""
        before = talk.seats[uid].before
        others = [
            each
            for each in talk.messages
            if each.counts and each.sender != uid and not each.is_gone
        ]
        new = [each for each in others if each.id not in before]
        return max(new, key=in_order).id - 1 if new else NO_MESSAGE

    def reset(self, by: str, at: str) -> None:
        talk = self._require_seen_talk(by, at)
        talk.reset_for(by)
        if talk.guid:
            talk.note_what_all_had(self.now)

    def wipe(self, by: str, at: str, *, by_token: bool) -> None:
        """Reset a conversation; permanently delete the user's messages, or all messages in it."""
        talk = self._require_seen_talk(by, at)
        if by_token:
            talk.erase([each for each in talk.messages if each.sender == by])
            talk.reset_for(by)
            if talk.guid:
                talk.note_what_all_had(self.now)
        else:
            self._wipe(talk)

    def end(self, by: str, at: str) -> None:
        """Delete a conversation for all; a conversation of two users no longer exists."""
        key = self._key(by, at)
        if key not in self.talks or by not in self.talks[key].seats:
            raise Refused("ERR_CONVERSATION_NOT_ACCESSIBLE")
        self._wipe(self.talks[key])
        if not self.talks[key].guid:
            del self.talks[key]

    def _wipe(self, talk: Talk) -> None:
        """Delete all messages, for all; their muids remain used, except for imports."""
        self.wiped |= talk.ids()
        talk.wipe()
        for uid in talk.seats:
            talk.reset_for(uid)

    def tag(self, by: str, at: str, tags: Sequence[str]) -> Row:
        talk = self._require_seen_talk(by, at)
        talk.seats[by].tags = list(tags)
        return talk.row(by, by)

    def pin(self, by: str, at: str) -> Row:
        talk = self._require_talk_to_pin(by, at)
        whose = APP_PINS if by == SYSTEM else by
        count = sum(whose in each.pins for each in self.talks.values())
        if whose not in talk.pins and count >= self.settings[MOST_PINNED]:
            kind = "SYSTEM_" if by == SYSTEM else ""
            raise Refused(f"ERR_{kind}PINNED_CONVERSATIONS_LIMIT_EXCEEDED")
        talk.pins.setdefault(whose, self.now)
        return talk.row(by, by)

    def unpin(self, by: str, at: str) -> Row:
        talk = self._require_talk_to_pin(by, at)
        talk.pins.pop(APP_PINS if by == SYSTEM else by, None)
        return talk.row(by, by)

    def _require_talk_to_pin(self, by: str, at: str) -> Talk:
        talk = self._require_seen_talk(by, at)
        if by != SYSTEM and APP_PINS in talk.pins:
            raise Refused("ERR_SYSTEM_PINNED_CONVERSATION")
        return talk

    # Lists ----------------------------------------------------------------------------------

    def get(self, by: str, at: str) -> Row:
        try:
            return self._require_seen_talk(by, at).row(by, by)
        except Refused as refused:
            if str(refused) == "ERR_GROUP_NOT_JOINED":
                raise Refused("ERR_CONVERSATION_NOT_ACCESSIBLE") from None
            raise

    def list_talks(
        self,
        by: str,
        *,
        unread: bool = False,
        pinned: bool = False,
        with_blocked: bool = False,
        tag: str = "",
    ) -> list[Row]:
        """Return a user's conversations: the app's pins first, then the user's, then the newest."""
        if by == SYSTEM:
            return self._list_of_all()
        found = [
            talk
            for talk in self.talks.values()
            if talk.is_seen_by(by)
            and (with_blocked or (by, talk.other_than(by)) not in self.blocks)
            and (not unread or talk.unread_of(by))
            and (not pinned or {APP_PINS, by} & talk.pins.keys())
            and (not tag or tag in talk.seats[by].tags)
        ]
        return [talk.row(by, by) for talk in sorted(found, key=lambda each: _rank(each, by))]

    def _list_of_all(self) -> list[Row]:
        """Return the conversations of all users, by user, then the newest."""
        rows = []
        for uid in sorted(self.users):
            seen = [talk for talk in self.talks.values() if talk.is_seen_by(uid)]
            for talk in sorted(seen, key=lambda each: _newest_first(each, uid)):
                *first, _, tags, created_at, updated_at = talk.row(uid, SYSTEM)
                rows.append((*first, talk.pins.get(APP_PINS), tags, created_at, updated_at))
        return rows

    def list_messages(
        self, by: str, *, unread: bool = False, undelivered: bool = False
    ) -> list[Row]:
        """Return all messages that a user finds in their conversations, or the unread ones."""
        found = [
            (message, talk)
            for talk in self.talks.values()
            if by == SYSTEM or by in talk.seats
            for message in talk.seen_by(by)
            if not (unread and message not in talk.unread_of(by))
            and not (undelivered and message not in talk.undelivered_to(by))
        ]
        found.sort(key=lambda each: in_order(each[0]))
        return [talk.message_row(message, by) for message, talk in found]

    def list_messages_at(self, by: str, at: str) -> list[Row]:
        """Return a history."""
        if self._is_group(at):
            self._require_member(self.talks[at, ""], by)
        talk = self.talks.get(self._key(by, at))
        return [talk.message_row(each, by) for each in talk.seen_by(by)] if talk else []

    def list_receipts(self, by: str, on: int) -> list[Row]:
        talk, message = self._require_message(by, on)
        return talk.receipts_of(message)

    # Rights ---------------------------------------------------------------------------------

    def _is_group(self, at: str) -> bool:
        return (at, "") in self.talks

    def _key(self, by: str, at: str) -> tuple[str, str]:
        if self._is_group(at):
            return (at, "")
        return (by, at) if by <= at else (at, by)

    def id_of(self, by: str, at: str) -> str:
        """Return the wire id of a user's conversation with another user, or in a group."""
        return Talk(0, self._key(by, at), 0, at if self._is_group(at) else "").id

    def _is_large(self, talk: Talk) -> bool:
        return bool(talk.guid) and len(talk.seats) > self.settings[MOST_UPDATED]

    def _find(self, on: int) -> tuple[Talk, Message]:
        return self.messages[on - 1]

    def _row(self, viewer: str, on: int) -> Row:
        talk, message = self._find(on)
        return talk.message_row(message, viewer)

    def _require_member(self, talk: Talk, uid: str) -> None:
        if uid in talk.seats or uid == SYSTEM:
            return
        if talk.is_private:
            raise Refused("ERR_GUID_NOT_FOUND")
        raise Refused("ERR_BANNED_GROUPMEMBER" if uid in talk.bans else "ERR_GROUP_NOT_JOINED")

    def _require_no_block(self, by: str, other: str) -> None:
        if (other, by) in self.blocks:
            raise Refused("ERR_BLOCKED_SENDER")
        if (by, other) in self.blocks:
            raise Refused("ERR_BLOCKED_RECEIVER")

    def _require_may_send(self, by: str, at: str) -> None:
        if self._is_group(at):
            self._require_member(self.talks[at, ""], by)
            return
        if at not in self.users:
            raise Refused("ERR_UID_NOT_FOUND")
        self._require_no_block(by, at)

    def _require_talk(self, by: str, at: str) -> Talk:
        if self._is_group(at):
            self._require_member(self.talks[at, ""], by)
        talk = self.talks.get(self._key(by, at))
        if talk is None:
            raise Refused("ERR_CONVERSATION_NOT_ACCESSIBLE")
        return talk

    def _require_seen_talk(self, by: str, at: str) -> Talk:
        talk = self._require_talk(by, at)
        if not (talk.latest_at if by == SYSTEM else talk.is_seen_by(by)):
            raise Refused("ERR_CONVERSATION_NOT_ACCESSIBLE")
        return talk

    def _require_message(self, by: str, on: int) -> tuple[Talk, Message]:
        if on > len(self.messages):
            raise Refused("ERR_MESSAGE_ID_NOT_FOUND")
        talk, message = self._find(on)
        seat = talk.seats.get(by)
        is_seen = by == SYSTEM or (seat is not None and on not in seat.hidden)
        if message.is_gone or not is_seen:
            raise Refused("ERR_MESSAGE_ID_NOT_FOUND")
        return talk, message

    def _require_message_to_change(self, by: str, on: int) -> tuple[Talk, Message]:
        """Return a message that may be changed: the user's own; for admins all in the group."""
        talk, message = self._require_message(by, on)
        if message.category == "action":
            raise Refused("ERR_MESSAGE_ACTION_NOT_ALLOWED")
        is_admin = by == SYSTEM or (bool(talk.guid) and talk.seats[by].scope == "admin")
        if message.sender != by and not is_admin:
            raise Refused("ERR_MESSAGE_NOT_A_SENDER")
        return talk, message


def _rank(talk: Talk, uid: str) -> Row:
    return APP_PINS not in talk.pins, uid not in talk.pins, _newest_first(talk, uid)


def _newest_first(talk: Talk, uid: str) -> Row:
    """Sort conversations by update, newest first, then by other user or group."""
    return -talk.updated_at(), talk.other_than(uid)
