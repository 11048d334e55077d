"""What tests of retention share: short ways to set times, and to have removed what is due."""

from tests.api.messages.talk import stored
from tests.world import Json, Node, World

from hubbub.domain.retention.run import LEASE_SECONDS, retention_runs
from hubbub.outbox.work.queue import due_bounds
from hubbub.records.retention.store import list_due_queues
from hubbub.storage.interface import INSTALLATION

DAY = 86_400
MOST_TURNS = 500


async def remove_due(node: Node) -> None:
    """Have removed what is due in all apps, until nothing is."""
    runs = retention_runs(node.runtime)
    for _ in range(MOST_TURNS):
        await runs.start_due()
        await runs.wait()
        if not await is_due(node):
            return
    raise AssertionError("Something is always due.")


async def is_due(node: Node) -> bool:
    """Return whether something is to be removed, or looked at as the clock was set back."""
    bounds = due_bounds(node.clock.milliseconds(), round(1000 * LEASE_SECONDS), limit=1)
    due = await node.runtime.database.read(
        INSTALLATION, lambda snapshot: list_due_queues(snapshot, bounds)
    )
    return bool(due)


async def keep(world: World, **settings: object) -> None:
    """Change settings of retention."""
    named = {f"retention.{name}": value for name, value in settings.items()}
    await world.put("/settings", {"settings": named})


async def hold(world: World, path: str = "", *, is_on: bool = True) -> Json:
    """Set or lift the legal hold of the app, or of what is at a path."""
    state: Json = await world.put(f"{path}/legal_hold", {"hold": is_on})
    return state


async def unread(world: World, uid: str, path: str) -> int:
    """Return the number of unread messages that the conversation of a user shows."""
    conversation = await world.get(f"{path}/conversation", as_=uid)
    return int(conversation["unreadMessageCount"])


async def left_in(node: Node, world: World, table: str) -> int:
    """Return the number of an app's rows in a table."""
    ((count,),) = await stored(node, world, f"SELECT count(*) FROM {table} WHERE app_id = :app_id")
    return int(count)
