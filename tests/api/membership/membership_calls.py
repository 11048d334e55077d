"""Random calls about memberships, as requests, and their answers."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.api.membership.membership_model import BANS, LISTS, Call, Model, Outcomes
from tests.api.membership.membership_state import APP, SYSTEM, Actor, Row
from tests.wire import Answer
from tests.world import Json

UIDS = ("anna", "ben", "cleo", "dora", "emil")
GUIDS = ("tea", "jazz", "chess")
NOBODY, NOWHERE = "nobody", "nowhere"
PASSWORDS = ("open", "shut")
MOST_MEMBERS, MOST_GROUPS = 3, 2

Step = Sequence[Call]
"""Calls that are sent together."""
Verbs = Mapping[str, tuple[int, str]]
"""The weight of each verb in the drawing, and the arguments of its call."""

# Drawing ----------------------------------------------------------------------------------------

FIRST: Verbs = {"create_group": (8, "guid type password owner lists")}
CHANGES: Verbs = {
    **FIRST,
    "create_user": (6, "uid"),
    "delete_user": (4, "uid permanent"),
    "deactivate_users": (2, "uids"),
    "reactivate_users": (4, "uids"),
    "delete_group": (2, "guid"),
    "join": (10, "guid password"),
    "add": (10, "guid lists"),
    "remove": (9, "guid uid"),
    "ban": (7, "guid uid"),
    "unban": (5, "guid uid"),
    "rescope": (9, "guid uid scope"),
    "hand_over": (7, "guid heir"),
    "say": (3, "guid"),
}
LOOKS: Verbs = {
    "get_group": (1, "guid"),
    "list_groups": (1, "only_joined"),
    "list_members": (1, "guid"),
    "list_bans": (1, "guid"),
    "list_messages": (1, "guid"),
}
OF_THE_RUN: Verbs = {"pause": (5, "seconds"), "erase": (3, ""), "compare": (3, "")}
"""Steps besides calls: time passes, erasures run, everything is compared."""
NAMES = {"heir": "owner"}
"""Arguments that are drawn under another name."""
MOST_TRIES = 6


class Drawing:
    """Draws calls, more than half of which are likely to succeed."""

    def __init__(self, chance: random.Random, guids: Sequence[str] = GUIDS) -> None:
        self._chance = chance
        self._guids = guids
        self._expected = Model(MOST_MEMBERS, MOST_GROUPS)

    def beginning(self) -> list[Step]:
        """Return the first steps: they create all users, and some groups."""
        users = [Call("create_user", args={"uid": uid}) for uid in UIDS]
        for call in users:
            self._expected.carry_out(call)
        return [users, *([self.call(FIRST)] for _ in GUIDS)]

    def call(self, verbs: Verbs) -> Call:
        """Return the first of several calls that is expected to succeed, or else the last."""
        self._expected.shown = self._expected.holders.copy()
        verb = self._chance.choices(list(verbs), [weight for weight, _ in verbs.values()])[0]
        for _ in range(self._chance.choice((1, MOST_TRIES, MOST_TRIES))):
            call = self._call(verb, verbs[verb][1].split())
            if verb in OF_THE_RUN or not self._expected.carry_out(call).code:
                break
        return call

    def _call(self, verb: str, names: Sequence[str]) -> Call:
        args = {NAMES.get(name, name): getattr(self, name)() for name in names}
        by = APP if verb in OF_THE_RUN else self.actor()
        if verb == "list_groups" and by.uid is None:
            args["only_joined"] = False  # the app does not join
        return Call(verb, by, args)

    def coming_back(self, call: Call) -> list[Step]:
        """Return calls that often follow a deletion: a new user with the uid joins and writes."""
        if call.verb != "delete_user" or self._chance.random() < 0.3:
            return []
        uid, guid = call.args["uid"], self.guid()
        calls = [
            Call("create_user", args={"uid": uid}),
            Call("join", Actor(uid), {"guid": guid, "password": self.password()}),
            Call("say", Actor(uid), {"guid": guid}),
        ]
        for call in calls:
            self._expected.carry_out(call)
        return [[call] for call in calls]

    def actor(self) -> Actor:
        if self._chance.random() < 0.35:
            return APP
        return Actor(self.uid(), by_token=self._chance.random() < 0.3)

    def uid(self) -> str:
        return self._chance.choice(UIDS) if self._chance.random() < 0.97 else NOBODY

    def uids(self) -> list[str]:
        return [self.uid() for _ in range(self._chance.randint(1, 2))]

    def guid(self) -> str:
        return self._chance.choice(self._guids) if self._chance.random() < 0.97 else NOWHERE

    def type(self) -> str:
        return self._chance.choice(("public", "private", "password"))

    def password(self) -> str | None:
        return self._chance.choice((*PASSWORDS, *PASSWORDS, None))

    def owner(self) -> str | None:
        return self._chance.choice((None, self.uid()))

    def heir(self) -> str:
        return self.uid() if self._chance.random() < 0.95 else SYSTEM

    def lists(self) -> dict[str, list[str]]:
        names = self._chance.choices((*LISTS, BANS), k=self._chance.randint(0, 3))
        return {name: self.uids() for name in names}

    def scope(self) -> str:
        return self._chance.choice(("admin", "moderator", "participant"))

    def permanent(self) -> bool:
        return self._chance.random() < 0.6

    def only_joined(self) -> bool:
        return self._chance.random() < 0.5

    def seconds(self) -> int:
        return self._chance.randint(1, 4)


def draw_one_by_one(seed: int, length: int) -> list[Step]:
    """Return single calls of all kinds."""
    drawing = Drawing(random.Random(seed))
    kinds = {**CHANGES, **LOOKS, **OF_THE_RUN}
    steps = drawing.beginning()
    for _ in range(length):
        call = drawing.call(kinds)
        steps += [[call], *drawing.coming_back(call)]
    return steps


def draw_together(seed: int, length: int) -> list[Step]:
    """Return steps of several calls, half of them about one group, some beside an erasure."""
    chance = random.Random(seed)
    drawing = Drawing(chance, guids=(*GUIDS, *[chance.choice(GUIDS)] * 3))
    steps = drawing.beginning()
    for _ in range(length):
        calls = [drawing.call(CHANGES) for _ in range(chance.randint(2, 7))]
        beside = [Call("erase")] if chance.random() < 0.3 else []
        steps += [[*calls, *beside], [drawing.call(OF_THE_RUN)]]
    return steps


# Requests ---------------------------------------------------------------------------------------


def _nothing(**_: Any) -> Json:
    return {}


REQUESTS: Mapping[str, tuple[str, str, Callable[..., Json]]] = {
    "create_user": (
        "POST",
        "/users",
        lambda uid: {"uid": uid, "name": uid.capitalize(), "withAuthToken": True},
    ),
    "delete_user": ("DELETE", "/users/{uid}", lambda uid, permanent: {"permanent": permanent}),
    "deactivate_users": ("DELETE", "/users", lambda uids: {"uidsToDeactivate": uids}),
    "reactivate_users": ("PUT", "/users", lambda uids: {"uidsToActivate": uids}),
    "list_users": ("GET", "/users", _nothing),
    "create_group": (
        "POST",
        "/groups",
        lambda lists, **given: {"name": given["guid"].capitalize(), "members": lists, **given},
    ),
    "delete_group": ("DELETE", "/groups/{guid}", _nothing),
    "hand_over": ("PUT", "/groups/{guid}", lambda guid, owner: {"owner": owner}),
    "get_group": ("GET", "/groups/{guid}", _nothing),
    "list_groups": ("GET", "/groups?hasJoined={only_joined}", _nothing),
    "join": ("POST", "/groups/{guid}/members", lambda guid, password: {"password": password}),
    "add": ("POST", "/groups/{guid}/members", lambda guid, lists: lists),
    "remove": ("DELETE", "/groups/{guid}/members/{uid}", _nothing),
    "rescope": ("PUT", "/groups/{guid}/members/{uid}", lambda scope, **_: {"scope": scope}),
    "list_members": ("GET", "/groups/{guid}/members", _nothing),
    "ban": ("POST", "/groups/{guid}/bannedusers/{uid}", _nothing),
    "unban": ("DELETE", "/groups/{guid}/bannedusers/{uid}", _nothing),
    "list_bans": ("GET", "/groups/{guid}/bannedusers", _nothing),
    "say": (
        "POST",
        "/messages",
        lambda guid: {"receiver": guid, "receiverType": "group", "data": {"text": "Hello"}},
    ),
    "list_messages": ("GET", "/groups/{guid}/messages?limit=1000", _nothing),
}


def request_of(call: Call) -> tuple[str, str, Json | None]:
    """Return method, path and body of a call, without None values; an empty body is omitted."""
    method, path, body_of = REQUESTS[call.verb]
    body = {name: value for name, value in body_of(**call.args).items() if value is not None}
    in_path = {name: str(value).lower() for name, value in call.args.items()}
    return method, path.format(**in_path), body or None


# Answers ----------------------------------------------------------------------------------------


def data_of(call: Call, answer: Answer) -> Any:
    """Return the data of an answer, in the model's form; check the total of a list."""
    if call.verb in TOTALLED:
        total = answer.meta["pagination"]["total"]
        assert total == len(answer.data), f"{call} answers {total} in all:\n{answer}"
    reader = READERS.get(call.verb)
    return reader(answer.data) if reader else None


