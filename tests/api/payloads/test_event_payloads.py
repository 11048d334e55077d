"""The data of events that no webhook is told, and of all events after random histories."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

import pytest
from hypothesis import given, settings
from tests.api.events.events_calls import STEPS, Call, Drawn
from tests.api.events.test_events_agree import FEW, Run
from tests.api.groups.clubs import HIKERS, create_group
from tests.api.interactions.forms import FILLED, card, form
from tests.api.messages.talk import say, to_group, to_user
from tests.api.payloads.rendered import list_entries, list_events
from tests.clock import ManualClock
from tests.world import CallOptions, Json, Node, World

from hubbub.domain.erasure.erase import erase_all
from hubbub.records.messages.events import MessageSent
from hubbub.rest.payloads.render import render_entries
from hubbub.storage.interface import Row, Snapshot
from hubbub.storage.queries import Query, Rows
from hubbub.storage.together import Work

PAIR: Json = {
    "conversationId": "anna_user_ben",
    "conversationType": "user",
    "uids": ["anna", "ben"],
}
OF_HIKERS: Json = {
    "conversationId": "group_hikers",
    "conversationType": "group",
    "guid": "hikers",
}
ANNA: Json = {"uid": "anna", "name": "Anna", "status": "offline", "role": "default"}
BEN: Json = {"uid": "ben", "name": "Ben", "status": "offline", "role": "default"}
SYSTEM: Json = {"uid": "app_system", "name": "System", "status": "offline", "role": "default"}
TO_ANNA, TO_BEN = "/users/anna/conversation", "/users/ben/conversation"


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben may talk, also in the group of the hikers."""
    await world.users("anna", "ben")
    await create_group(world, by="anna", members={"participants": ["ben"]})
    return world


async def data_of(node: Node, world: World, name: str) -> list[Json | None]:
    """Return the data of all events with a name, in order."""
    return [data for each, data in await list_events(node, world) if each == name]


async def test_pins_of_messages(node: Node, talk: World, clock: ManualClock) -> None:
    """A pin names the message, its conversation and who changed it; nothing of its content."""
    sent = await say(talk, "anna", to_group("hikers"))
    path = f"/messages/{sent['id']}/pin"
    await talk.post(path, as_="ben")
    await talk.delete(path)

    named = {"messageId": sent["id"], "conversationId": "group_hikers"}
    pinned = {**named, "by": BEN, "pinnedAt": clock.now()}
    assert await data_of(node, talk, "message_pinned") == [pinned]
    assert await data_of(node, talk, "message_unpinned") == [{**named, "by": SYSTEM}]
    await talk.delete(f"/messages/{sent['id']}", {"permanent": True})
    assert await data_of(node, talk, "message_pinned") == [None]


async def test_marks_of_a_conversation(node: Node, talk: World) -> None:
    """A mark has the reader's absolute values, as they were at its event."""
    first = await say(talk, "anna", to_user("ben", "One"))
    second = await say(talk, "anna", to_user("ben", "Two"))
    await talk.post(f"{TO_ANNA}/read", as_="ben")
    await talk.delete(f"{TO_ANNA}/read", {"messageId": first["id"]}, as_="ben")
    unread = await talk.get(TO_ANNA, as_="ben")
    await talk.post(f"{TO_ANNA}/read", as_="ben")
    await say(talk, "anna", to_user("ben", "Three"))

    mark = {"conversation": PAIR, "by": BEN}
    assert await data_of(node, talk, "conversation_unread") == [
        {
            **mark,
            "lastReadMessageId": first["id"],
            "unreadMessageCount": unread["unreadMessageCount"],
        }
    ]
    assert unread["unreadMessageCount"] == "1"
    assert await data_of(node, talk, "conversation_read") == [
        {**mark, "lastReadMessageId": second["id"], "unreadMessageCount": "0"}
    ]


async def test_a_reset_of_a_conversation(node: Node, talk: World) -> None:
    """A reset says who does not see the messages any more, and up to which one."""
    sent = await say(talk, "anna", to_user("ben"))
    await talk.delete(TO_ANNA, as_="ben")

    expected = {"conversation": PAIR, "by": BEN, "lastMessageId": sent["id"]}
    assert await data_of(node, talk, "conversation_reset") == [expected]


