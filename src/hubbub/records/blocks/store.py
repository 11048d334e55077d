"""The table `blocks`."""

from collections.abc import Iterable, Sequence

from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.records.blocks.model import Block
from hubbub.records.listing import Scan, count_rows, read_page
from hubbub.storage.cached import CachedKind
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__, block_columns=Block)

BlockPair = tuple[str, str]
"""The uids of a user who blocks and of a user who is blocked."""


async def find_blocks(snapshot: Snapshot, pairs: Iterable[BlockPair]) -> dict[BlockPair, int]:
    """Return when each block began, for those of the pairs that are blocks."""
    return await _BLOCKS.find(snapshot, pairs, _fetch_blocks)


_BLOCKS = CachedKind[BlockPair, int](SQL.find_block, caches_absence=True)


async def _fetch_blocks(snapshot: Snapshot, pairs: Iterable[BlockPair]) -> dict[BlockPair, int]:
    asked = [{"uid": uid, "blocked": blocked} for uid, blocked in dict.fromkeys(pairs)]
    rows = await snapshot.fetch_many(SQL.find_block, asked)
    return _starts(Block(*row) for row in rows)


async def find_blocks_around(
    snapshot: Snapshot, uid: str, others: Sequence[str]
) -> dict[BlockPair, int]:
    """Return when each block between a user and `others` began, in both directions."""
    if not others:
        return {}
    by_user = {"uids": [uid], "others": others}
    of_user = {"uids": others, "others": [uid]}
    rows = await snapshot.fetch_many(SQL.find_blocks_between, [by_user, of_user])
    return _starts(Block(*row) for row in rows)


def _starts(blocks: Iterable[Block]) -> dict[BlockPair, int]:
    return {(each.uid, each.blocked): each.blocked_at for each in blocks}


async def list_blocks(
    snapshot: Snapshot, uid: str, page: PageRequest, cursor: TimeCursor | None
) -> tuple[list[Block], int]:
    """Return a page of a user's blocks of active users, newest first, and the total."""
    where = Where(uid=uid)
    total = await count_rows(snapshot, SQL.count_blocks, where)
    scan = Scan(SQL.list_blocks, "b.blocked_at, b.blocked", where, total)
    rows = await read_page(snapshot, scan, page, cursor)
    return [Block(*row) for row in rows], total


async def list_all_blocks(snapshot: Snapshot, after: BlockPair, *, limit: int) -> list[Block]:
    """Return blocks of an app, those after a pair."""
    uid, blocked = after
    rows = await snapshot.fetch(SQL.list_all, uid=uid, blocked=blocked, limit=limit)
    return [Block(*row) for row in rows]


async def list_blocks_by(snapshot: Snapshot, after: str, *, uid: str, limit: int) -> list[Block]:
    """Return the blocks of a user, also of deactivated users, those after a uid."""
    rows = await snapshot.fetch(SQL.list_by, uid=uid, blocked=after, limit=limit)
    return [Block(*row) for row in rows]


async def insert_blocks(tx: Transaction, blocks: Sequence[Block]) -> None:
    """Insert new blocks."""
    await tx.run_many(SQL.insert_block, blocks)


async def delete_blocks(tx: Transaction, uid: str, blocked: Sequence[str]) -> None:
    """Delete a user's blocks of the users `blocked`."""
    await tx.run_many(SQL.delete_block, [{"uid": uid, "blocked": other} for other in blocked])


async def delete_blocks_around(tx: Transaction, uid: str) -> None:
    """Delete all blocks by a user and all blocks of that user."""
    await tx.run(SQL.delete_blocks_by, uid=uid)
    await tx.run(SQL.delete_blocks_of, uid=uid)
