"""What nodes cache for sends is current: after every change the next send obeys it.

Two nodes share a store. Both have sent before, so both cache the people, groups and conversations.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.api.messages.talk import to_group, to_user
from tests.wire import InProcess
from tests.world import Json, Node, World

from hubbub.bootstrap import open_runtime
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime
from hubbub.storage.record_cache import RecordCaches

TO_BEN, TO_HIKERS = to_user("ben"), to_group("hikers")
FEW = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@dataclass(frozen=True, slots=True)
class Change:
    """A call that makes Anna's next send fail with a code, and the call that undoes it."""

    call: tuple[str, str, Json | None]
    code: str
    undo: tuple[str, str, Json | None]
    send: Json = field(default_factory=lambda: TO_BEN)
    as_: str | None = None


GONE = "ERR_UID_NOT_FOUND"
ACTIVE: tuple[str, str, Json] = ("PUT", "/users", {"uidsToActivate": ["anna", "ben"]})
CHANGES = {
    "she is blocked": Change(
        ("POST", "/users/ben/blockedusers", {"blockedUids": ["anna"]}),
        "ERR_BLOCKED_SENDER",
        ("DELETE", "/users/ben/blockedusers", {"blockedUids": ["anna"]}),
    ),
    "she blocks": Change(
        ("POST", "/users/anna/blockedusers", {"blockedUids": ["ben"]}),
        "ERR_BLOCKED_RECEIVER",
        ("DELETE", "/users/anna/blockedusers", {"blockedUids": ["ben"]}),
    ),
    "the receiver is deactivated": Change(
        ("DELETE", "/users", {"uidsToDeactivate": ["ben"]}), GONE, ACTIVE
    ),
    "she is deactivated": Change(
        ("DELETE", "/users", {"uidsToDeactivate": ["anna"]}), GONE, ACTIVE
    ),
    "the receiver is deleted": Change(
        ("DELETE", "/users/ben", {"permanent": True}),
        GONE,
        ("POST", "/users", {"uid": "ben", "name": "Ben"}),
    ),
    "she gets a role": Change(
        ("PUT", "/users/anna", {"role": "mute"}),
        "ERR_PERMISSION_DENIED",
        ("PUT", "/users/anna", {"role": "default"}),
    ),
    "the permissions of her role change": Change(
        ("PUT", "/roles/default/permissions", {"permissions": {"sendMessage": "deny"}}),
        "ERR_PERMISSION_DENIED",
        ("PUT", "/roles/default/permissions", {"permissions": {"sendMessage": "allow"}}),
    ),
    "only friends may be written to": Change(
        ("PUT", "/roles/default", {"settings": {"sendMessagesTo": "friendsOnly"}}),
        "ERR_PERMISSION_DENIED",
        ("POST", "/users/anna/friends", {"accepted": ["ben"]}),
    ),
    "she is kicked": Change(
        ("DELETE", "/groups/hikers/members/anna", None),
        "ERR_GROUP_NOT_JOINED",
        ("POST", "/groups/hikers/members", {"participants": ["anna"]}),
        TO_HIKERS,
    ),
    "she leaves": Change(
        ("DELETE", "/groups/hikers/members/anna", None),
        "ERR_GROUP_NOT_JOINED",
        ("POST", "/groups/hikers/members", {"participants": ["anna"]}),
        TO_HIKERS,
        as_="anna",
    ),
    "she is banned": Change(
        ("POST", "/groups/hikers/bannedusers/anna", None),
        "ERR_BANNED_GROUPMEMBER",
        ("POST", "/groups/hikers/members", {"participants": ["anna"]}),
        TO_HIKERS,
    ),
    "the group is deleted": Change(
        ("DELETE", "/groups/hikers", None),
        "ERR_GUID_NOT_FOUND",
        ("POST", "/groups", {"guid": "hikers", "name": "Hikers", "type": "public"}),
        TO_HIKERS,
    ),
}


class NothingCached(RecordCaches):
    """The caches of a node that looks up everything."""

    def open(self, app_id: str, counters: Any) -> None:
        return None


@pytest.fixture
async def other(node: Node, world: World) -> AsyncIterator[World]:
    """The same app on another node of the same store."""
    async with open_runtime(node.runtime.settings, node.clock) as runtime:
        yield on_node(world, runtime)


