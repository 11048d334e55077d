"""A plain model of delivery: who is told which event, by the log alone.

It knows nothing of the gateway. Members of a group are told what happens between their entry and
their exit, both included; two users are told what happens between them; what concerns one user
alone is told to them.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.eventlog import LoggedEvent

SYSTEM = "app_system"
OF_ONE = (
    "conversation_read",
    "conversation_unread",
    "conversation_reset",
    "scheduled_message_failed",
    "user_reminded",
    "draft_changed",
    "user_blocked",
    "user_unblocked",
    "poll_voted",
)
"""Events that the sessions of `uid` are told."""
OF_CONVERSATION = (
    "message_edited",
    "message_deleted",
    "messages_deleted",
    "messages_expired",
    "message_reaction_added",
    "message_reaction_removed",
    "message_grown",
    "message_stop_requested",
    "message_pinned",
    "message_unpinned",
    "poll_updated",
    "poll_closed",
    "group_updated",
    "group_owner_transferred",
    "group_deleted",
    "conversation_deleted",
)
"""Events that all who take part in the conversation are told."""
ENTERING = ("group_member_added", "group_member_joined")
LEAVING = ("group_member_left", "group_member_kicked", "group_member_banned")
OF_MEMBER = (*ENTERING, *LEAVING, "group_member_unbanned", "group_member_scope_changed")
OWN_NAMES = {
    "message_read_receipt": "conversation_read",
    "message_delivery_receipt": "conversation_delivered",
}
"""How the user whose receipt it is is told of it."""
SILENT = (
    "auth_token_revoked",
    "friends_added",
    "friends_removed",
    "members_imported",
    "messages_imported",
    "role_permissions_changed",
    "user_connected",
    "user_deleted",
    "user_role_changed",
    "users_deactivated",
    "users_reactivated",
)
"""Events that nobody is told."""

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Telling:
    """An event that a user is told."""

    number: int
    id: str
    name: str
    """The name of the frame."""
    conversation: int
    messages: tuple[int, ...] = ()
    """The messages without which there is nothing to tell."""
    uid: str = ""
    """The user without whose seat in the conversation there is nothing to tell."""
    is_about_many: bool = False
    """True if it is about all messages of a range, of which one is enough."""


@dataclass(slots=True)
class AudienceModel:
    """What every user is told, and what is not there any more."""

    streams: dict[str, list[Telling]] = field(default_factory=dict)
    head: int = 0
    pairs: dict[int, tuple[str, str]] = field(default_factory=dict)
    members: dict[int, set[str]] = field(default_factory=dict)
    sent: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    """The messages of a conversation and their senders."""
    refusals: list[tuple[int, str]] = field(default_factory=list)
    """The keyed hashes of tokens, and uids, that are refused from an event on."""
    left: list[tuple[int, str]] = field(default_factory=list)
    """The users who have left a group, and the number of the event."""
    erased: list[tuple[int, int, tuple[int, ...] | None]] = field(default_factory=list)
    """Number, conversation, and messages that are gone; None: all messages."""

    def apply(self, logged: LoggedEvent) -> None:
        """Go on to the next event."""
        number, id_, name, _, body = logged
        assert number == self.head + 1, f"{number} follows {self.head}"
        self.head = number
        fields: Fields = json.loads(body)
        self._enter(name, fields)
        for uid, shown in self._told(name, fields).items():
            if uid != SYSTEM:
                telling = _telling(number, id_, shown, fields)
                self.streams.setdefault(uid, []).append(telling)
        self._leave(name, fields)
        self._end(number, name, fields)

    def _told(self, name: str, fields: Fields) -> dict[str, str]:
        """Return the users who are told an event, and under which name."""
        if name in SILENT:
            return {}
        if name in OWN_NAMES:
            if fields["receiver_type"] == "group":
                return {}
            told = {fields["uid"]: OWN_NAMES[name]}
            return {fields["receiver"]: name, **told} if self._is_about_any(fields) else told
        return dict.fromkeys(self._audience(name, fields), name)

    def _is_about_any(self, fields: Fields) -> bool:
        """Return whether the receiver of a receipt has sent any of the messages that it covers."""
        return any(
            fields["after"] < id_ <= fields["upto"] and sender == fields["receiver"]
            for id_, sender in self.sent.get(fields["conversation"], ())
        )

    def _audience(self, name: str, fields: Fields) -> Iterable[str]:
        conversation = fields.get("conversation", 0)
        if name == "message_sent":
            if fields["receiver_type"] == "group":
                return self.members[conversation]
            return fields["sender"], fields["receiver"]
        if name == "group_created":
            return (fields["owner"],)
        if name in OF_ONE or (name == "conversation_updated" and fields["uid"]):
            return (fields["uid"],)
        if name in OF_MEMBER:
            return {*self.members[conversation], fields["uid"]}
        assert name in OF_CONVERSATION or name == "conversation_updated", name
        return self.members.get(conversation) or self.pairs.get(conversation) or ()

    def _enter(self, name: str, fields: Fields) -> None:
        conversation = fields.get("conversation", 0)
        if name in ("message_sent", "message_edited", "message_deleted"):
            sender = fields["sender"] if name == "message_sent" else fields["by"]
            self.sent.setdefault(conversation, []).append((fields["message"], sender))
        if name == "message_sent" and fields["receiver_type"] == "user":
            self.pairs[conversation] = (fields["sender"], fields["receiver"])
        elif name == "group_created":
            self.members[conversation] = {fields["owner"]} - {SYSTEM}
        elif name == "members_imported":
            self.members.setdefault(conversation, set()).update(fields["uids"])
        elif name in ENTERING:
            self.members[conversation].add(fields["uid"])

    def _leave(self, name: str, fields: Fields) -> None:
        if name in LEAVING:
            self.members[fields["conversation"]].discard(fields["uid"])
        elif name == "group_deleted":
            del self.members[fields["conversation"]]
        elif name == "user_deleted":
            for uids in self.members.values():
                uids.discard(fields["uid"])

    def _end(self, number: int, name: str, fields: Fields) -> None:
        if name in (*LEAVING, "user_deleted"):
            self.left.append((number, fields["uid"]))
        if name == "auth_token_revoked":
            self.refusals += [(number, hash_) for hash_ in fields["hashes"]]
        elif name == "users_deactivated":
            self.refusals += [(number, uid) for uid in fields["uids"]]
        elif name == "message_deleted" and fields["permanent"]:
            self.erased.append((number, fields["conversation"], (fields["on"],)))
        elif name in ("messages_deleted", "messages_expired"):
            self.erased.append((number, fields["conversation"], tuple(fields["messages"])))
        elif name in ("group_deleted", "conversation_deleted"):
            self.erased.append((number, fields["conversation"], None))
        elif name == "user_deleted" and fields["permanent"]:
            self.erased += [(number, conversation, None) for conversation in self.pairs]
            self.erased += [(number, conversation, None) for conversation in self.members]

    def may_be_missing(self, telling: Telling, upto: int) -> bool:
        """Return whether what an event is about was gone by the time of another event."""
        if any(telling.number < number <= upto and uid == telling.uid for number, uid in self.left):
            return True
        return any(
            number <= upto
            and (telling.is_about_many or telling.number < number)
            and conversation == telling.conversation
            and (
                gone is None or telling.is_about_many or not set(gone).isdisjoint(telling.messages)
            )
            for number, conversation, gone in self.erased
        )


def _telling(number: int, id_: str, name: str, fields: Fields) -> Telling:
    found = [fields.get("message"), fields.get("on") if name == "message_edited" else None]
    ids = tuple(each for each in found if each is not None)
    uid = fields["uid"] if name == "conversation_updated" else ""
    return Telling(number, id_, name, fields.get("conversation", 0), ids, uid, "upto" in fields)
