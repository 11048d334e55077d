"""State and events agree: applying the events leads to the state that a fresh fetch returns."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.api.events.events_calls import STEPS, VERBS, Call, Drawn, call_of
from tests.api.events.events_copy import Copy, EventView
from tests.api.events.events_view import GUIDS, UIDS, content_of, differences, fetch, group_of
from tests.api.messages.talk import import_past, past, to_group, to_user
from tests.clock import ManualClock
from tests.eventlog import list_logged
from tests.world import CallOptions, Json, Node, World

from hubbub.domain.erasure.erase import erase_all
from hubbub.storage.interface import Row, Snapshot

ERASING = ("end", "disband", "wipe")
"""Verbs that request erasures, which the test carries out at once."""
OWN = (
    "conversation_read",
    "conversation_reset",
    "conversation_unread",
    "user_blocked",
    "user_unblocked",
)
"""Events that only a user's own sessions receive."""
INTERNAL = ("messages_imported",)
"""Events that no client receives."""
PAUSES = (1, 2, 7, 60)
FEW = settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
MANY = settings(FEW, max_examples=300)


# Listening --------------------------------------------------------------------------------------


class Disagreement(AssertionError):
    """State and events do not agree."""


@dataclass(slots=True)
class Run:
    """An app, and the copy of a listener."""

    node: Node
    world: World
    copy: Copy = field(default_factory=Copy)
    heard: int = 0
    """The number of the latest event that was read."""
    calls_made: list[str] = field(default_factory=list)
    """The calls that were made, and their outcomes."""
    sessions_of: str = ""
    """The uid whose sessions listen; without one, the app's, which receive everything."""

    async def begin(self) -> None:
        """Create all users and two groups, and send messages."""
        await self.world.users(*UIDS)
        members = {"moderators": ["ben"], "participants": ["cleo"]}
        for guid, by in zip(GUIDS, ("anna", None), strict=True):
            body = {"guid": guid, "name": guid, "type": "public", "members": members}
            await self.world.post("/groups", body, as_=by)
        for sender, receiver in (("anna", "ben"), ("ben", "anna"), ("cleo", "dora")):
            await self.world.post("/messages", to_user(receiver), as_=sender)
        for sender, guid in zip(("ben", "cleo"), GUIDS, strict=True):
            await self.world.post("/messages", to_group(guid), as_=sender)
        await self.listen()

    async def take(self, step: Sequence[Drawn]) -> None:
        """Make the calls of a step together, or run a step besides calls."""
        if step[0].verb == "pause":
            self.node.clock.advance(PAUSES[step[0].kind])
        elif step[0].verb == "listen":
            await self.listen()
        else:
            await self.send([call_of(self.copy, drawn) for drawn in step])

    async def send(self, calls: Sequence[Call]) -> None:
        """Make calls together."""
        answers = await asyncio.gather(*map(self._ask, calls))
        for call, code in zip(calls, answers, strict=True):
            self.calls_made.append(f"{call.by}: {call.method} {call.path} {call.body or ''} {code}")
        done = [call for call, code in zip(calls, answers, strict=True) if not code]
        if any(call.verb in ERASING for call in done):
            await erase_all(self.node.runtime)
        if any(call.marks for call in done):
            await self.listen()
            self._note_marks(done)

    async def make(self, by: str, method: str, path: str, body: Json | None = None) -> None:
        """Make a call that succeeds, and carry out the erasures that it requests."""
        await self.world.call(method, path, body, as_=None if by == "app" else by)
        await erase_all(self.node.runtime)

    async def _ask(self, call: Call) -> str:
        """Return the error code of a call's answer; empty if it succeeds."""
        who = CallOptions(as_=None if call.by == "app_system" else call.by)
        if call.is_by_token:
            who = CallOptions(token=await self.world.token(call.by))
        answer = await self.world.ask(call.method, call.path, call.body, **who)
        return "" if answer.status == 200 else str(answer.error["code"])

    def _note_marks(self, calls: Sequence[Call]) -> None:
        """Apply the counts that marks were answered with: in groups no event includes them."""
        for call in calls:
            talk = self.copy.talk_of(*call.marks) if call.marks else None
            seat = talk.seats.get(call.by) if talk else None
            if talk and talk.group and seat and call.verb == "read":
                seat.is_counted = False

    async def listen(self) -> None:
        """Read the log from the last position, and apply its events."""
        for number, _, name, _, body in await self.log(self.heard):
            assert number == self.heard + 1, f"event {number} comes after {self.heard}"
            self.heard = number
            fields = json.loads(body)
            if self._is_announced(name, fields):
                self.copy.apply(await self._look_up(name, fields))

    def _is_announced(self, name: str, fields: Json) -> bool:
        is_of_another = name in OWN and self.sessions_of not in ("", fields["uid"])
        return name not in INTERNAL and not is_of_another

    async def log(self, after: int) -> list[Row]:
        """Return the log after a number."""

        async def within(snapshot: Snapshot) -> list[Row]:
            return [*await list_logged(snapshot, after)]

        return await self.node.runtime.database.read(self.world.app_id, within)

    async def _look_up(self, name: str, fields: Json) -> EventView:
        """Return an event with the current state of the new or changed objects that it names."""
        ids, group = [], None
        if "message" in fields and "reaction" not in name and "pinned" not in name:
            ids = [fields["message"], *([fields["on"]] if name == "message_edited" else [])]
        contents = {id_: await self._found(f"/messages/{id_}", content_of) for id_ in ids}
        if name in ("group_created", "group_updated"):
            group = await self._found(f"/groups/{fields['guid']}", group_of)
        return EventView(name, fields, contents, group)

    async def _found(self, path: str, read: Callable[[Json], Json]) -> Json:
        answer = await self.world.ask("GET", path)
        return read(answer.data) if answer.status == 200 else {}

    async def agree(self, about: str = "") -> None:
        """Compare the copy with the state, or only what is shown under a name."""
        await self.listen()
        found = differences(await fetch(self.world), self.copy)
        found = [line for line in found if line.startswith(about)]
        if found:
            raise Disagreement("\n".join([*self.calls_made, "", *found]))


