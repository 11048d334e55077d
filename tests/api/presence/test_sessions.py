"""Who is online: users with an open session, on any node, as lists and single users show it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tests.api.presence.sessions import (
    another_node,
    change,
    check_totals,
    connect,
    disconnect,
    list_online,
    status_of,
)
from tests.clock import ManualClock
from tests.world import Node, World

from hubbub.domain.apps.manage import delete_app
from hubbub.domain.presence.connect import NewSession
from hubbub.kernel.errors import BadInput, NotAuthenticated
from hubbub.records.users.model import UidNotFound


@pytest.fixture
async def town(world: World) -> World:
    """Anna and Ben, who are members of a group."""
    await world.users("anna", "ben")
    await world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})
    await world.post("/groups/hikers/members", {"participants": ["anna", "ben"]})
    return world


async def test_a_user_is_available_while_connected(
    node: Node, town: World, clock: ManualClock
) -> None:
    """The first session makes a user available, the last one that ends makes them offline."""
    assert await status_of(town, "anna") == "offline"
    [first, second] = await connect(node.runtime, town, "anna", "phone", "laptop")
    assert first.user is not None
    assert (first.user.uid, first.user.status) == ("anna", "available")
    assert (first.has_changed, second.has_changed) == (True, False)
    assert await list_online(town) == {"anna"}

    clock.advance(60)
    [phone] = await disconnect(node.runtime, town, "anna", "phone")
    assert (phone.has_changed, await status_of(town, "anna")) == (False, "available")
    clock.advance(60)
    [laptop] = await disconnect(node.runtime, town, "anna", "laptop")
    assert laptop.user is not None
    assert (laptop.has_changed, laptop.user.status) == (True, "offline")
    shown = await town.get("/users/anna")
    assert (shown["status"], shown["lastActiveAt"]) == ("offline", clock.now())
    await check_totals(node.runtime, town)


async def test_what_is_repeated_changes_nothing(node: Node, town: World) -> None:
    """A session that is opened or closed twice counts once; one of another user is not closed."""
    [_, again] = await connect(node.runtime, town, "anna", "phone", "phone")
    [of_ben] = await disconnect(node.runtime, town, "ben", "phone")
    assert (again.has_changed, of_ben.has_changed) == (False, False)
    assert await list_online(town) == {"anna"}

    [once, twice] = await disconnect(node.runtime, town, "anna", "phone", "phone")

    assert (once.has_changed, twice.has_changed) == (True, False)
    await check_totals(node.runtime, town)


async def test_sessions_on_several_nodes(node: Node, town: World) -> None:
    """A user is available while a session is open on any node; ids are those of a node."""
    async with another_node(node) as other:
        await connect(node.runtime, town, "anna", "1")
        [there] = await connect(other, town, "anna", "1")
        [here] = await disconnect(node.runtime, town, "anna", "1")
        assert (there.has_changed, here.has_changed) == (False, False)
        assert await list_online(town) == {"anna"}

        [last] = await disconnect(other, town, "anna", "1")

    assert last.has_changed
    assert await list_online(town) == set()


async def test_calls_at_once_share_a_transaction(node: Node, town: World) -> None:
    """Hundreds who connect at once are stored in few transactions, each with its own outcome."""
    uids = [f"u{number}" for number in range(300)]
    for start in range(0, len(uids), 50):
        rows = {uid: {"uid": uid, "name": uid} for uid in uids[start : start + 50]}
        await town.post("/data_import/users", {"users": rows})
    before = sum(node.runtime.batches.sizes.counts)

    async def each(uid: str) -> bool:
        [presence] = await connect(node.runtime, town, uid, f"{uid}-1")
        return presence.has_changed

    assert all(await asyncio.gather(*map(each, uids)))
    assert sum(node.runtime.batches.sizes.counts) - before <= 3
    assert await list_online(town) == set(uids)
    await check_totals(node.runtime, town)


async def test_within_a_batch_calls_take_effect_in_order(node: Node, town: World) -> None:
    """Anna comes and goes and comes within a batch: each call sees what the one before has done."""

    async def opened(id_: str) -> bool:
        return (await connect(node.runtime, town, "anna", id_))[0].has_changed

    async def closed(id_: str) -> bool:
        return (await disconnect(node.runtime, town, "anna", id_))[0].has_changed

    calls = (opened("1"), opened("2"), closed("1"), closed("2"), opened("3"))
    assert list(await asyncio.gather(*calls)) == [True, False, False, True, True]
    assert await list_online(town) == {"anna"}
    await check_totals(node.runtime, town)


async def test_online_members_are_counted(node: Node, town: World) -> None:
    """The members of a group that are online are filtered and counted by their sessions."""
    await connect(node.runtime, town, "ben", "1", "2")

    assert await town.uids("/groups/hikers/members?status=available") == ["ben"]
    assert await town.uids("/groups/hikers/members?status=offline") == ["anna"]


async def deactivate(world: World) -> None:
    """Deactivate Anna."""
    await world.delete("/users", {"uidsToDeactivate": ["anna"]})


async def delete(world: World) -> None:
    """Delete Anna; her uid stays taken."""
    await world.delete("/users/anna", {"permanent": False})


async def erase(world: World) -> None:
    """Delete Anna permanently."""
    await world.delete("/users/anna", {"permanent": True})


@pytest.mark.parametrize("end", [deactivate, delete, erase])
async def test_who_may_not_connect(
    node: Node, town: World, end: Callable[[World], Awaitable[None]]
) -> None:
    """The sessions of a user who is deactivated or deleted end, and no other is opened."""
    await connect(node.runtime, town, "anna", "1", "2")
    await connect(node.runtime, town, "ben", "3")
    await end(town)

    assert await list_online(town) == {"ben"}
    await check_totals(node.runtime, town)
    with pytest.raises(UidNotFound):
        await connect(node.runtime, town, "anna", "4")
    [late] = await disconnect(node.runtime, town, "anna", "1")
    assert not late.has_changed
    await check_totals(node.runtime, town)


async def test_a_new_holder_of_a_uid_is_offline(node: Node, town: World) -> None:
    """Sessions of an erased user make nobody available who gets the uid."""
    await connect(node.runtime, town, "anna", "1")
    await erase(town)
    await town.user("anna")
    assert await status_of(town, "anna") == "offline"

    await connect(node.runtime, town, "anna", "2")
    [left] = await disconnect(node.runtime, town, "anna", "2")

    assert left.has_changed


async def test_a_reactivated_user_is_offline(node: Node, town: World) -> None:
    """Whoever was online before they were deactivated has to connect again."""
    await connect(node.runtime, town, "anna", "1")
    await deactivate(town)
    await town.put("/users", {"uidsToActivate": ["anna"]})

    assert await status_of(town, "anna") == "offline"


async def test_an_unknown_user_or_app(node: Node, town: World) -> None:
    """Nobody connects to an app that was deleted, or as a user whom it does not have."""
    with pytest.raises(UidNotFound):
        await connect(node.runtime, town, "nobody", "1")
    await connect(node.runtime, town, "anna", "1")
    await delete_app(node.runtime, town.app_id)
    with pytest.raises(NotAuthenticated):
        await connect(node.runtime, town, "ben", "2")
    with pytest.raises(NotAuthenticated):
        await change(node.runtime, "no-such-app", NewSession("1", "anna"))

    [left] = await disconnect(node.runtime, town, "anna", "1")

    assert left.has_changed


async def test_clients_set_no_status(node: Node, town: World) -> None:
    """A status or a time that a client sends is not stored, however it is sent."""
    given = {"status": "available", "lastActiveAt": 1}
    await town.post("/users", {"uid": "cleo", "name": "Cleo", **given})
    await town.put("/users/anna", {"name": "Anna K.", **given})
    await town.put("/users/ben", {"name": "Ben K.", **given}, token=await town.token("ben"))
    row = {"uid": "dora", "name": "Dora", "status": "available"}
    await town.post("/data_import/users", {"users": {"dora": row}})

    assert await list_online(town) == set()
    assert "lastActiveAt" not in await town.get("/users/anna")


async def test_a_limit_of_presence(node: Node, town: World) -> None:
    """With more users online than the setting says, others are told of nobody."""
    await town.put("/settings", {"settings": {"limits.presenceOnline": 1}})
    [anna] = await connect(node.runtime, town, "anna", "1")
    [ben] = await connect(node.runtime, town, "ben", "2")
    assert (anna.is_told, anna.online) == (True, 1)
    assert (ben.has_changed, ben.is_told, ben.online) == (True, False, 2)

    [gone] = await disconnect(node.runtime, town, "ben", "2")

    assert (gone.is_told, gone.online) == (True, 1)


@pytest.mark.parametrize("text", ["x" * 201, "we\0b", "we\ud800b"])
async def test_a_device_is_described_in_text(node: Node, town: World, text: str) -> None:
    """The platform and the resource of a device are short texts; others are refused."""
    for session in (NewSession("1", "anna", text), NewSession("1", "anna", None, text)):
        with pytest.raises(BadInput):
            await change(node.runtime, town.app_id, session)
    await change(node.runtime, town.app_id, NewSession("2", "anna", "é" * 200, "🎉" * 200))

    assert await list_online(town) == {"anna"}