async def test_tags_and_pins_of_a_conversation(node: Node, talk: World, clock: ManualClock) -> None:
    """An update has the user's tags and pin as they are now; one of the app has the app's pin."""
    await say(talk, "anna", to_user("ben"))
    await talk.put(TO_ANNA, {"tags": ["work"]}, as_="ben")
    await talk.post(f"{TO_ANNA}/pin", as_="ben")
    await talk.put(TO_BEN, {"tags": []}, as_="anna")
    await talk.post(f"{HIKERS}/conversation/pin")

    assert await data_of(node, talk, "conversation_updated") == [
        *2 * [{"conversation": PAIR, "by": BEN, "tags": ["work"], "pinnedAt": clock.now()}],
        {"conversation": PAIR, "by": ANNA},
        {"conversation": OF_HIKERS, "by": SYSTEM, "pinnedAt": clock.now()},
    ]


@pytest.mark.parametrize("to", [to_user("ben"), to_group("hikers")], ids=["1:1", "group"])
async def test_a_deleted_conversation(node: Node, talk: World, to: Json) -> None:
    """A deletion names the conversation, which may be gone, and its last message."""
    sent = await say(talk, "anna", to)
    await talk.delete(f"/conversations/{sent['conversationId']}", as_="anna")
    await erase_all(node.runtime)

    conversation = PAIR if to["receiverType"] == "user" else OF_HIKERS
    expected = {"conversation": conversation, "by": ANNA, "lastMessageId": sent["id"]}
    assert await data_of(node, talk, "conversation_deleted") == [expected]


async def test_own_messages_deleted_together(node: Node, talk: World, clock: ManualClock) -> None:
    """Messages that a user deletes with a conversation are named by their ids."""
    sent = [await say(talk, "anna", to_user("ben", text)) for text in ("One", "Two")]
    await say(talk, "ben", to_user("anna"))
    token = await talk.token("anna")
    await talk.delete(TO_BEN, {"deleteMessagesPermanently": True}, token=token)
    await erase_all(node.runtime)

    assert await data_of(node, talk, "messages_deleted") == [
        {
            "conversation": PAIR,
            "by": ANNA,
            "messageIds": [each["id"] for each in sent],
            "deletedAt": clock.now(),
        }
    ]


async def test_interactions(node: Node, talk: World, clock: ManualClock) -> None:
    """An interaction has all elements that its user has used, and no other's."""
    goal = {"interactionGoal": {"type": "allOf", "elementIds": ["yes", "no"]}}
    sent = await say(talk, "anna", {**to_group("hikers"), **card("yes", "no", **goal)})
    path = f"/messages/{sent['id']}/interacted"
    await talk.users("carla")
    await talk.post(f"{HIKERS}/members", as_="carla")
    await talk.patch(path, {"interactions": ["no"]}, as_="carla")
    await talk.patch(path, {"interactions": ["yes"]}, as_="ben")
    await talk.patch(path, {"interactions": ["no"]}, as_="ben")

    used = [{"elementId": each, "interactedAt": clock.now()} for each in ("yes", "no")]
    named = {"messageId": sent["id"], "conversationId": "group_hikers"}
    by_ben = {**named, "by": BEN, "interactions": used}
    found = await data_of(node, talk, "message_interacted")
    assert [each and each["by"]["uid"] for each in found] == ["carla", "ben", "ben"]
    assert found[0] is not None
    assert found[0]["interactions"] == used[1:]
    assert found[1:] == [by_ben, by_ben]
    assert await data_of(node, talk, "interaction_goal_completed") == [by_ben]
    await talk.delete(f"/messages/{sent['id']}", as_="anna")
    assert await data_of(node, talk, "message_interacted") == [None, None, None]


async def test_submissions(node: Node, talk: World) -> None:
    """A submission is as the sender of the form lists it; it goes with its message or its user."""
    first, second = [
        (await say(talk, "anna", {**to_group("hikers"), **form()}))["id"] for _ in range(2)
    ]
    await talk.users("carla")
    await talk.post(f"{HIKERS}/members", as_="carla")
    for uid, message in (("ben", first), ("ben", second), ("carla", second)):
        body = {"formData": FILLED}
        await talk.post(f"/messages/{message}/submissions", body, as_=uid)

    listed = await talk.get(f"/messages/{first}/submissions", as_="anna")
    found = await data_of(node, talk, "interactive_form_submitted")
    assert found[0] == {"conversationId": "group_hikers", "by": BEN, "submission": listed[0]}
    assert listed[0]["formData"] == FILLED
    await talk.delete(f"/messages/{first}", {"permanent": True}, as_="anna")
    await talk.delete("/users/carla", {"permanent": True})
    assert [each is None for each in await data_of(node, talk, "interactive_form_submitted")] == [
        True,
        False,
        True,
    ]


