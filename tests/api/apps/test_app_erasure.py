"""The erasure of a deleted app after 30 days."""

from tests.api.presence.sessions import connect
from tests.world import Node, World

from hubbub.domain.apps.manage import create_app, delete_app
from hubbub.domain.erasure.erase_apps import erase_archived_apps
from hubbub.records.apps.model import ARCHIVED_SECONDS
from hubbub.storage.interface import Snapshot
from hubbub.storage.migrations import tenant_tables
from hubbub.storage.queries import Query


async def count_rows(node: Node, app_id: str) -> dict[str, int]:
    """Return the number of an app's rows in each table."""

    async def within(snapshot: Snapshot) -> dict[str, int]:
        counts = {}
        for table in tenant_tables():
            count = Query("count", f"SELECT count(*) FROM {table.name} WHERE app_id = :app_id")
            counts[table.name] = (await snapshot.fetch(count))[0][0]
        return counts

    return await node.runtime.database.read(app_id, within)


async def fill(world: World) -> None:
    """Create two users, a token, a tagged message, an import and a setting."""
    await world.users("anna", "ben")
    await world.post("/users/anna/auth_tokens", {})
    text = {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}, "tags": ["x"]}
    await world.post("/messages", text, as_="anna")
    group = {"guid": "choir", "name": "Choir", "type": "public", "owner": "anna"}
    await world.post("/data_import/groups", {"groups": {"choir": group}})
    await world.patch("/notifications/v1/settings", {"sound": {"chat": "ping"}})


async def test_a_deleted_app_is_erased_after_thirty_days(node: Node, world: World) -> None:
    """No table has rows of it, its id is free, and other apps are unchanged."""
    gone = await node.world()
    await fill(world)
    await fill(gone)
    await connect(node.runtime, gone, "anna", "1")
    kept = await count_rows(node, world.app_id)
    await delete_app(node.runtime, gone.app_id)
    node.clock.advance(ARCHIVED_SECONDS + 1)

    await erase_archived_apps(node.runtime)

    assert sum((await count_rows(node, gone.app_id)).values()) == 0
    assert await count_rows(node, world.app_id) == kept
    again, _ = await create_app(node.runtime, name="Again", region="us", app_id=gone.app_id)
    assert again.id == gone.app_id


async def test_a_deleted_app_is_kept_for_thirty_days(node: Node, world: World) -> None:
    """Until the 30 days are over, all rows still exist."""
    await fill(world)
    before = await count_rows(node, world.app_id)
    await delete_app(node.runtime, world.app_id)
    node.clock.advance(ARCHIVED_SECONDS - 10)

    await erase_archived_apps(node.runtime)

    assert await count_rows(node, world.app_id) == before