async def run_on(node: Node) -> Run:
    """Return a run on a fresh app with all users."""
    run = Run(node, await node.world())
    await run.begin()
    return run


async def check(node: Node, steps: Sequence[Sequence[Drawn]]) -> None:
    """Run steps, and compare the copy with the state in the end."""
    run = await run_on(node)
    for step in steps:
        await run.take(step)
    await run.agree()


# Random sequences -------------------------------------------------------------------------------


@given(steps=STEPS)
@FEW
async def test_state_and_events_agree(node: Node, steps: list[list[Drawn]]) -> None:
    """After any calls, applying the events leads to the state that a fresh fetch returns."""
    await check(node, steps)


@pytest.mark.campaign
@given(steps=STEPS)
@MANY
async def test_state_and_events_agree_for_long(node: Node, steps: list[list[Drawn]]) -> None:
    """For a large number of sequences, a fresh fetch finds only what events announced."""
    await check(node, steps)


MESSAGE = "/messages/1"
TO_BEN, TO_ANNA = "/users/ben/conversation", "/users/anna/conversation"
MEMBERS, BANS, OWNER = "/groups/tea/members", "/groups/tea/bannedusers", "group_owner_transferred"
BY_ALL = ("message_delivery_receipt", "message_read_receipt")
STORY: list[tuple[str, str, str, Json | None, list[str]]] = [
    ("anna", "POST", "/messages", to_user("ben", "Hi <@uid:ben>", muid="m"), ["message_sent"]),
    ("anna", "POST", "/messages", to_user("ben", "Hi again", muid="m"), []),
    ("ben", "POST", f"{MESSAGE}/reactions/a", None, ["message_reaction_added"]),
    ("ben", "POST", f"{MESSAGE}/reactions/b", None, ["message_reaction_added"]),
    ("ben", "DELETE", f"{MESSAGE}/reactions/a", None, ["message_reaction_removed"]),
    ("ben", "POST", f"{MESSAGE}/pin", None, ["message_pinned"]),
    ("app", "DELETE", f"{MESSAGE}/pin", None, ["message_unpinned"]),
    ("ben", "POST", f"{MESSAGE}/thread", {"data": {"text": "A reply"}}, ["message_sent"]),
    ("anna", "PUT", MESSAGE, {"data": {"text": "Hello"}, "tags": ["fun"]}, ["message_edited"]),
    ("ben", "POST", f"{TO_ANNA}/delivered", {"messageId": 1}, ["message_delivery_receipt"]),
    ("anna", "POST", "/messages", to_user("ben"), ["message_sent"]),
    (
        "ben",
        "POST",
        f"{TO_ANNA}/read",
        None,
        ["message_read_receipt", "message_delivery_receipt"],
    ),
    ("ben", "DELETE", f"{TO_ANNA}/read", {"messageId": 1}, ["conversation_unread"]),
    ("ben", "POST", f"{TO_ANNA}/read", None, ["conversation_read"]),
    ("anna", "DELETE", MESSAGE, None, ["message_deleted"]),
    ("app", "DELETE", MESSAGE, {"permanent": True}, ["message_deleted"]),
    ("anna", "DELETE", TO_BEN, None, ["conversation_reset"]),
    ("ben", "POST", "/messages", to_user("anna"), ["message_sent"]),
    ("anna", "DELETE", TO_BEN, {"deleteMessagesPermanently": True}, ["conversation_deleted"]),
    ("ben", "POST", "/messages", to_user("anna"), ["message_sent"]),
    ("ben", "DELETE", "/conversations/anna_user_ben", None, ["conversation_deleted"]),
    ("ben", "POST", "/messages", to_user("anna"), ["message_sent"]),
    ("anna", "POST", "/users/anna/blockedusers", {"blockedUids": ["dora"]}, ["user_blocked"]),
    ("anna", "DELETE", "/users/anna/blockedusers", {"blockedUids": ["dora"]}, ["user_unblocked"]),
    (
        "anna",
        "POST",
        "/groups",
        {
            "guid": "tea",
            "name": "Tea",
            "type": "public",
            "members": {"moderators": ["ben"], "usersToBan": ["dora"]},
        },
        ["group_created", "group_member_added", "group_member_banned"],
    ),
    ("anna", "PUT", "/groups/tea", {"name": "Green tea", "type": "private"}, ["group_updated"]),
    ("anna", "POST", "/messages", to_group("tea", "<@all>"), ["message_sent"]),
    ("ben", "DELETE", f"{BANS}/dora", None, ["group_member_unbanned"]),
    ("anna", "PUT", "/groups/tea", {"type": "public"}, ["group_updated"]),
    ("dora", "POST", MEMBERS, None, ["group_member_joined"]),
    ("anna", "PUT", f"{MEMBERS}/dora", {"scope": "admin"}, ["group_member_scope_changed"]),
    ("app", "PUT", "/groups/tea", {"owner": "cleo"}, ["group_member_added", OWNER]),
    ("app", "PUT", "/groups/tea", {"owner": "ben"}, ["group_member_scope_changed", OWNER]),
    ("ben", "DELETE", f"{MEMBERS}/cleo", None, ["group_member_kicked"]),
    ("ben", "DELETE", f"{MEMBERS}/ben", None, ["group_member_left", *BY_ALL, OWNER]),
    ("anna", "POST", f"{BANS}/dora", None, ["group_member_banned"]),
    ("anna", "DELETE", "/conversations/group_tea", None, ["conversation_deleted"]),
    ("anna", "POST", "/messages", to_group("tea", "Anew"), ["message_sent"]),
    ("app", "DELETE", "/groups/tea", None, ["group_deleted"]),
]
"""Calls, and the events that announce them."""


