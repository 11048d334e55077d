"""Short ways to connect and disconnect users, and to see who is online."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.domain.presence.batch import Presence
from hubbub.domain.presence.connect import EndedSession, NewSession, store_sessions
from hubbub.kernel.errors import Refusal
from hubbub.records.presence.store import find_online
from hubbub.records.totals.store import count_available, count_sessions, find_kept_presence
from hubbub.runtime import Runtime


async def connect(runtime: Runtime, world: World, uid: str, *ids: str) -> list[Presence]:
    """Open sessions of a user on a node, one after the other."""
    sessions = [NewSession(id_, uid, "web", "browser") for id_ in ids]
    return [await change(runtime, world.app_id, each) for each in sessions]


async def disconnect(runtime: Runtime, world: World, uid: str, *ids: str) -> list[Presence]:
    """Close sessions of a user on a node, one after the other."""
    return [await change(runtime, world.app_id, EndedSession(id_, uid)) for id_ in ids]


async def change(runtime: Runtime, app_id: str, session: NewSession | EndedSession) -> Presence:
    """Store that a session is open, or has ended; raise a refusal."""
    [outcome] = await store_sessions(runtime, app_id, [session])
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


async def status_of(world: World, uid: str) -> str:
    """Return the status of a user as the interface shows it."""
    status: str = (await world.get(f"/users/{uid}"))["status"]
    return status


async def list_online(world: World) -> set[str]:
    """Return the uids in the list of available users."""
    return set(await world.uids("/users?status=available&perPage=1000"))


async def check_totals(runtime: Runtime, world: World) -> None:
    """Check that the kept numbers of sessions and of available users are those of the rows."""
    read = runtime.database.read
    sessions, online = await read(world.app_id, find_kept_presence)

    assert sessions == await read(world.app_id, count_sessions)
    assert online == await read(world.app_id, count_available)
    assert online == await find_online(runtime.database, world.app_id)


@asynccontextmanager
async def another_node(node: Node) -> AsyncIterator[Runtime]:
    """Open another node of the same store."""
    async with open_runtime(node.runtime.settings, node.clock) as runtime:
        yield runtime