def on_node(world: World, runtime: Runtime) -> World:
    """Return the world of an app on another node."""
    sender = InProcess(make_app(runtime, OPERATIONS))
    return World(sender, world.app_id, world.key, world.auth_key)


async def populate(world: World) -> None:
    """Create Anna and Ben, a group of both, and a role that may send nothing."""
    await world.users("anna", "ben", "olga")
    await world.post("/roles", {"role": "mute", "name": "Mute"})
    await world.put("/roles/mute/permissions", {"permissions": {"sendMessage": "deny"}})
    await world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})
    await world.post("/groups/hikers/members", {"participants": ["anna", "ben"]})


async def send_on(*worlds: World) -> None:
    """Send to Ben and to the hikers on each node, so that it keeps what such sends ask for."""
    for each in worlds:
        for body in (TO_BEN, TO_HIKERS):
            await each.post("/messages", body, as_="anna")


@pytest.mark.parametrize("where", ["here", "on another node"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_the_next_send_obeys(world: World, other: World, change: Change, where: str) -> None:
    """A change takes effect on the next send of both nodes, and so does the next change."""
    await populate(world)
    await send_on(world, other)
    changing = world if where == "here" else other

    await changing.call(*change.call, as_=change.as_)
    for each in (world, other):
        answer = await each.ask("POST", "/messages", change.send, as_="anna")
        assert (answer.status != 200, answer.json.get("error", {}).get("code")) == (
            True,
            change.code,
        )
    if change.code == "ERR_BANNED_GROUPMEMBER":
        await changing.call("DELETE", "/groups/hikers/bannedusers/anna")
    await changing.call(*change.undo)
    if change.call[1] == "/groups/hikers":
        await changing.post("/groups/hikers/members", {"participants": ["anna", "ben"]})
    for each in (world, other):
        assert (await each.ask("POST", "/messages", change.send, as_="anna")).status == 200


@pytest.mark.parametrize("where", ["here", "on another node"])
async def test_answers_show_the_present(world: World, other: World, where: str) -> None:
    """Users and groups are shown as they are now, with every name that was changed."""
    await populate(world)
    await send_on(world, other)
    changing = world if where == "here" else other

    await changing.put("/users/anna", {"name": "Anne"})
    await changing.put("/users/ben", {"name": "Benno"})
    await changing.put("/groups/hikers", {"name": "Climbers"})

    for each in (world, other):
        to_ben = await each.post("/messages", TO_BEN, as_="anna")
        to_hikers = await each.post("/messages", TO_HIKERS, as_="anna")
        assert names(to_ben) == ("Anne", "Benno")
        assert names(to_hikers) == ("Anne", "Climbers")


def names(message: Json) -> tuple[str, str]:
    """Return the names of the sender and the receiver in an answer."""
    entities = message["data"]["entities"]
    return entities["sender"]["entity"]["name"], entities["receiver"]["entity"]["name"]


async def test_a_revoked_token_sends_nothing(world: World, other: World) -> None:
    """A token that was deleted on one node is refused by the next send on each."""
    await populate(world)
    token = await world.token("anna")
    for each in (world, other):
        await each.post("/messages", TO_BEN, token=token)

    await world.delete(f"/users/anna/auth_tokens/{token}")

    for each in (world, other):
        answer = await each.ask("POST", "/messages", TO_BEN, token=token)
        assert (answer.status, answer.error["code"]) == (401, "AUTH_ERR_AUTH_TOKEN_NOT_FOUND")


async def test_nodes_take_turns_in_a_conversation(world: World, other: World) -> None:
    """Messages of two nodes in one conversation have consecutive ids and are all counted."""
    await populate(world)
    sent = [
        await each.post("/messages", {**TO_BEN, "data": {"text": f"{number}"}}, as_="anna")
        for number in range(5)
        for each in (world, other, other)
    ]

    ids = [int(each["id"]) for each in sent]
    assert ids == [*range(ids[0], ids[0] + 15)]
    conversation = await world.get("/users/anna/conversation", as_="ben")
    assert conversation["unreadMessageCount"] == "15"
    assert conversation["lastMessage"]["id"] == str(ids[-1])


# Decisions with and without the memory ------------------------------------------------------------

PEOPLE = ("anna", "ben", "olga")
VERBS: dict[str, Callable[[str, str], tuple[str, str, Json | None]]] = {
    "block": lambda one, two: ("POST", f"/users/{one}/blockedusers", {"blockedUids": [two]}),
    "unblock": lambda one, two: ("DELETE", f"/users/{one}/blockedusers", {"blockedUids": [two]}),
    "befriend": lambda one, two: ("POST", f"/users/{one}/friends", {"accepted": [two]}),
    "unfriend": lambda one, two: ("DELETE", f"/users/{one}/friends", {"friends": [two]}),
    "deactivate": lambda one, _: ("DELETE", "/users", {"uidsToDeactivate": [one]}),
    "activate": lambda one, _: ("PUT", "/users", {"uidsToActivate": [one]}),
    "rename": lambda one, two: ("PUT", f"/users/{one}", {"name": f"{one} of {two}"}),
    "mute": lambda one, _: ("PUT", f"/users/{one}", {"role": "mute"}),
    "unmute": lambda one, _: ("PUT", f"/users/{one}", {"role": "default"}),
    "kick": lambda one, _: ("DELETE", f"/groups/hikers/members/{one}", None),
    "add": lambda one, _: ("POST", "/groups/hikers/members", {"participants": [one]}),
    "ban": lambda one, _: ("POST", f"/groups/hikers/bannedusers/{one}", None),
    "unban": lambda one, _: ("DELETE", f"/groups/hikers/bannedusers/{one}", None),
    "friends only": lambda *_: (
        "PUT",
        "/roles/default",
        {"settings": {"sendMessagesTo": "friendsOnly"}},
    ),
    "everybody": lambda *_: ("PUT", "/roles/default", {"settings": {"sendMessagesTo": "all"}}),
    "send": lambda _, two: ("POST", "/messages", to_user(two)),
    "send to the group": lambda *_: ("POST", "/messages", TO_HIKERS),
}
STEPS = st.lists(
    st.tuples(
        st.sampled_from(sorted(VERBS)),
        st.sampled_from(PEOPLE),
        st.sampled_from(PEOPLE),
        st.booleans(),
    ),
    max_size=25,
)


@given(steps=STEPS)
@FEW
async def test_the_cache_decides_nothing(
    node: Node, steps: list[tuple[str, str, str, bool]]
) -> None:
    """After any calls on two nodes a send has the outcome that it has without a cache."""
    world = await node.world()
    await populate(world)
    with pytest.MonkeyPatch.context() as patched:
        for engine in ("sqlite.writer", "postgres.database"):
            patched.setattr(f"hubbub.storage.{engine}.RecordCaches", NothingCached)
        async with open_runtime(node.runtime.settings, node.clock) as runtime:
            forgetful = on_node(world, runtime)
            for verb, one, two, is_here in steps:
                method, path, body = VERBS[verb](one, two)
                as_ = one if path == "/messages" else None
                await (world if is_here else forgetful).ask(method, path, body, as_=as_)
                for receiver in (to_user(two), TO_HIKERS):
                    cached = await outcome(world, one, receiver)
                    assert cached == await outcome(forgetful, one, receiver), (verb, one, two)


async def outcome(world: World, sender: str, body: Json) -> Any:
    """Send, and return the refusal, or what the answer shows apart from its id."""
    answer = await world.ask("POST", "/messages", body, as_=sender)
    if answer.status != 200:
        return answer.error
    return {name: value for name, value in answer.data.items() if name != "id"}


async def test_the_next_send_obeys_a_setting(world: World) -> None:
    """A setting that this node has changed counts for its very next send."""
    await populate(world)
    await send_on(world, world)
    before = await world.get("/groups/hikers/conversation", as_="ben")
    await world.put("/settings", {"settings": {"limits.groupUpdateMembers": 1}})

    await world.post("/messages", TO_HIKERS, as_="anna")

    after = await world.get("/groups/hikers/conversation", as_="ben")
    assert after["unreadMessageCount"] == before["unreadMessageCount"] == "2"
