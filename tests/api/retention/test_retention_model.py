"""Random histories with removals and holds, beside a model that keeps sets of messages."""

from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.api.messages.talk import group, say, to_group, to_user
from tests.api.retention.removals import DAY, hold, keep, remove_due
from tests.world import Json, Node

UIDS = ("anna", "ben", "carla")
PATHS = {"pair": ("anna", "ben"), "club": UIDS}
"""The participants of a conversation of two, and of a group."""
HOLDS = ("", "/users/anna", "/users/ben", "/groups/club")
DAYS = 10


@dataclass(slots=True)
class Said:
    """A message."""

    id: str
    sender: str
    place: str
    at: int
    unread: set[str]


@dataclass(slots=True)
class Told:
    """All that was said, and is still there, oldest first."""

    messages: list[Said] = field(default_factory=list)
    holds: set[str] = field(default_factory=set)

    def is_held(self, said: Said) -> bool:
        if "" in self.holds or f"/users/{said.sender}" in self.holds:
            return True
        if said.place == "club":
            return "/groups/club" in self.holds
        return bool({"/users/anna", "/users/ben"} & self.holds)

    def remove(self, now: int) -> None:
        before = now - DAYS * DAY
        self.messages = [each for each in self.messages if each.at >= before or self.is_held(each)]

    def in_(self, place: str) -> list[Said]:
        return [each for each in self.messages if each.place == place]


ACTS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(UIDS[:2]), st.sampled_from(["pair", "club"])),
    st.tuples(st.just("read"), st.sampled_from(UIDS[:2]), st.sampled_from(["pair", "club"])),
    st.tuples(st.just("pass"), st.integers(1, 6), st.just("")),
    st.tuples(st.just("hold"), st.sampled_from(HOLDS), st.just("")),
    st.tuples(st.just("lift"), st.sampled_from(HOLDS), st.just("")),
)


@pytest.fixture(scope="module")
def node(lone_node: Node) -> Node:
    """Return a node whose clock may go on for years."""
    return lone_node


@settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(acts=st.lists(ACTS, min_size=10, max_size=25))
async def test_what_is_left_is_what_a_model_leaves(
    node: Node, acts: list[tuple[str, str | int, str]]
) -> None:
    """Lists, last messages and unread numbers are those of the messages that a model leaves."""
    world = await node.world()
    await world.users(*UIDS)
    await group(world, "club", *UIDS)
    await keep(world, days=DAYS)
    told = Told()
    for verb, what, place in [("say", "anna", "pair"), ("say", "anna", "club"), *acts]:
        if verb == "say":
            other = "ben" if what == "anna" else "anna"
            body = to_group("club") if place == "club" else to_user(other)
            sent = await say(world, str(what), body)
            unread = set(PATHS[place]) - {str(what)}
            told.messages.append(Said(sent["id"], str(what), place, node.clock.now(), unread))
        elif verb == "read":
            await world.post(f"{_path(place, str(what))}/conversation/read", {}, as_=str(what))
            for each in told.in_(place):
                each.unread.discard(str(what))
        elif verb == "pass":
            node.clock.advance(int(what) * DAY)
            await remove_due(node)
            told.remove(node.clock.now())
        else:
            await hold(world, str(what), is_on=verb == "hold")
            (told.holds.add if verb == "hold" else told.holds.discard)(str(what))
    node.clock.advance(3600)
    await remove_due(node)
    told.remove(node.clock.now())

    for place, uids in PATHS.items():
        for uid in uids:
            path = _path(place, uid)
            shown: Json = await world.get(f"{path}/conversation", as_=uid)
            left = told.in_(place)
            listed = await world.get(f"{path}/messages", as_=uid)
            ids = [each["id"] for each in listed if each["category"] == "message"]
            assert ids == [each.id for each in left]
            assert int(shown["unreadMessageCount"]) == sum(uid in each.unread for each in left)
            last = shown.get("lastMessage")
            assert (last["id"] if last else None) == (left[-1].id if left else None)


def _path(place: str, uid: str) -> str:
    if place == "club":
        return "/groups/club"
    return "/users/ben" if uid == "anna" else "/users/anna"
