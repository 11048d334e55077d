"""Random calls that change something, as requests to the interface."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from tests.api.events.events_copy import SYSTEM, Copy, Message, Talk
from tests.api.events.events_view import GUIDS, UIDS
from tests.world import Json

REACTIONS = ("👍", "❤️")
NO_MESSAGE = 10**9


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn verb, and numbers that choose its users, group and message."""

    verb: str
    by: int
    at: int
    which: int
    kind: int


@dataclass(frozen=True, slots=True)
class Call:
    """A request, by a user or by the app."""

    verb: str
    by: str
    method: str
    path: str
    body: Json | None = None
    marks: tuple[str, str] | None = None
    """The uid whose unread count it may change, and the user or group of the conversation."""
    is_by_token: bool = False
    """Whether the user makes the call with a token."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The meaning of drawn numbers, given the known state of the app."""

    copy: Copy
    drawn: Drawn

    @property
    def kind(self) -> int:
        return self.drawn.kind

    @property
    def by(self) -> str:
        """Return the acting user; sometimes the app."""
        return (*UIDS, *UIDS, SYSTEM)[self.drawn.by]

    @property
    def leader(self) -> str:
        """Return the actor in a group; mostly its owner."""
        talk = self.copy.groups().get(self.guid)
        if self.drawn.by % 3 == 0 or talk is None or talk.group is None:
            return self.by
        return talk.group.owner

    @property
    def user(self) -> str:
        return UIDS[self.drawn.by % len(UIDS)]

    @property
    def guid(self) -> str:
        return GUIDS[self.drawn.at % len(GUIDS)]

    @property
    def reaction(self) -> str:
        return REACTIONS[self.drawn.kind % len(REACTIONS)]

    @property
    def path(self) -> str:
        return f"/groups/{self.guid}"

    @property
    def other(self) -> str:
        """Return another user."""
        return [uid for uid in UIDS if uid != self.user][self.drawn.which % (len(UIDS) - 1)]

    @property
    def at(self) -> str:
        """Return a user or group to write to."""
        places = [uid for uid in UIDS if uid != self.by] + list(GUIDS)
        return places[self.drawn.at % len(places)]

    @property
    def place(self) -> tuple[str, Talk | None]:
        """Return a user or group with which the actor has a conversation, and that conversation."""
        places = [uid for uid in UIDS if uid != self.by] + list(GUIDS)
        found = {at: self.copy.talk_of(at, self.by) for at in places}
        own = [at for at, talk in found.items() if talk and self.by in talk.seats] or places
        at = own[self.drawn.at % len(own)]
        return at, found[at]

    @property
    def member(self) -> str:
        """Return a member of the group, if there is one."""
        talk = self.copy.groups().get(self.guid)
        return self._one_of(sorted(talk.seats) if talk else []) or self.other

    @property
    def stranger(self) -> str:
        """Return a user who is not a member of the group."""
        talk = self.copy.groups().get(self.guid)
        return self._one_of([uid for uid in UIDS if not talk or uid not in talk.seats]) or "anna"

    def _one_of(self, found: Sequence[str]) -> str:
        return found[self.drawn.which % len(found)] if found else ""

    def message(self, wanted: Callable[[Message], bool] | None = None) -> int:
        """Return a message that the actor finds, counted back from the newest; prefer `wanted`."""
        found = [
            each
            for talk in self.copy.talks.values()
            if self.by == SYSTEM or self.by in talk.seats
            for each in self.copy.seen_in(talk, self.by)
            if each.content.get("category") == "message"
        ]
        found = [each for each in found if wanted and wanted(each)] or found
        ids = sorted(each.id for each in found)
        return ids[-1 - self.drawn.which % len(ids)] if ids else NO_MESSAGE

    @property
    def own_message(self) -> int:
        """Return a message of the actor."""
        return self.message(lambda each: self.by in (SYSTEM, each.content["sender"]))

    def call(self, method: str, path: str, body: Json | None = None, *, by: str = "") -> Call:
        return Call(self.drawn.verb, by or self.by, method, path, body)


# Messages ---------------------------------------------------------------------------------------


