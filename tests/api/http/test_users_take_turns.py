"""Users of an app take turns at lists: who asks for many holds up nobody else."""

import asyncio

import pytest
from tests.soon import until
from tests.storage.turns import Pause, start
from tests.world import Node, World

MOST_AT_ONCE = 6
"""No engine lets more readings of an app be under way."""
LISTS = (
    "/users",
    "/groups",
    "/conversations",
    "/groups/team/members",
    "/groups/team/bannedusers",
    "/users/{uid}/friends",
    "/users/{uid}/blockedusers",
)


@pytest.mark.parametrize("path", LISTS)
async def test_lists(node: Node, world: World, path: str) -> None:
    """A user's list is answered before most of the ten that another user asked for earlier."""
    await world.users("anna", "ben")
    group = {"guid": "team", "name": "T", "type": "public", "owner": "anna"}
    await world.post("/groups", group)
    await world.post("/groups/team/members", {"admins": ["ben"]})
    answered: list[str] = []

    async def list_for(uid: str) -> None:
        await world.get(path.replace("{uid}", uid), as_=uid)
        answered.append(uid)

    read, stays, pause = node.runtime.database.read, Pause(), Pause()
    [last] = await start(read(world.app_id, stays))  # so that lists are read one after the other
    await stays.reached.wait()
    holders = await start(*(read(world.app_id, pause) for _ in range(MOST_AT_ONCE - 1)))
    await pause.reached.wait()
    before = count_waiting(node)
    lists = await start(*(list_for("anna") for _ in range(10)), list_for("ben"))
    await until(lambda: count_waiting(node) == before + len(lists))
    pause.end()
    await asyncio.gather(*holders, *lists)
    stays.end()
    await last

    assert answered.index("ben") <= MOST_AT_ONCE


def count_waiting(node: Node) -> int:
    """Return how much waits in the queues of the node."""
    return sum(node.runtime.measures.count_waiting().values())
