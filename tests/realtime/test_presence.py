"""Typing, transient messages, presence: told at once to those connected, never stored."""

from contextlib import AsyncExitStack
from typing import Any

import pytest
from tests.clock import ManualClock
from tests.realtime.chat import Client, Hall
from tests.soon import until
from tests.world import World

from hubbub.domain.presence.connect import store_sessions
from hubbub.kernel.errors import Unavailable
from hubbub.realtime.sessions import present as keeper

TO_BEN = {"receiver": "ben", "receiverType": "user"}
TO_TEAM = {"receiver": "team", "receiverType": "group"}


@pytest.fixture
async def team(hall: Hall, world: World) -> Hall:
    """A group of Anna and Ben."""
    await world.post("/groups", {"guid": "team", "name": "T", "type": "public", "owner": "anna"})
    await world.post("/groups/team/members", {"participants": ["ben"]})
    return hall


async def test_typing(hall: Hall) -> None:
    """The receiver is told who types, and when that ends; others and the sender are not."""
    async with hall.client("anna") as anna, hall.client("ben") as ben, hall.client("cora") as cora:
        reply = await anna.ask("start_typing", **TO_BEN, metadata={"mood": "slow"})
        assert reply["data"] == {"success": True}
        started = await ben.event("typing_started")
        assert started["data"] == {"sender": "anna", **TO_BEN, "metadata": {"mood": "slow"}}
        assert not {"id", "cursor"} & started.keys()
        await anna.ask("end_typing", **TO_BEN)
        await ben.event("typing_ended")
        assert (await anna.ask("end_typing", **TO_BEN))["data"] == {"success": False}
        assert [await client.until_pong() for client in (anna, cora)] == [[], []]


async def test_typing_ends_with_the_session(hall: Hall) -> None:
    """Who leaves while they type is not typing any more."""
    async with hall.client("ben") as ben:
        async with hall.client("anna") as anna:
            await anna.ask("start_typing", **TO_BEN)
            await ben.event("typing_started")
        await ben.event("typing_ended")


async def test_typing_in_a_group(team: Hall, world: World) -> None:
    """All connected members are told; who is no member can't type there."""
    async with team.client("anna") as anna, team.client("ben") as ben, team.client("cora") as cora:
        await anna.ask("start_typing", **TO_TEAM)
        await ben.event("typing_started")
        refused = await cora.ask("start_typing", **TO_TEAM)
        assert refused["error"]["code"] == "ERR_GROUP_NOT_JOINED"
        await world.put("/settings", {"settings": {"limits.typingOnline": 1}})
        assert (await ben.ask("start_typing", **TO_TEAM))["data"] == {"success": False}
        assert await anna.until_pong() == []


async def test_transient_messages(team: Hall, world: World) -> None:
    """A transient message is for those who are connected, and in no history."""
    async with team.client("anna") as anna, team.client("ben") as ben:
        await anna.ask("send_transient", **TO_TEAM, data={"dice": [1, 6]})
        told = await ben.event("transient_message")
        assert told["data"] == {"sender": "anna", **TO_TEAM, "data": {"dice": [1, 6]}}
        await anna.ask("send_transient", **TO_BEN, data="hi")
        assert (await ben.event("transient_message"))["data"]["data"] == "hi"
        assert await anna.until_pong() == []
    assert await world.get("/users/ben/messages", as_="anna") == []


@pytest.mark.parametrize("method", ["start_typing", "send_transient"])
async def test_blocks(hall: Hall, world: World, method: str) -> None:
    """Who is blocked, or has blocked the other, reaches them with nothing."""
    await world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        refused = await anna.ask(method, **TO_BEN, **({} if "typing" in method else {"data": 1}))
        assert "BLOCKED" in refused["error"]["code"]
        assert await ben.until_pong() == []


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("start_typing", {}, "receiver"),
        ("start_typing", {"receiver": "ben", "receiverType": "bot"}, "receiverType"),
        ("start_typing", {"receiver": "Ü", "receiverType": "user"}, "receiver"),
        ("send_transient", TO_BEN, "data"),
        ("send_transient", {**TO_BEN, "data": 1, "colour": 2}, "colour"),
        ("subscribe_presence", {"presence": 5}, "presence"),
    ],
)
async def test_bad_params(hall: Hall, method: str, params: dict[str, object], field: str) -> None:
    """Wrong parameters are refused with the field named."""
    async with hall.client("anna") as anna:
        error = (await anna.ask(method, **params))["error"]

    assert list(error["details"]) == [field], error