def _say(it: Chosen) -> Call:
    texts = ("Hello", "<@uid:ben> and <@uid:cleo>", "Hi <@all>", "Once more")
    extras: tuple[Json, ...] = ({}, {"tags": ["work"]}, {"updateConversation": False})
    repeats = {"muid": f"m{it.drawn.which}"} if it.drawn.which < 2 else {}
    to = {"receiver": it.at, "receiverType": "group" if it.at in GUIDS else "user"}
    extra = extras[it.drawn.which % len(extras)]
    return it.call(
        "POST", "/messages", {**to, "data": {"text": texts[it.kind]}, **extra, **repeats}
    )


def _reply(it: Chosen) -> Call:
    return it.call("POST", f"/messages/{it.message()}/thread", {"data": {"text": "A reply"}})


def _edit(it: Chosen) -> Call:
    bodies: tuple[Json, ...] = (
        {"data": {"text": "Hello!"}},
        {"tags": ["fun"]},
        {"data": {"text": "Not <@uid:ben>"}, "tags": []},
        {"data": {"metadata": {"edited": True}}},
    )
    return it.call("PUT", f"/messages/{it.own_message}", bodies[it.kind])


def _delete(it: Chosen) -> Call:
    return it.call("DELETE", f"/messages/{it.own_message}", {"permanent": False})


def _erase(it: Chosen) -> Call:
    return it.call("DELETE", f"/messages/{it.own_message}", {"permanent": True})


def _react(it: Chosen) -> Call:
    return it.call("POST", f"/messages/{it.message()}/reactions/{it.reaction}")


def _unreact(it: Chosen) -> Call:
    """Return a call that removes a reaction, if there is one."""
    given = [
        (id_, *reaction)
        for id_, message in it.copy.messages.items()
        for reaction in message.reactions.values()
    ] or [(it.message(), it.reaction, it.by)]
    id_, reaction, uid = given[-1 - it.drawn.which % len(given)]
    return it.call("DELETE", f"/messages/{id_}/reactions/{reaction}", by=uid)


def _pin(it: Chosen) -> Call:
    return it.call("POST", f"/messages/{it.message()}/pin")


def _unpin(it: Chosen) -> Call:
    return it.call("DELETE", f"/messages/{it.message(lambda each: bool(each.pinned_at))}/pin")


# Conversations ----------------------------------------------------------------------------------


def _path_to(at: str) -> str:
    return f"/groups/{at}" if at in GUIDS else f"/users/{at}"


def _mark(method: str, kind: str) -> Callable[[Chosen], Call]:
    def make(it: Chosen) -> Call:
        at, talk = it.place
        found = it.copy.seen_in(talk, it.by) if talk else []
        upto = found[-1 - it.drawn.which % len(found)].id if found and it.kind else None
        body = {"messageId": upto} if upto else None
        path = f"{_path_to(at)}/conversation/{kind}"
        return Call(it.drawn.verb, it.by, method, path, body, marks=(at, it.by))

    return make


def _reset(it: Chosen) -> Call:
    return it.call("DELETE", f"{_path_to(it.place[0])}/conversation")


def _wipe(it: Chosen) -> Call:
    """Return a call that deletes all messages for all or, by token, the user's own."""
    path, body = f"{_path_to(it.place[0])}/conversation", {"deleteMessagesPermanently": True}
    is_by_token = it.kind > 1 and it.by != SYSTEM
    return Call(it.drawn.verb, it.by, "DELETE", path, body, is_by_token=is_by_token)


def _end(it: Chosen) -> Call:
    talk = it.place[1]
    return it.call("DELETE", f"/conversations/{talk.id if talk else 'group_none'}")


# Groups and users -------------------------------------------------------------------------------


def _found(it: Chosen) -> Call:
    lists: Json = {"moderators": [it.other], "participants": [], "usersToBan": []}
    if it.kind:
        lists[("participants", "usersToBan", "admins")[it.kind - 1]] = [it.stranger]
    given: Json = {"owner": it.user} if it.by == SYSTEM else {}
    missing = [guid for guid in GUIDS if guid not in it.copy.groups()] or [it.guid]
    body = {"guid": missing[0], "name": "A group", "type": "public", "members": lists}
    return it.call("POST", "/groups", {**body, **given})


def _update(it: Chosen) -> Call:
    bodies = ({"name": "Ours"}, {"type": "private"}, {"type": "public"}, {"name": "Theirs"})
    return it.call("PUT", it.path, bodies[it.kind], by=it.leader)


