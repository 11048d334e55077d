"""Messages that grow, as sessions hear them: the beginning, merged appends, the end."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest
from tests.api.growing.stream import append, begin, finish, shown
from tests.realtime.chat import Frame, Hall
from tests.rests import GivenRests
from tests.soon import until
from tests.world import Node, World

from hubbub.domain.growing.tell import FRAME_SECONDS
from hubbub.kernel.allowances import Allowances


def text_of(frames: Sequence[Frame], text: str = "", sequence: int = 0) -> tuple[str, int]:
    """Return the text, and its sequence, of a client that applies frames as clients should."""
    for frame in frames:
        data = frame["data"]
        if data["sequence"] > sequence:
            assert data["offset"] <= len(text), "a hole"
            text, sequence = text[: data["offset"]] + data["text"], data["sequence"]
    return text, sequence


async def told(node: Node) -> None:
    """Wait until all appends were told."""
    node.clock.advance(2 * FRAME_SECONDS)
    await until(lambda: not node.runtime.growing.untold)


async def test_who_hears_it_grow(hall: Hall, world: World, node: Node) -> None:
    """Both users hear the beginning, each append, and the end; others hear nothing."""
    async with hall.client("anna") as anna, hall.client("ben") as ben, hall.client("cora") as cora:
        message = await begin(world, "One")
        for client in (anna, ben):
            frame = await client.event("message_sent")
            assert frame["data"]["message"]["data"]["growing"] == {"sequence": 0}
        await append(world, message, ", two", 1)
        for client in (anna, ben):
            frame = await client.event("message_appended")
            assert frame["data"] == {
                "id": message["id"],
                "conversationId": message["conversationId"],
                "sequence": 1,
                "offset": 3,
                "text": ", two",
            }
            assert not {"id", "cursor"} & set(frame)
        await finish(world, message)
        for client in (anna, ben):
            ended = (await client.event("message_grown"))["data"]["message"]
            assert ended["data"]["text"] == "One, two"
            assert ended["data"]["grown"] == {"status": "done", "appends": 1}
        await hall.settle()
        assert await cora.until_pong() == []


async def test_appends_are_merged(hall: Hall, world: World, node: Node) -> None:
    """Of a message there are at most 20 frames a second; each has all since the one before."""
    async with hall.client("ben") as ben:
        message = await begin(world)
        await ben.event("message_sent")
        for sequence in range(1, 31):
            await append(world, message, f"{sequence} 🌱 ", sequence)
            node.clock.advance(FRAME_SECONDS / 3)
        await told(node)
        frames = await ben.until_pong()

        assert {frame["event"] for frame in frames} == {"message_appended"}
        assert len(frames) <= 11
        text, sequence = text_of(frames)
        assert sequence == 30
        assert text == (await shown(world, message))["text"]


async def test_messages_do_not_wait_for_each_other(hall: Hall, world: World, node: Node) -> None:
    """The frames of one message do not hold up those of another."""
    async with hall.client("ben") as ben:
        one, other = await begin(world), await begin(world)
        await append(world, one, "a", 1)
        await append(world, one, "b", 2)
        await append(world, other, "c", 1)
        frames = [frame for frame in await ben.until_pong() if frame["event"] != "message_sent"]

        assert [frame["data"]["text"] for frame in frames] == ["a", "c"]
        await told(node)
        assert [frame["data"]["text"] for frame in await ben.until_pong()] == ["b"]


async def test_who_comes_later(hall: Hall, world: World, node: Node) -> None:
    """Who reads or resumes meanwhile has the text so far; what follows begins where it ends."""
    async with hall.client("ben") as ben:
        message = await begin(world)
        cursor = (await ben.event("message_sent"))["cursor"]
        await append(world, message, "one ", 1)
        await ben.event("message_appended")
    await append(world, message, "two ", 2)
    await told(node)
    async with hall.client("ben") as ben, hall.client("ben", since="0-0") as phone:
        assert phone.connected is not None
        read = await shown(world, message)
        assert read == {"text": "one two ", "growing": {"sequence": 2}}
        await told(node)
        await append(world, message, "three", 3)
        text, sequence = text_of([await ben.event("message_appended")], read["text"], 2)
        assert (text, sequence) == ("one two three", 3)
    await finish(world, message)
    async with hall.client("ben", since=cursor) as ben:
        ended = await ben.event("message_grown")
        assert ended["data"]["message"]["data"]["text"] == "one two three"


async def test_a_resume_shows_the_text_so_far(hall: Hall, world: World, node: Node) -> None:
    """The event of the beginning that a resume brings has the text as it is by then."""
    async with hall.client("ben") as ben:
        assert ben.connected is not None
        cursor = ben.connected["cursor"]
    message = await begin(world)
    await append(world, message, "so far", 1)
    async with hall.client("ben", since=cursor) as ben:
        frame = await ben.event("message_sent")
        assert frame["data"]["message"]["data"]["text"] == "so far"
        assert frame["data"]["message"]["data"]["growing"] == {"sequence": 1}


async def test_a_bot_on_a_socket(hall: Hall, world: World) -> None:
    """A session begins, appends and ends by methods; the reader asks it to stop."""
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        sent = await anna.ask("send_message", receiver="ben", receiverType="user", growing=True)
        id_ = sent["data"]["id"]
        await anna.event("message_sent")
        taken = await anna.ask("append_message", id=id_, text="Hel", sequence=1)
        assert taken["data"] == {"id": id_, "sequence": 1, "length": 3}
        await anna.event("message_appended")
        gap = await anna.ask("append_message", id=id_, text="!", sequence=3)
        assert gap["error"]["code"] == "ERR_SEQUENCE_GAP"
        assert gap["error"]["details"] == {"sequence": ["2"]}
        await ben.event("message_sent")
        await ben.event("message_appended")
        assert (await ben.ask("stop_message", id=id_))["data"]["success"] is True
        await ben.event("message_stop_requested")
        assert (await ben.ask("stop_message", id=id_))["data"]["success"] is True
        asked = await anna.event("message_stop_requested")
        assert asked["data"]["message"]["id"] == id_
        assert asked["data"]["by"]["uid"] == "ben"
        ended = await anna.ask("finish_message", id=id_, status="failed")
        assert ended["data"]["data"]["grown"] == {"status": "failed", "appends": 1}
        await anna.event("message_grown")


async def test_hostile_appends(hall: Hall, world: World) -> None:
    """A call that is not as it must be is refused with its reason; the session goes on."""
    async with hall.client("anna") as anna:
        message = await begin(world)
        await anna.event("message_sent")
        hostile: list[dict[str, Any]] = [
            {},
            {"id": message["id"]},
            {"id": [], "text": "a", "sequence": 1},
            {"id": "x", "text": "a", "sequence": 1},
            {"id": message["id"], "text": {}, "sequence": 1},
            {"id": message["id"], "text": "a", "sequence": "1"},
            {"id": message["id"], "text": "a", "sequence": 1.5},
            {"id": message["id"], "text": "a", "sequence": -(2**80)},
            {"id": message["id"], "text": "a", "sequence": 1, "other": 1},
            {"id": "9" * 30, "text": "a", "sequence": 1},
        ]
        for params in hostile:
            reply = await anna.ask("append_message", **params)
            assert reply["error"]["code"] == "ERR_BAD_REQUEST", params


async def test_a_refused_append_counts_once(hall: Hall, world: World) -> None:
    """An append that is refused counts once towards the limit of its user."""
    await world.put(
        "/settings", {"settings": {"limits.growingText": 5, "limits.userAppendsPerMinute": 3}}
    )
    async with hall.client("anna") as anna:
        id_ = (await begin(world))["id"]
        await anna.event("message_sent")
        assert "data" in await anna.ask("append_message", id=id_, text="a", sequence=1)
        await anna.event("message_appended")
        refused = await anna.ask("append_message", id=id_, text="too long", sequence=2)
        assert refused["error"]["code"] == "ERR_INVALID_MESSAGE_DATA"
        assert "data" in await anna.ask("append_message", id=id_, text="b", sequence=2)
        beyond = await anna.ask("append_message", id=id_, text="c", sequence=3)
        assert beyond["error"]["code"] == "ERR_TOO_MANY_REQUESTS"


async def test_a_durable_append_is_told_once_it_is_stored(
    hall: Hall, world: World, node: Node
) -> None:
    """Nobody hears a durable append that is refused; one that is taken is told in order."""
    group = {"guid": "team", "name": "Team", "type": "public", "owner": "ben"}
    await world.post("/groups", group)
    await world.post("/groups/team/members", {"participants": ["anna"]})
    async with hall.client("ben") as ben:
        message = await begin(world, receiver="team", receiverType="group")
        await append(world, message, "a", 1, durable=True)
        await append(world, message, "b", 2)
        await append(world, message, "c", 3, durable=True)
        frames = [await ben.event("message_sent")]
        while not frames[1:] or frames[-1]["data"]["sequence"] < 3:
            frames.append(await ben.event("message_appended"))
        assert text_of(frames[1:]) == ("abc", 3)
        await world.delete("/groups/team/members/anna")
        await ben.event("group_member_kicked")
        node.clock.advance(1)  # a frame is due
        answer = await world.ask(
            "POST",
            f"/messages/{message['id']}/append",
            {"text": "refused", "sequence": 4, "durable": True},
            as_="anna",
        )
        assert answer.status >= 400
        ended = await ben.event("message_grown")
        assert ended["data"]["message"]["data"]["text"] == "abc"


@pytest.mark.parametrize("way", ["socket", "rest", "together"])
async def test_appends_beyond_the_share_wait(
    hall: Hall, world: World, node: Node, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """While other apps ask for something, the appends of an app that has used its part wait."""
    allowances = Allowances(GivenRests(**{world.app_id: 0.0}), node.clock.monotonic)
    monkeypatch.setattr(node.runtime, "allowances", allowances)
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        message = await begin(world)
        for client in (anna, ben):
            await client.event("message_sent")
        assert allowances.take(world.app_id, 1.0)

        appends = [{"id": message["id"], "text": "a", "sequence": 1}]
        calls: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
            "socket": lambda: anna.ask("append_message", **appends[0]),
            "rest": lambda: append(world, message, "a", 1),
            "together": lambda: world.post("/messages/append", {"appends": appends}, as_="anna"),
        }
        waiting = asyncio.create_task(calls[way]())
        assert "data" in await ben.ask("list_conversations")
        assert (await shown(world, message))["growing"] == {"sequence": 0}
        assert not waiting.done()
        node.clock.advance(10)
        await waiting
        assert (await shown(world, message))["text"] == "a"


async def test_frames_do_not_wait_for_appends(
    hall: Hall, world: World, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers are told what was appended although further appends wait; what is told is merged."""
    beside = GivenRests(**{world.app_id: 0.0})
    for name in ("allowances", "frame_allowances"):
        monkeypatch.setattr(node.runtime, name, Allowances(beside, node.clock.monotonic))
    async with hall.client("ben") as ben:
        message = await begin(world)
        await ben.event("message_sent")
        assert node.runtime.frame_allowances.take(world.app_id, 0.1)
        for sequence in range(1, 4):
            await append(world, message, f"{sequence} ", sequence)
        assert node.runtime.allowances.take(world.app_id, 100.0)
        waiting = asyncio.create_task(append(world, message, "4 ", 4))
        assert await ben.until_pong() == []
        node.clock.advance(10)
        frame = await ben.event("message_appended")
        assert frame["data"]["text"] == "1 2 3 "
        assert not waiting.done()
        node.clock.advance(10_000)
        await waiting


