"""Memberships in plain Python: answers, memberships and events of each call.

The model follows the written rules, makes one call after the other, and has no store.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.api.membership.membership_state import (
    APP,
    RANK,
    SYSTEM,
    Actor,
    Ban,
    Group,
    Message,
    Row,
    User,
)

LISTS = {"admins": "admin", "moderators": "moderator", "participants": "participant"}
BANS = "usersToBan"
OF_THE_APP = {"create_user", "delete_user", "deactivate_users", "reactivate_users"}
RECEIPTS = {"message_delivery_receipt", "message_read_receipt"}

Event = tuple[str, dict[str, Any]]
Lists = Mapping[str, Sequence[str]]
Outcomes = dict[str, dict[str, int | str | None]]
"""By list and uid: the id of the action message, an error code, or nothing for a ban."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call; the model has a method for each verb."""

    verb: str
    by: Actor = APP
    args: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        args = ", ".join(f"{name}={value!r}" for name, value in self.args.items())
        return f"{self.by.name}{' by token' * self.by.by_token}: {self.verb}({args})"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to a call: the code of an error, or data."""

    code: str = ""
    data: Any = None


class Refused(Exception):
    """A call, or one of the users that it names, is refused."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(slots=True)
class Model:
    """An app: its users and groups, its counters, and its latest events."""

    most_members: int
    most_groups: int
    now: int = 0
    users: dict[str, User] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    holders: Counter[str] = field(default_factory=Counter)
    """The number of users that have had each uid, one after the other."""
    shown: Counter[str] = field(default_factory=Counter)
    """The holder of each uid whose tokens are used."""
    message: int = 0
    event: int = 0
    conversation: int = 0
    log: list[Event] = field(default_factory=list)
    new_events: Sequence[Event] = ()
    """The events of the app; receipts are taken from them as they come."""

    def begin(self, now: int) -> None:
        """Prepare for calls with the current tokens, and without events."""
        self.now = now
        self.shown = self.holders.copy()
        self.log = []

    def carry_out(self, call: Call, new_events: Sequence[Event] = ()) -> Outcome:
        """Return the answer to a call; a refused call changes nothing."""
        self.new_events = new_events
        try:
            self._let_in(call)
            return Outcome(data=getattr(self, call.verb)(call.by, **call.args))
        except Refused as refusal:
            return Outcome(refusal.code)

    def _let_in(self, call: Call) -> None:
        by = call.by
        is_his = self.shown[by.name] == self.holders[by.name] and self._is_active(by.name)
        if by.by_token and not is_his:
            raise Refused("AUTH_ERR_AUTH_TOKEN_NOT_FOUND")
        if by.by_token and call.verb in OF_THE_APP:
            raise Refused("AUTH_ERR_NO_ACCESS")
        is_to_have_password = call.verb == "create_group" and call.args["type"] == "password"
        if is_to_have_password and not call.args["password"]:
            raise Refused("ERR_EMPTY_GROUP_PASS")
        if by.uid is not None and call.verb not in OF_THE_APP:
            self._require_active(by.uid)

    # Users ----------------------------------------------------------------------------------

    def create_user(self, by: Actor, uid: str) -> None:
        if uid in self.users:
            raise Refused("ERR_UID_ALREADY_EXISTS")
        self.users[uid] = User(self.now)
        self.holders[uid] += 1

    def delete_user(self, by: Actor, uid: str, *, permanent: bool) -> None:
        user = self.users.get(uid)
        if user is None or (user.is_deleted and not permanent):
            raise Refused("ERR_UID_NOT_FOUND")
        if not user.is_deleted:
            self._announce("auth_token_revoked", uid=uid, by="", jwts_upto=0)
        self._leave_everything(uid)
        user.is_active, user.is_deleted = False, True
        if permanent:
            del self.users[uid]
            for group in self.groups.values():
                group.doom(uid)
        self._announce("user_deleted", uid=uid, permanent=permanent)

    def _leave_everything(self, uid: str) -> None:
        for group in self.groups.values():
            group.bans.pop(uid, None)
            if uid in group.members:
                group.take_out(uid, self.event + 1)
        self._apply_receipts()
        for guid in sorted(self.groups):
            self._pass_on_from(self.groups[guid], uid, SYSTEM, is_told=False)

    def deactivate_users(self, by: Actor, uids: Sequence[str]) -> list[str]:
        return self._set_active(uids, "users_deactivated", is_active=False)

    def reactivate_users(self, by: Actor, uids: Sequence[str]) -> list[str]:
        return self._set_active(uids, "users_reactivated", is_active=True)

    def _set_active(self, uids: Sequence[str], event: str, *, is_active: bool) -> list[str]:
        there = [uid for uid in dict.fromkeys(uids) if uid in self.users]
        there = [uid for uid in there if not self.users[uid].is_deleted]
        changed = [uid for uid in there if self.users[uid].is_active is not is_active]
        for uid in changed:
            self.users[uid].is_active = is_active
        if changed:
            self._announce(event, uids=changed)
        return there

    def list_users(self, by: Actor) -> list[str]:
        active = [uid for uid in self.users if self._is_active(uid)]
        return sorted(active, key=lambda uid: (self.users[uid].created_at, uid), reverse=True)

    # Groups ---------------------------------------------------------------------------------

    def create_group(
        self,
        by: Actor,
        guid: str,
        type: str,  # noqa: A002  # the interface's word
        password: str | None,
        owner: str | None,
        lists: Lists,
    ) -> Row:
        owner = by.uid or owner or SYSTEM
        if guid in self.groups:
            raise Refused("ERR_GUID_ALREADY_EXISTS")
        if owner != SYSTEM:
            self._require_active(owner)
            self._require_room_for_groups(owner)
        self.conversation += 1
        group = Group(guid, type, password, owner, self.conversation, self.now)
        self.groups[guid] = group
        if owner != SYSTEM:
            group.take_in(owner, "admin", self.now, self.event + 1)
        place = {"guid": guid, "conversation": group.number}
        self._announce("group_created", **place, owner=owner, by=by.name)
        self._put_in(group, by, lists)
        return group.row(by)

    def delete_group(self, by: Actor, guid: str) -> None:
        group = self._run(by, guid)
        del self.groups[guid]
        shown = {
            "name": guid.capitalize(),
            "type": group.type,
            "owner": group.owner,
            "description": None,
            "icon": None,
            "members_count": len(group.members),
            "created_at": group.created_at,
        }
        place = {"guid": guid, "conversation": group.number}
        self._announce("group_deleted", **place, **shown, by=by.name)

    def hand_over(self, by: Actor, guid: str, owner: str) -> Row:
        group = self._moderate(by, guid)
        is_ignored = by.uid is not None and not by.by_token
        if not is_ignored and owner != group.owner:
            self._let_own(group, by, owner)
            self._hand_on(group, owner, by.name)
        return group.row(by)

    def _let_own(self, group: Group, by: Actor, owner: str) -> None:
        if by.uid is not None and by.uid != group.owner:
            raise Refused("ERR_GROUP_NO_CLEARANCE")
        if owner != SYSTEM:
            self._require_active(owner)
        if by.uid is not None and owner not in group.members:
            raise Refused("ERR_NOT_A_MEMBER")
        if owner != SYSTEM and owner not in group.members:
            self._enter(group, owner, "admin", by.name)

    def _hand_on(self, group: Group, owner: str, by: str, *, is_told: bool = True) -> None:
        member = group.members.get(owner)
        if member is not None and member.scope != "admin":
            old, member.scope = member.scope, "admin"
            if is_told:
                self._record(group, "scopeChanged", by, owner, "admin", old)
        group.handed_on_at = self.now
        place = {"guid": group.guid, "conversation": group.number}
        owners = {"owner": owner, "old_owner": group.owner}
        self._announce("group_owner_transferred", **place, **owners, by=by)
        group.owner = owner

    def _pass_on_from(self, group: Group, gone: str, by: str, *, is_told: bool = True) -> None:
        if group.owner == gone:
            inactive = {uid for uid, user in self.users.items() if not user.is_active}
            self._hand_on(group, group.heir(inactive), by, is_told=is_told)

    def get_group(self, by: Actor, guid: str) -> Row:
        return self._see(by, guid).row(by)

    def list_groups(self, by: Actor, *, only_joined: bool) -> list[Row]:
        shown = [
            group
            for group in self.groups.values()
            if (by.uid in group.members if only_joined else group.is_shown_to(by))
        ]
        shown.sort(key=lambda group: (group.touched_at, group.guid), reverse=True)
        return [group.row(by) for group in shown]

    # Members --------------------------------------------------------------------------------

    def join(self, by: Actor, guid: str, password: str | None) -> Outcomes:
        if by.uid is None:
            return self.add(by, guid, {})
        group = self._see(by, guid)
        fault = "" if group.type != "password" else _fault_of(password, group.password)
        return {"participants": {by.uid: self._enter(group, by.uid, "participant", by.uid, fault)}}

    def add(self, by: Actor, guid: str, lists: Lists) -> Outcomes:
        if by.uid is not None and not lists:
            return self.join(by, guid, None)
        return self._put_in(self._run(by, guid), by, lists)

    def _put_in(self, group: Group, by: Actor, lists: Lists) -> Outcomes:
        """Return the outcome of each user; for a user in several lists the first counts."""
        places: dict[str, str] = {}
        for name in (*LISTS, BANS):
            places.update({uid: name for uid in lists.get(name, ()) if uid not in places})
        outcomes: Outcomes = {}
        for uid, name in places.items():
            outcomes.setdefault(name, {})[uid] = self._put(group, by, uid, name)
        return outcomes

    def _put(self, group: Group, by: Actor, uid: str, name: str) -> int | str | None:
        try:
            if name != BANS:
                return self._enter(group, uid, LISTS[name], by.name)
            self._ban(group, by, uid)
        except Refused as refusal:
            return refusal.code
        return None

    def _enter(self, group: Group, uid: str, scope: str, by: str, fault: str = "") -> int:
        self._require_active(uid)
        if uid in group.members:
            raise Refused("ERR_ALREADY_JOINED")
        if uid in group.bans:
            raise Refused("ERR_BANNED_GROUPMEMBER")
        if fault:
            raise Refused(fault)
        if len(group.members) >= self.most_members:
            raise Refused("ERR_NO_VACANCY")
        self._require_room_for_groups(uid)
        group.take_in(uid, scope, self.now, self.event + 1)
        return self._record(group, "joined" if by == uid else "added", by, uid, scope)

    def remove(self, by: Actor, guid: str, uid: str) -> None:
        group = self._take_part(by, guid)
        if uid != by.uid:
            if group.rank(by) < RANK["moderator"]:
                raise Refused("ERR_GROUP_NO_CLEARANCE")
            self._require_member(group, uid)
            self._require_clearance(group, by, uid)
        group.take_out(uid, self.event + 1)
        self._record(group, "left" if uid == by.uid else "kicked", by.name, uid)
        self._apply_receipts()
        self._pass_on_from(group, uid, by.name)

    def ban(self, by: Actor, guid: str, uid: str) -> None:
        self._ban(self._take_part(by, guid), by, uid)

    def _ban(self, group: Group, by: Actor, uid: str) -> None:
        if uid == by.uid:
            raise Refused("ERR_GROUP_NO_SELF_ACTION")
        if group.rank(by) < RANK["moderator"]:
            raise Refused("ERR_GROUP_NO_CLEARANCE")
        member = group.members.get(uid)
        if member is not None:
            self._require_clearance(group, by, uid)
            group.take_out(uid, self.event + 1)
        else:
            self._require_active(uid)
            if uid in group.bans:
                raise Refused("ERR_ALREADY_BANNED")
        scope, joined_at = (member.scope, member.joined_at) if member else ("participant", None)
        group.bans[uid] = Ban(scope, joined_at, self.now)
        self._record(group, "banned", by.name, uid)
        if member is not None:
            self._apply_receipts()
        self._pass_on_from(group, uid, by.name)

    def unban(self, by: Actor, guid: str, uid: str) -> None:
        group = self._moderate(by, guid)
        if group.bans.pop(uid, None) is None:
            raise Refused("ERR_NOT_A_BANNED_USER")
        self._record(group, "unbanned", by.name, uid)

    def rescope(self, by: Actor, guid: str, uid: str, scope: str) -> str:
        group = self._take_part(by, guid)
        if uid == by.uid:
            raise Refused("ERR_GROUP_NO_SELF_ACTION")
        if group.rank(by) < RANK["moderator"]:
            raise Refused("ERR_GROUP_NO_SCOPE_CLEARANCE")
        self._require_member(group, uid)
        member = group.members[uid]
        if group.rank(by) < max(RANK[scope], RANK[member.scope]):
            raise Refused("ERR_GROUP_NO_SCOPE_CLEARANCE")
        if scope == member.scope:
            raise Refused("ERR_SAME_SCOPE")
        if by.uid is not None and uid == group.owner:
            raise Refused("ERR_GROUP_NO_CLEARANCE")
        old, member.scope = member.scope, scope
        self._record(group, "scopeChanged", by.name, uid, scope, old)
        self._pass_on_from(group, uid, by.name)
        return scope

    def list_members(self, by: Actor, guid: str) -> list[Row]:
        return self._take_part(by, guid).member_rows()

    def list_bans(self, by: Actor, guid: str) -> list[Row]:
        return self._moderate(by, guid).ban_rows()

    # Messages -------------------------------------------------------------------------------

    def say(self, by: Actor, guid: str) -> int:
        group = self._take_part(by, guid)
        self.message += 1
        group.messages.append(Message(self.message, by.name))
        group.said += 1
        place = {"message": self.message, "conversation": group.number, "counted": group.said}
        way = {"sender": by.name, "receiver_type": "group", "receiver": guid}
        self._announce("message_sent", **place, **way, counts=True, shows=True)
        return self.message

    def list_messages(self, by: Actor, guid: str) -> list[Row]:
        return self._take_part(by, guid).message_rows()

    def erase(self) -> None:
        """Carry out the erasures that are asked for."""
        for group in self.groups.values():
            group.erase()

    # Rights ---------------------------------------------------------------------------------

    def _is_active(self, uid: str) -> bool:
        return uid in self.users and self.users[uid].is_active

    def _require_active(self, uid: str) -> None:
        if not self._is_active(uid):
            raise Refused("ERR_UID_NOT_FOUND")

    def _require_room_for_groups(self, uid: str) -> None:
        if sum(uid in group.members for group in self.groups.values()) >= self.most_groups:
            raise Refused("ERR_LIMIT_EXCEEDED")

    def _require_member(self, group: Group, uid: str) -> None:
        if uid not in group.members:
            self._require_active(uid)
            raise Refused("ERR_NOT_A_MEMBER")

    def _require_clearance(self, group: Group, by: Actor, uid: str) -> None:
        """Refuse removing the owner; admins remove anyone else, moderators participants."""
        rank = group.rank(by)
        is_above = rank >= RANK["admin"] or rank > RANK[group.members[uid].scope]
        if by.uid is not None and (uid == group.owner or not is_above):
            raise Refused("ERR_GROUP_NO_CLEARANCE")

    def _see(self, by: Actor, guid: str) -> Group:
        group = self.groups.get(guid)
        if group is None or not group.is_shown_to(by):
            raise Refused("ERR_GUID_NOT_FOUND")
        return group

    def _take_part(self, by: Actor, guid: str) -> Group:
        group = self._see(by, guid)
        if by.uid is not None and by.uid not in group.members:
            is_banned = by.uid in group.bans
            raise Refused("ERR_BANNED_GROUPMEMBER" if is_banned else "ERR_GROUP_NOT_JOINED")
        return group

    def _moderate(self, by: Actor, guid: str) -> Group:
        group = self._take_part(by, guid)
        if group.rank(by) < RANK["moderator"]:
            raise Refused("ERR_GROUP_NO_MODERATOR_SCOPE")
        return group

    def _run(self, by: Actor, guid: str) -> Group:
        group = self._take_part(by, guid)
        if group.rank(by) < RANK["admin"]:
            raise Refused("ERR_GROUP_NO_ADMIN_SCOPE")
        return group

    # Events ---------------------------------------------------------------------------------

    def _record(
        self,
        group: Group,
        action: str,
        by: str,
        on: str,
        scope: str | None = None,
        old_scope: str | None = None,
    ) -> int:
        """Record a member action as a message and an event; return the message's id."""
        self.message += 1
        message = Message(self.message, by, action, on)
        if action == "scopeChanged":
            message.scope, message.old_scope = scope, old_scope
        group.messages.append(message)
        body = {
            "guid": group.guid,
            "conversation": group.number,
            "uid": on,
            "message": self.message,
            "shows": True,
            "members_count": len(group.members),
            "joined_at": self.now if action in {"joined", "added"} else None,
            "hidden_upto": 0 if action in {"joined", "added"} else None,
            "banned_at": self.now if action == "banned" else None,
            "by": None if action in {"joined", "left"} else by,
            "scope": scope,
            "old_scope": old_scope,
        }
        given = {name: value for name, value in body.items() if value is not None}
        name = "scope_changed" if action == "scopeChanged" else action
        self._announce(f"group_member_{name}", **given)
        return self.message

    def _announce(self, event: str, **body: Any) -> None:
        self.event += 1
        self.log.append((event, {**body, "at": self.now}))

    def _apply_receipts(self) -> None:
        """Apply receipts that follow a departure: the last unread member may have gone."""
        for name, body in self.new_events[len(self.log) :]:
            if name not in RECEIPTS or body["uid"] != SYSTEM:
                return
            self._announce(name, **body)


def _fault_of(given: str | None, password: str | None) -> str:
    if not given:
        return "ERR_EMPTY_GROUP_PASS"
    return "" if given == password else "ERR_WRONG_GROUP_PASS"
