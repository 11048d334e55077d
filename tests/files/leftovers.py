"""The records of files without a message."""

from tests.world import Node

from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query

COUNT = Query("count", "SELECT count(*) FROM file_leftovers WHERE app_id = :app_id")
DELETE = Query("delete", "DELETE FROM file_leftovers WHERE app_id = :app_id")


async def count_leftovers(node: Node, app_id: str) -> int:
    """Return the number of an app's leftovers."""
    rows = await node.runtime.database.read(app_id, lambda snapshot: snapshot.fetch(COUNT))
    return int(rows[0][0])


async def forget_leftovers(tx: Transaction) -> None:
    """Delete the records of an app's leftovers."""
    await tx.run(DELETE)
