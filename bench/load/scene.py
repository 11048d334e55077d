"""What the measured requests are about: people, groups and histories, made when first needed.

Everything is made through the REST interface, so that each compared version stores the same in its
own way.
"""

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice
from urllib.parse import quote, urlencode

from bench.load.client import Client, Refused
from bench.load.phrases import text

SENDERS, MEMBERS, ROOM_MEMBERS, ERASABLE = 100, 300, 20, 40
MESSAGES, MESSAGES_OF_ERASABLE = 2_000, 500
CONVERSATIONS = 60
MENTION_EVERY = 5
PAGE = 50
REACTIONS = ("👍", "❤️")
SENT_AT = 1_700_000_000
CALLS_PER_MINUTE = 10_000_000


@dataclass(frozen=True, slots=True)
class Talk:
    """A history to read: the path of its list, and its participants."""

    path: str
    people: Sequence[str]
    middle_at: int = SENT_AT + MESSAGES // 2

    @property
    def reader(self) -> str:
        return self.people[0]


@dataclass(frozen=True, slots=True)
class Group:
    """A group to write to."""

    guid: str
    members: Sequence[str]


class Scene:
    """An app of its own, small enough to be in memory."""

    def __init__(self, client: Client, app_id: str, key: str) -> None:
        self.client = client
        self.app_id = app_id
        self.key = key
        self._chance = random.Random(1)

    @cached_property
    def senders(self) -> Sequence[str]:
        """Return the users who write to each other."""
        return self.make_users("person", SENDERS)

    @cached_property
    def group(self) -> Group:
        return self.make_group("crowd", MEMBERS)

    @cached_property
    def tokens(self) -> Mapping[str, str]:
        """Return an auth token for each of some senders, with limits that nobody reaches."""
        names = ("userCallsPerMinute", "userSendsPerMinute")
        limits = {f"limits.{name}": CALLS_PER_MINUTE for name in names}
        with suppress(Refused):  # a version without settings has no limits
            self.client.call("PUT", "/v3/settings", {"settings": limits})
        return {uid: self._make_token(uid) for uid in self.senders[:SENDERS]}

    @cached_property
    def parents(self) -> Sequence[tuple[str, str]]:
        """Return messages to reply to, as sender and id."""
        first, *others = self.senders[:SENDERS]
        return [(uid, self.send(uid, first)) for uid in others]

    @cached_property
    def talk(self) -> Talk:
        """Return a one-to-one history."""
        people = one, other = self.make_users("reader", 2)
        self._import_messages([(one, other), (other, one)] * (MESSAGES // 2), "user")
        return Talk(f"/v3/users/{other}/messages", people)

    @cached_property
    def room(self) -> Talk:
        """Return the history of a group, with mentions, reactions and receipts."""
        room = self.make_group("room", ROOM_MEMBERS)
        senders = islice(cycle(room.members), MESSAGES)
        self._import_messages([(sender, room.guid) for sender in senders], "group")
        talk = Talk(f"/v3/groups/{room.guid}/messages", room.members)
        self.enliven(talk)
        return talk

    @cached_property
    def lister(self) -> str:
        """Return a user with many conversations."""
        (lister,) = self.make_users("lister", 1)
        for sender in self.make_users("friend", CONVERSATIONS):
            self.send(sender, lister)
        return lister

    def make_erasable(self) -> Sequence[str]:
        """Return new users with many messages."""
        uids = self.make_users("erasable", ERASABLE)
        for uid in uids:
            receivers = self._chance.choices(self.senders, k=MESSAGES_OF_ERASABLE)
            self._import_messages([(uid, receiver) for receiver in receivers], "user")
        return uids

    def newest(self, talk: Talk) -> str:
        """Return the target of the newest page of a history."""
        return _page(talk)

    def middle(self, talk: Talk) -> str:
        """Return the target of a page in the middle, by the cursor of the one after it."""
        page = self.client.call("GET", _page(talk, sentAt=talk.middle_at), as_=talk.reader)
        cursor = page["meta"]["previous"]
        return _page(talk, sentAt=cursor["sentAt"], id=cursor["id"])

    def enliven(self, talk: Talk) -> None:
        """Add reactions to the middle and the newest page of a group's history, and receipts."""
        for target in (self.middle(talk), self.newest(talk)):
            page = self.client.call("GET", target, as_=talk.reader)["data"]
            for row, uid in zip(page, cycle(talk.people), strict=False):
                for reaction in REACTIONS:
                    self.client.post(f"/messages/{row['id']}/reactions/{quote(reaction)}", as_=uid)
        later = page[PAGE // 2 :]  # so that all have read the older half
        mark = talk.path.removeprefix("/v3").replace("/messages", "/conversation/read")
        for uid, row in zip(talk.people, cycle(later), strict=False):
            self.client.post(mark, {"messageId": row["id"]}, as_=uid)

    def send(self, sender: str, receiver: str) -> str:
        """Send a message to a user; return its id."""
        body = {"receiver": receiver, "receiverType": "user", "data": {"text": text(self._chance)}}
        return str(self.client.post("/messages", body, as_=sender)["id"])

    def make_users(self, prefix: str, count: int) -> Sequence[str]:
        """Return new users."""
        uids = [f"{prefix}-{number:03d}" for number in range(count)]
        rows = {uid: {"uid": uid, "name": uid.replace("-", " ").title()} for uid in uids}
        self.client.import_rows("users", rows)
        return uids

    def make_group(self, guid: str, count: int) -> Group:
        """Return a new group of new users."""
        members = self.make_users(f"{guid}-member", count)
        group = {"guid": guid, "name": guid.title(), "type": "public", "createdAt": SENT_AT}
        self.client.import_rows("groups", {guid: group})
        rows = {f"{guid}_member_{uid}": {"guid": guid, "uid": uid} for uid in members}
        joined = {key: {**row, "memberId": key, "joinedAt": SENT_AT} for key, row in rows.items()}
        self.client.import_rows("members", joined)
        return Group(guid, members)

    def _make_token(self, uid: str) -> str:
        return str(self.client.post(f"/users/{uid}/auth_tokens", {"force": True})["authToken"])

    def _import_messages(self, pairs: Sequence[tuple[str, str]], kind: str) -> None:
        """Import a message from each sender to its receiver; some to groups have a mention."""
        rows = {}
        for number, (sender, receiver) in enumerate(pairs):
            is_mentioning = kind == "group" and number % MENTION_EVERY == 0
            mention = f"<@uid:{sender}> " if is_mentioning else ""
            muid = f"{sender}-{receiver}-{number}"
            rows[muid] = {
                "muid": muid,
                "sender": sender,
                "receiver": receiver,
                "receiverType": kind,
                "category": "message",
                "type": "text",
                "data": {"text": mention + text(self._chance)},
                "sentAt": SENT_AT + number,
            }
        self.client.import_rows("messages", rows)


def _page(talk: Talk, **position: object) -> str:
    return f"{talk.path}?{urlencode({'affix': 'prepend', 'limit': PAGE, **position})}"