async def test_a_story_is_announced(node: Node, world: World, clock: ManualClock) -> None:
    """Each change is announced by its events; after each, the copy is up to date."""
    await world.users(*UIDS)
    run = Run(node, world)
    for by, method, path, body, names in STORY:
        before = run.heard
        clock.advance()
        await run.make(by, method, path, body)
        log = await run.log(after=before)

        assert [row[2] for row in log] == names, f"{by}: {method} {path}"
        await run.agree()


def test_each_verb_makes_a_call() -> None:
    """With any numbers, each verb makes a call, even in an empty app."""
    for verb in VERBS:
        for number in range(4):
            call = call_of(Copy(), Drawn(verb, number, number, number, number))
            assert call.verb == verb
            assert call.path.startswith("/")


# Single cases -----------------------------------------------------------------------------------


@pytest.fixture
async def quiet(node: Node, world: World) -> Run:
    """An app with its users and a listener, without any messages."""
    await world.users(*UIDS)
    return Run(node, world)


async def tea(run: Run, **fields: Any) -> None:
    """Create a group of Anna with Ben and Cleo."""
    members = {"participants": ["ben", "cleo"]}
    body = {"guid": "tea", "name": "Tea", "type": "public", "members": members, **fields}
    await run.make("app" if fields else "anna", "POST", "/groups", body)