def _fields(*names: str) -> Callable[[Json], Row]:
    return lambda row: tuple(row.get(name) for name in names)


def _rows(read: Callable[[Json], Any]) -> Callable[[Sequence[Json]], list[Any]]:
    return lambda rows: [read(row) for row in rows]


def _message(row: Json) -> Row:
    if row["category"] != "action":
        return (int(row["id"]), row["sender"], "", "", None, None)
    entities = row["data"]["entities"]
    by, on = entities["by"]["entity"], entities["on"]["entity"]
    assert (by["uid"], entities["for"]["entity"]["guid"]) == (row["sender"], row["receiver"]), row
    what = (row["data"]["action"], on["uid"], on.get("scope"), on.get("oldScope"))
    return (int(row["id"]), row["sender"], *what)


def _outcomes(data: dict[str, Json]) -> Outcomes:
    return {
        name: {uid: _outcome(outcome) for uid, outcome in outcomes.items()}
        for name, outcomes in data.items()
    }


def _outcome(outcome: Json) -> int | str | None:
    if not outcome["success"]:
        return str(outcome["error"]["code"])
    return int(outcome["data"]["id"]) if "data" in outcome else None


TOTALLED = {"list_users", "list_groups", "list_members", "list_bans"}
GROUP_FIELDS = ("guid", "type", "owner", "membersCount", "createdAt")
_group = _fields(*GROUP_FIELDS, "hasJoined", "scope", "joinedAt")
READERS: Mapping[str, Callable[[Any], Any]] = {
    "deactivate_users": lambda data: data["deactivatedUids"],
    "reactivate_users": lambda data: data["nonDeactivatedUids"],
    "list_users": _rows(lambda row: row["uid"]),
    "create_group": _group,
    "hand_over": _group,
    "get_group": _group,
    "list_groups": _rows(_group),
    "join": _outcomes,
    "add": _outcomes,
    "rescope": lambda data: data["scope"],
    "list_members": _rows(_fields("uid", "scope", "joinedAt")),
    "list_bans": _rows(_fields("uid", "scope", "joinedAt", "bannedAt")),
    "say": lambda data: int(data["id"]),
    "list_messages": _rows(_message),
}
