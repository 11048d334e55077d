"""Random calls about conversations."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tests.api.conversations.conversation_model import (
    MOST_PINNED,
    MOST_UPDATED,
    OLD_HISTORY,
    ON_ACTIONS_IN_THREADS,
    ON_GROUP_ACTIONS,
    ON_MESSAGE_ACTIONS,
    ON_REPLIES,
    Call,
    Model,
)
from tests.api.conversations.conversation_state import GUIDS, PRIVATE, PUBLIC, SYSTEM, UIDS

TAGS = ("work", "fun")

Step = Sequence[Call]
"""Calls that are sent together."""

SWITCHES = (ON_GROUP_ACTIONS, ON_REPLIES, ON_MESSAGE_ACTIONS, ON_ACTIONS_IN_THREADS, OLD_HISTORY)
OFFERED = {
    "say": 20,
    "say_to_many": 2,
    "reply": 5,
    "mark": 26,
    "join": 4,
    "add": 5,
    "leave": 3,
    "kick": 2,
    "ban": 2,
    "unban": 2,
    "block": 2,
    "unblock": 2,
    "reset": 4,
    "wipe": 1,
    "end": 1,
    "tag": 3,
    "pin": 4,
    "unpin": 2,
    "bring": 6,
    "set": 3,
    "edit": 3,
    "delete": 5,
}
"""The weight of each verb in the drawing."""
OF_THE_RUN = {"pause": 16, "look": 6}
"""Steps besides calls: time passes, or a user looks at everything they can see."""
MOST_TRIES = 6
FOUNDATION = (
    *(Call("create_user", args={"uid": uid}) for uid in UIDS),
    Call("create_group", args={"guid": PUBLIC, "is_private": False, "admins": [UIDS[0]]}),
    Call("create_group", args={"guid": PRIVATE, "is_private": True, "admins": []}),
)
"""The first steps of every sequence: all users, and the groups."""


class Drawing:
    """Draws calls, most of which are likely to succeed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._uids = self._chance.sample(UIDS, 3)
        """The pair of users of most calls."""
        self._guid = self._chance.choice(GUIDS)
        """The group of most calls."""
        self._expected = Model()
        self._old = 0
        for call in FOUNDATION:
            self._expected.carry_out(call)

    def beginning(self) -> list[Step]:
        """Return the first steps: they make some users members."""
        adds = [Call("add", args={"guid": guid, "uid": uid}) for guid in GUIDS for uid in UIDS[1:3]]
        for call in adds:
            self._expected.carry_out(call)
        return [[call] for call in adds]

    def step(self) -> Step:
        """Return a call, or several concurrent ones whose order does not matter."""
        kind = self._chance.random()
        if kind < 0.05:
            return self._together("say", lambda call: call.args["muid"] is None)
        if kind < 0.1:
            return self._together("mark", lambda call: call.args["kind"] != "unread")
        verbs = {**OFFERED, **OF_THE_RUN}
        (verb,) = self._chance.choices(list(verbs), list(verbs.values()))
        return [self._call(verb)]

    def _together(self, verb: str, may_be: Callable[[Call], bool]) -> Step:
        calls = [self._call(verb) for _ in range(self._chance.randint(2, 6))]
        return [call for call in calls if may_be(call)]

    def _call(self, verb: str) -> Call:
        """Return the first of several calls that is expected to succeed, or else the last."""
        for _ in range(self._chance.choice((1, MOST_TRIES, MOST_TRIES, MOST_TRIES))):
            call: Call = getattr(self, f"_draw_{verb}")()
            if verb in OF_THE_RUN or not self._refuses(call):
                break
        return call

    def _refuses(self, call: Call) -> bool:
        outcome = self._expected.carry_out(self._expected.resolve(call))
        return bool(outcome.code or (call.verb == "add" and outcome.data))

    def _chosen(self, *choices: Any) -> Any:
        return self._chance.choice(choices)

    def _is(self, share: float) -> bool:
        return self._chance.random() < share

    def _uid(self) -> str:
        return self._chance.choice(self._uids if self._is(0.85) else UIDS)

    def _any_guid(self) -> str:
        return self._guid if self._is(0.8) else self._chance.choice(GUIDS)

    def _by(self) -> str:
        return SYSTEM if self._is(0.12) else self._uid()

    def _at(self) -> str:
        if self._is(0.5):
            return self._any_guid()
        return SYSTEM if self._is(0.06) else self._uid()

    def _which(self) -> int:
        return self._chance.choice((0, 0, 1, 1, 2, 3, 4, 6, 9, 15))

    def _draw_say(self) -> Call:
        args = {
            "at": self._at(),
            "category": self._chosen("message", "message", "custom"),
            "updates": self._is(0.8),
            "muid": f"m{self._chance.randint(0, 3)}" if self._is(0.08) else None,
        }
        return Call("say", self._by(), args)

    def _draw_say_to_many(self) -> Call:
        ats = self._chance.sample((*UIDS, *GUIDS), self._chance.randint(1, 4))
        return Call("say_to_many", self._by(), {"ats": ats})

    def _draw_reply(self) -> Call:
        return Call("reply", self._uid(), {"which": self._which(), "updates": self._is(0.8)})

    def _draw_mark(self) -> Call:
        kind = self._chosen("delivered", "read", "read", "unread")
        which = None if self._is(0.3) else self._which()
        if self._is(0.05):
            which = -1 - self._which()
        return Call("mark", self._uid(), {"at": self._at(), "kind": kind, "which": which})

    def _draw_join(self) -> Call:
        return Call("join", self._uid(), {"guid": self._any_guid()})

    def _draw_leave(self) -> Call:
        return Call("leave", self._uid(), {"guid": self._any_guid()})

    def _of_member(self, verb: str) -> Call:
        return Call(verb, args={"guid": self._any_guid(), "uid": self._uid()})

    def _draw_add(self) -> Call:
        return self._of_member("add")

    def _draw_kick(self) -> Call:
        return self._of_member("kick")

    def _draw_ban(self) -> Call:
        return self._of_member("ban")

    def _draw_unban(self) -> Call:
        return self._of_member("unban")

    def _draw_block(self) -> Call:
        one, other = self._chance.sample(UIDS, 2)
        return Call("block", one, {"uid": other})

    def _draw_unblock(self) -> Call:
        return replace(self._draw_block(), verb="unblock")

    def _draw_reset(self) -> Call:
        return Call("reset", self._uid(), {"at": self._at()})

    def _draw_wipe(self) -> Call:
        return Call("wipe", self._uid(), {"at": self._at(), "by_token": self._is(0.5)})

    def _draw_end(self) -> Call:
        return Call("end", self._uid(), {"at": self._at()})

    def _draw_tag(self) -> Call:
        tags = [tag for tag in TAGS if self._is(0.5)]
        return Call("tag", self._uid(), {"at": self._at(), "tags": tags})

    def _draw_pin(self) -> Call:
        if self._is(0.2):
            return Call("pin", SYSTEM, {"at": self._any_guid()})
        return Call("pin", self._uid(), {"at": self._at()})

    def _draw_unpin(self) -> Call:
        return replace(self._draw_pin(), verb="unpin")

    def _draw_bring(self) -> Call:
        rows = {row["muid"]: row for row in (self._row() for _ in range(self._chosen(1, 1, 2, 3)))}
        return Call("bring", args={"rows": list(rows.values())})

    def _row(self) -> dict[str, Any]:
        self._old += 1
        muid = f"old{self._old}" if self._is(0.95) else "m0"
        ago = self._chosen(-5, 0, 1, 5, 50, 50, 10**6)
        past = {kind: self._chance.randint(0, 9) for kind in ("delivered", "read") if self._is(0.3)}
        at = self._at().replace(SYSTEM, "dora")
        given = {"muid": muid, "sender": self._uid(), "at": at, "ago": ago, "past": past}
        return {**given, "updates": self._is(0.85)}

    def _draw_set(self) -> Call:
        if self._is(0.4):
            return Call("set", args={"key": MOST_UPDATED, "value": self._chosen(1, 2, 3, 300)})
        if self._is(0.2):
            return Call("set", args={"key": MOST_PINNED, "value": self._chosen(1, 2, 5)})
        return Call("set", args={"key": self._chosen(*SWITCHES), "value": self._is(0.5)})

    def _draw_edit(self) -> Call:
        return Call("edit", self._by(), {"which": self._which()})

    def _draw_delete(self) -> Call:
        return Call("delete", self._by(), {"which": self._which(), "permanent": self._is(0.6)})

    def _draw_pause(self) -> Call:
        return Call("pause", args={"seconds": self._chance.choice((1, 1, 2, 7, 60))})

    def _draw_look(self) -> Call:
        return Call("look", self._by())


def draw(seed: int, length: int) -> list[Step]:
    """Return a sequence of steps."""
    drawing = Drawing(seed)
    return [*drawing.beginning(), *(drawing.step() for _ in range(length))]