async def test_read_by_all_waits_for_the_last_reader(quiet: Run) -> None:
    """Anna's message is not announced as read by all before Ben has read it."""
    await tea(quiet)
    await quiet.make("anna", "POST", "/messages", to_group("tea"))
    await quiet.make("ben", "POST", "/messages", to_group("tea"))
    for uid in ("anna", "cleo"):
        await quiet.make(uid, "POST", "/groups/tea/conversation/read")

    await quiet.agree("app_system: messages")


@pytest.mark.parametrize(
    ("by", "method", "path"),
    [
        ("cleo", "DELETE", f"{MEMBERS}/cleo"),
        ("anna", "DELETE", f"{MEMBERS}/cleo"),
        ("anna", "POST", f"{BANS}/cleo"),
    ],
    ids=["leaves", "is kicked", "is banned"],
)
async def test_the_last_unread_member_leaves(quiet: Run, by: str, method: str, path: str) -> None:
    """When the last member who had not read a message leaves, it is announced as read by all."""
    await tea(quiet)
    await quiet.make("anna", "POST", "/messages", to_group("tea"))
    await quiet.make("ben", "POST", "/groups/tea/conversation/read")
    await quiet.make(by, method, path)

    await quiet.agree("app_system: messages")


async def test_messages_of_the_only_member_are_not_read(quiet: Run) -> None:
    """Messages of a group's only member are not announced as read; those of the app are."""
    await quiet.make("anna", "POST", "/groups", {"guid": "tea", "name": "Tea", "type": "public"})
    for by in ("anna", "app"):
        await quiet.make(by, "POST", "/messages", to_group("tea"))
    await quiet.make("anna", "POST", "/groups/tea/conversation/read")

    await quiet.agree("app_system: messages")


async def test_reading_again_is_announced(quiet: Run) -> None:
    """After marking as unread and reading again, all sessions show nothing unread."""
    await quiet.make("anna", "POST", "/messages", to_user("ben"))
    for method in ("POST", "DELETE", "POST"):
        await quiet.make("ben", method, f"{TO_ANNA}/read")

    await quiet.agree()


async def test_deleting_all_messages_is_announced(quiet: Run) -> None:
    """Messages deleted for both with a conversation are announced as deleted for both."""
    await quiet.make("anna", "POST", "/messages", to_user("ben"))
    await quiet.make("anna", "DELETE", TO_BEN, {"deleteMessagesPermanently": True})
    await erase_all(quiet.node.runtime)

    await quiet.agree()


async def test_deleting_own_messages_is_announced(quiet: Run) -> None:
    """A user's own messages deleted with a conversation are announced as deleted for both."""
    await quiet.make("anna", "POST", "/messages", to_user("ben"))
    token = await quiet.world.token("anna")
    await quiet.world.delete(TO_BEN, {"deleteMessagesPermanently": True}, token=token)
    await erase_all(quiet.node.runtime)

    await quiet.agree()


async def test_the_first_owner_is_a_member(quiet: Run) -> None:
    """The first owner is still a member in the copy of a later listener."""
    await tea(quiet, owner="anna")
    await quiet.make("app", "PUT", "/groups/tea", {"owner": "ben"})

    await quiet.agree()


async def test_the_last_message_without_actions(quiet: Run) -> None:
    """Where actions in groups move no conversation, the copy shows none of them as the last."""
    settings_ = {"core.conversations.updateOnGroupActions": False}
    await quiet.world.put("/settings", {"settings": settings_})
    await tea(quiet)

    await quiet.agree()


async def test_the_time_of_joining(quiet: Run, clock: ManualClock) -> None:
    """A membership begins at the event's time, even if an import brought later messages."""
    await tea(quiet)
    await import_past(quiet.world, n=past("anna", to_group("tea"), clock.now() + 200))
    await quiet.make("dora", "POST", MEMBERS)

    await quiet.agree("members of tea")


async def test_a_receipt_is_for_what_was_read(quiet: Run) -> None:
    """A deleted unread message does not look read after its receiver read later ones."""
    quiet.sessions_of = "anna"
    await quiet.make("anna", "POST", "/messages", to_user("ben"))
    await quiet.make("ben", "DELETE", TO_ANNA)
    await quiet.make("anna", "POST", "/messages", to_user("ben"))
    await quiet.make("ben", "POST", f"{TO_ANNA}/read")

    await quiet.agree("anna: messages")