def _hand_over(it: Chosen) -> Call:
    owner = it.member if it.kind else (it.stranger, SYSTEM)[it.drawn.which % 2]
    return it.call("PUT", it.path, {"owner": owner}, by=SYSTEM)


def _disband(it: Chosen) -> Call:
    return it.call("DELETE", it.path, by=it.leader)


def _join(it: Chosen) -> Call:
    return it.call("POST", f"{it.path}/members", by=it.stranger)


def _add(it: Chosen) -> Call:
    lists = ("participants", "participants", "moderators", "admins")
    return it.call("POST", f"{it.path}/members", {lists[it.kind]: [it.stranger]}, by=it.leader)


def _leave(it: Chosen) -> Call:
    return it.call("DELETE", f"{it.path}/members/{it.member}", by=it.member)


def _kick(it: Chosen) -> Call:
    return it.call("DELETE", f"{it.path}/members/{it.member}", by=it.leader)


def _ban(it: Chosen) -> Call:
    uid = it.member if it.kind else it.stranger
    return it.call("POST", f"{it.path}/bannedusers/{uid}", by=it.leader)


def _unban(it: Chosen) -> Call:
    talk = it.copy.groups().get(it.guid)
    bans = sorted(talk.group.bans) if talk and talk.group else []
    uid = bans[it.drawn.which % len(bans)] if bans else it.other
    return it.call("DELETE", f"{it.path}/bannedusers/{uid}", by=it.leader)


def _rescope(it: Chosen) -> Call:
    scope = ("participant", "moderator", "admin", "participant")[it.kind]
    return it.call("PUT", f"{it.path}/members/{it.member}", {"scope": scope}, by=it.leader)


def _block(it: Chosen) -> Call:
    path = f"/users/{it.user}/blockedusers"
    return it.call("POST", path, {"blockedUids": [it.other]}, by=it.user)


def _unblock(it: Chosen) -> Call:
    pairs = sorted(it.copy.blocks) or [(it.user, it.other)]
    one, other = pairs[it.drawn.which % len(pairs)]
    return it.call("DELETE", f"/users/{one}/blockedusers", {"blockedUids": [other]}, by=one)


VERBS: dict[str, tuple[int, Callable[[Chosen], Call]]] = {
    "say": (12, _say),
    "reply": (4, _reply),
    "edit": (4, _edit),
    "delete": (2, _delete),
    "erase": (3, _erase),
    "react": (5, _react),
    "unreact": (3, _unreact),
    "pin": (3, _pin),
    "unpin": (2, _unpin),
    "deliver": (4, _mark("POST", "delivered")),
    "read": (8, _mark("POST", "read")),
    "unread": (4, _mark("DELETE", "read")),
    "reset": (2, _reset),
    "wipe": (2, _wipe),
    "end": (1, _end),
    "found": (4, _found),
    "update": (2, _update),
    "hand_over": (2, _hand_over),
    "disband": (2, _disband),
    "join": (4, _join),
    "add": (4, _add),
    "leave": (3, _leave),
    "kick": (2, _kick),
    "ban": (2, _ban),
    "unban": (2, _unban),
    "rescope": (3, _rescope),
    "block": (1, _block),
    "unblock": (2, _unblock),
}
"""The weight of each verb in the drawing, and the function that makes its call."""
OF_THE_RUN = {"pause": 8, "listen": 6}
"""Steps besides calls: time passes, the log is read."""


def call_of(copy: Copy, drawn: Drawn) -> Call:
    """Return the request of what was drawn, given the state that a copy knows."""
    return VERBS[drawn.verb][1](Chosen(copy, drawn))


def _drawn(verbs: Sequence[str]) -> st.SearchStrategy[Drawn]:
    number = st.integers
    return st.builds(
        Drawn, st.sampled_from(verbs), number(0, 8), number(0, 5), number(0, 7), number(0, 3)
    )


_OFFERED = [verb for verb, (weight, _) in VERBS.items() for _ in range(weight)]
_ALONE = [*_OFFERED, *(verb for verb, weight in OF_THE_RUN.items() for _ in range(weight))]
STEP = st.lists(_drawn(_ALONE), min_size=1, max_size=1) | st.lists(
    _drawn(_OFFERED), min_size=1, max_size=3
)
"""A call, or several that are sent together."""
STEPS = st.lists(STEP, min_size=25, max_size=60)
