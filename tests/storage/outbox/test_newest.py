"""The newest position of a log, as a node knows it that shares the store with others."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from tests.api.messages.talk import say, to_user
from tests.eventlog import list_logged
from tests.soon import SOON_SECONDS
from tests.world import Node, World

from hubbub.outbox.heads import Heads, NewestPositions, Position
from hubbub.storage.interface import Database, Row
from hubbub.storage.queries import Query


@dataclass(slots=True)
class Looked:
    """A database that counts the looks at its counters."""

    database: Database
    looks: int = 0

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        self.looks += 1
        return await self.database.point(app_id, query, **args)


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben may talk."""
    await world.users("anna", "ben")
    return world


def another_node(node: Node) -> tuple[NewestPositions, Looked]:
    """Return what another node knows, which does not hear of this one's commits."""
    looked = Looked(node.runtime.database)
    return NewestPositions(looked, Heads(), is_shared=True), looked  # type: ignore[arg-type]


async def end_of(node: Node, world: World) -> int:
    """Return the number of the last event of the log."""
    rows = await node.runtime.database.read(world.app_id, list_logged)
    return rows[-1][0]


async def test_own_commits_are_known_at_once(node: Node, talk: World) -> None:
    """A node knows how far its own commits go, without a look."""
    for _ in range(3):
        await say(talk, "anna", to_user("ben"))
        newest = node.runtime.heads.newest(talk.app_id)

        assert newest is not None
        assert newest.number == await end_of(node, talk)
        assert await node.runtime.newest.find(talk.app_id) == newest


async def test_commits_of_other_nodes_are_looked_up(node: Node, talk: World) -> None:
    """Other nodes' commits are found with one look, which many callers share for a second."""
    newest, looked = another_node(node)
    await say(talk, "anna", to_user("ben"))
    found = await asyncio.gather(*(newest.find(talk.app_id) for _ in range(20)))
    await say(talk, "anna", to_user("ben"))
    found += [await newest.find(talk.app_id) for _ in range(20)]

    assert {each.number for each in found} == {await end_of(node, talk) - 1}
    assert looked.looks == 1


async def test_a_wait_finds_commits_of_other_nodes(node: Node, talk: World) -> None:
    """A wait ends soon after another node's commit, and in time without one."""
    newest, looked = another_node(node)
    known = await newest.find(talk.app_id)
    waits = [asyncio.create_task(newest.wait_beyond(talk.app_id, known, 600.0)) for _ in range(10)]
    await say(talk, "anna", to_user("ben"))

    async with asyncio.timeout(SOON_SECONDS):
        assert await asyncio.gather(*waits) == [True] * 10
    assert looked.looks == 2
    end = await newest.find(talk.app_id)
    assert end.number == await end_of(node, talk)
    assert not await newest.wait_beyond(talk.app_id, end, 0.01)


async def test_an_app_that_does_not_exist(node: Node) -> None:
    """Of an app that does not exist no position is known."""
    newest, _ = another_node(node)
    assert await newest.find("nowhere") == Position(0, 0)
