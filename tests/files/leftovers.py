"""What is noted of files that no message holds."""

from tests.world import Node

from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query

COUNT = Query("count", "SELECT count(*) FROM file_leftovers WHERE app_id = :app_id")
DELETE = Query("delete", "DELETE FROM file_leftovers WHERE app_id = :app_id")


async def count_leftovers(node: Node, app_id: str) -> int:
    """How many files of an app are left over."""
    rows = await node.runtime.database.read(app_id, lambda snapshot: snapshot.fetch(COUNT))
    return int(rows[0][0])


async def forget_leftovers(tx: Transaction) -> None:
    """Forget the files of an app that are left over."""
    await tx.run(DELETE)