async def test_groups(hall: Hall, world: World, node: Node) -> None:
    """Members hear a message of their group grow, until they leave it."""
    group = {"guid": "team", "name": "Team", "type": "public", "owner": "anna"}
    await world.post("/groups", group)
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        message = await begin(world, receiver="team", receiverType="group")
        await anna.event("message_sent")
        await world.post("/groups/team/members", {"participants": ["ben"]})
        for client in (anna, ben):
            await client.event("group_member_added")
        await append(world, message, "a", 1)
        for client in (anna, ben):
            await client.event("message_appended")
        await world.delete("/groups/team/members/ben")
        for client in (anna, ben):
            await client.event("group_member_kicked")
        node.clock.advance(1)
        await append(world, message, "b", 2)
        await anna.event("message_appended")
        await hall.settle()
        assert await ben.until_pong() == []


async def test_history_that_is_hidden(hall: Hall, world: World) -> None:
    """A member who may not see earlier messages does not hear them grow or end."""
    await world.put("/settings", {"settings": {"groups.historyForNewMembers": False}})
    group = {"guid": "team", "name": "Team", "type": "public", "owner": "anna"}
    await world.post("/groups", group)
    message = await begin(world, receiver="team", receiverType="group")
    await world.post("/groups/team/members", {"participants": ["ben"]})
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        await append(world, message, "a", 1)
        await anna.event("message_appended")
        await finish(world, message)
        await anna.event("message_grown")
        await hall.settle()
        assert await ben.until_pong() == []


async def test_roles_that_may_not_list_texts(hall: Hall, world: World) -> None:
    """A role that may list no texts is told neither appends nor the end."""
    await world.post("/roles", {"role": "narrow", "name": "Narrow"})
    permissions = {"listMessages.allowedMessageCategories": ["custom"]}
    await world.put("/roles/narrow/permissions", {"permissions": permissions})
    await world.put("/users/ben", {"role": "narrow"})
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        message = await begin(world)
        await append(world, message, "a", 1)
        await finish(world, message)
        for name in ("message_sent", "message_appended", "message_grown"):
            await anna.event(name)
        await hall.settle()
        assert await ben.until_pong() == []