# Work -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Counted:
    """A snapshot that counts its queries."""

    inner: Snapshot
    queries: list[str] = dataclass_field(default_factory=list)
    record_cache: None = None

    @property
    def app_id(self) -> str:
        return self.inner.app_id

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        self.queries.append(query.name)
        return await self.inner.fetch(query, **args)

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        self.queries.append(query.name)
        return await self.inner.fetch_one(query, **args)

    async def gather(self, *work: Work) -> list[Any]:
        return [await each for each in work]

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        self.queries += [query.name] if rows else []
        return await self.inner.fetch_many(query, rows)


async def test_a_batch_of_messages_takes_few_queries(node: Node, talk: World) -> None:
    """A batch of usual messages takes a query for each table that is read, however long it is."""
    for _ in range(5):
        await say(talk, "anna", to_group("hikers"))
        await say(talk, "anna", to_user("ben"))

    async def render(snapshot: Snapshot) -> list[str]:
        counted = Counted(snapshot)
        found = await render_entries(node.runtime, counted, entries)  # type: ignore[arg-type]
        assert None not in found
        return counted.queries

    entries = await list_entries(node, talk, kinds=[MessageSent])
    queries = await node.runtime.database.read(talk.app_id, render)
    expected = ["find_groups", "find_in_conversations", "find_users", "list_covering"]
    assert sorted(queries) == expected
    assert len(entries) == 10


# Random histories -------------------------------------------------------------------------------

TEXT: Json = {"text": "Hello"}
MARKER = re.compile(r"marker-[0-9]+-")


def is_readable(message: Json) -> bool:
    """Return whether users read a text in a message, which the app finds even if it is deleted."""
    return message["category"] == "message" and "deletedAt" not in message


@dataclass(slots=True)
class MarkedRun(Run):
    """A run in which each text that is sent or edited has a marker of its own."""

    markers: list[str] = dataclass_field(default_factory=list)

    async def begin(self) -> None:
        """Begin as any run, and give the first messages markers."""
        await Run.begin(self)
        for each in await self.world.get("/messages?limit=1000"):
            if each["category"] == "message":
                edit = Call(
                    "edit", each["sender"], "PUT", f"/messages/{each['id']}", {"data": TEXT}
                )
                assert await self._ask(edit) == ""
        await self.listen()

    async def delete_some(self) -> None:
        """Delete every third readable message, every second of these permanently."""
        found = await self.world.get("/messages?limit=1000")
        for index, each in enumerate([each for each in found if is_readable(each)][::3]):
            await self.world.delete(f"/messages/{each['id']}", {"permanent": bool(index % 2)})

    async def _ask(self, call: Call) -> str:
        if call.body and "text" in call.body.get("data", {}):
            self.markers.append(f"marker-{len(self.markers)}-")
            text = f"{self.markers[-1]} {call.body['data']['text']}"
            body = {**call.body, "data": {**call.body["data"], "text": text}}
            who = CallOptions(as_=None if call.by == "app_system" else call.by)
            answer = await self.world.ask(call.method, call.path, body, **who)
            return "" if answer.status == 200 else str(answer.error["code"])
        return await Run._ask(self, call)


async def check_rendered(run: MarkedRun) -> None:
    """Check the data of all events against what the interface shows now."""
    stored: list[Json] = await run.world.get("/messages?limit=1000")
    left = {each["id"]: each for each in stored}
    readable = [each for each in stored if is_readable(each)]
    found = await list_events(run.node, run.world)
    for (name, data), logged in zip(found, await run.log(0), strict=True):
        assert name == logged[2]
        if name == "message_sent":
            message: Any = data and data["message"]
            assert data is None or left[message["id"]]["sentAt"] == message["sentAt"]
    assert {data["message"]["id"] for name, data in found if name == "message_sent" and data} == {
        id_ for id_, each in left.items() if each["category"] != "action"
    }
    seen = set(MARKER.findall(str(found)))
    assert seen <= set(MARKER.findall(str(readable)))
    assert set(run.markers) - seen, "need deleted messages for this to mean anything"


@given(steps=STEPS)
@settings(FEW, max_examples=12)
async def test_histories_are_rendered(node: Node, steps: Sequence[Sequence[Drawn]]) -> None:
    """All events of any history conform to the document, and show no deleted content.

    `message_sent` has data as long as its message can be found.
    """
    run = MarkedRun(node, await node.world())
    await run.begin()
    for step in steps:
        await run.take(step)
    await run.delete_some()
    await erase_all(node.runtime)

    await check_rendered(run)