async def test_presence_after_an_outage(
    hall: Hall, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions that open while the database is away are stored when it is back."""
    failures: list[object] = []

    async def store(*some: Any) -> Any:
        if len(failures) < 2:
            failures.append(some)
            raise Unavailable("away")
        return await store_sessions(*some)

    monkeypatch.setattr(keeper, "store_sessions", store)
    monkeypatch.setattr(keeper, "RETRY_SECONDS", 0.001)
    async with hall.client("ben"):
        await hall.gateway.present.settle()
        assert len(failures) == 2
        assert (await world.get("/users/ben"))["status"] == "available"


async def test_a_session_that_ends_while_all_are_stored_again(
    hall: Hall, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that ends while a node stores its sessions again is not stored as open."""
    present = hall.gateway.present
    async with hall.client("anna"), hall.client("ben") as ben:
        await present.settle()
        rounds = []

        async def store(*some: Any) -> Any:
            rounds.append(some)
            if len(rounds) == 1:  # the first of the two: the other ends, and its end is stored
                await ben.socket.close()
                await until(lambda: len(present._open) == 1)
                await present.settle()
            return await store_sessions(*some)

        monkeypatch.setattr(keeper, "store_sessions", store)
        monkeypatch.setattr(keeper, "CHUNK", 1)
        await present.restore()
        await present.settle()
        assert len(rounds) == 4
        assert (await world.get("/users/anna"))["status"] == "available"
        assert (await world.get("/users/ben"))["status"] == "offline"


async def test_many_who_connect_are_stored_a_few_at_once(
    hall: Hall, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many connect at once, a transaction stores few of them, and all are stored."""
    sizes: list[int] = []

    async def store(runtime: Any, app_id: str, changes: Any) -> Any:
        sizes.append(len(changes))
        return await store_sessions(runtime, app_id, changes)

    monkeypatch.setattr(keeper, "store_sessions", store)
    monkeypatch.setattr(keeper, "CHUNK", 2)
    async with AsyncExitStack() as stack:
        for uid in ("anna", "ben", "cora", "anna", "ben"):
            await stack.enter_async_context(hall.client(uid))
        await hall.gateway.present.settle()
        assert max(sizes) <= 2
        assert sum(sizes) == 5
        for uid in ("anna", "ben", "cora"):
            assert (await world.get(f"/users/{uid}"))["status"] == "available"


async def test_status(hall: Hall, world: World, clock: ManualClock) -> None:
    """A user is available while a session of theirs is open, and those who asked are told."""
    async with hall.client("anna", presence="all") as anna, hall.client("cora"):
        async with hall.client("ben") as ben:
            assert ben.connected is not None
            assert ben.connected["user"]["status"] == "available"
            change = await changes_of(anna, "ben")
            assert change["status"] == "available"
            assert (await world.get("/users/ben"))["status"] == "available"
            async with hall.client("ben"):
                pass
            clock.advance(5)
        change = await changes_of(anna, "ben")
        assert change["status"] == "offline"
        assert change["lastActiveAt"] == clock.now()
        assert (await world.get("/users/ben"))["status"] == "offline"


async def changes_of(client: Client, uid: str) -> dict[str, object]:
    """Return the next change of presence of a user."""
    while True:
        frame = await client.event("user_presence_changed")
        user: dict[str, object] = frame["data"]["user"]
        if user["uid"] == uid:
            return user


async def test_whom_a_session_watches(hall: Hall, world: World) -> None:
    """A session is told of its friends, of roles, or of nobody, as it has chosen last."""
    await world.post("/roles", {"role": "staff", "name": "Staff"})
    await world.put("/users/cora", {"role": "staff"})
    async with (
        hall.client("anna", presence="friends") as friend,
        hall.client("anna", presence=["staff"]) as by_role,
        hall.client("anna") as nobody,
    ):
        await world.post("/users/anna/friends", {"accepted": ["ben"]})
        await hall.settle()
        async with hall.client("ben"), hall.client("cora"):
            assert (await changes_of(friend, "ben"))["status"] == "available"
            assert (await changes_of(by_role, "cora"))["status"] == "available"
            await friend.ask("subscribe_presence", presence="none")
            await nobody.ask("subscribe_presence", presence="all")
        assert (await changes_of(nobody, "cora"))["status"] == "offline"
        assert (await changes_of(nobody, "ben"))["status"] == "offline"
        assert await friend.until_pong() == []


async def test_deactivation(hall: Hall, world: World) -> None:
    """Who is deactivated is offline, and those who watch are told."""
    async with hall.client("anna", presence="all") as anna, hall.client("ben") as ben:
        assert (await changes_of(anna, "ben"))["status"] == "available"
        await world.delete("/users", {"uidsToDeactivate": ["ben"]})
        assert await ben.close_code() == 4401
        await hall.settle()
        await hall.gateway.look()
        assert (await changes_of(anna, "ben"))["status"] == "offline"
