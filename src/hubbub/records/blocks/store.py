"""The table `blocks`."""

from collections.abc import Iterable, Sequence

from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.records.blocks.model import Block
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__, block_columns=Block)

Pair = tuple[str, str]
"""Who has blocked, and whom."""


async def find_blocks(snapshot: Snapshot, pairs: Iterable[Pair]) -> dict[Pair, int]:
    """Since when each of the pairs is a block, of those that are."""
    asked = [{"uid": uid, "blocked": blocked} for uid, blocked in dict.fromkeys(pairs)]
    rows = await snapshot.fetch_many(SQL.find_block, asked)
    return {(row[0], row[1]): row[2] for row in rows}


async def find_blocks_around(
    snapshot: Snapshot, uid: str, others: Sequence[str]
) -> dict[Pair, int]:
    """Since when a user has blocked some of `others`, and some of them him."""
    if not others:
        return {}
    by_him = {"uids": [uid], "others": others}
    of_him = {"uids": others, "others": [uid]}
    rows = await snapshot.fetch_many(SQL.find_blocks_between, [by_him, of_him])
    return {(row[0], row[1]): row[2] for row in rows}


async def list_blocks(
    snapshot: Snapshot, uid: str, page: PageRequest, cursor: TimeCursor | None
) -> tuple[list[Block], int]:
    """A page of a user's blocks of active users, newest first, and how many there are in all."""
    where, offset = Where(), page.offset
    is_after = cursor is not None and not cursor.is_before
    if cursor is not None:
        offset = 0
        place = {"at": cursor.at, "cursor_uid": cursor.id}
        if cursor.is_before:
            where.add("(b.blocked_at, b.blocked) < (:at, :cursor_uid)", **place)
        else:
            where.add("(b.blocked_at, b.blocked) > (:at, :cursor_uid)", **place)
    query = where.narrow(SQL.list_blocks, order="b.blocked_at, b.blocked" if is_after else None)
    rows = await snapshot.fetch(query, uid=uid, limit=page.per_page, offset=offset, **where.args)
    blocks = [Block(*row) for row in rows]
    count = await snapshot.fetch_one(SQL.count_blocks, uid=uid)
    return blocks[::-1] if is_after else blocks, int(count[0]) if count else 0


async def insert_blocks(tx: Transaction, blocks: Sequence[Block]) -> None:
    """Store new blocks."""
    rows = [
        {"uid": each.uid, "blocked": each.blocked, "blocked_at": each.blocked_at} for each in blocks
    ]
    await tx.run_many(SQL.insert_block, rows)


async def delete_blocks(tx: Transaction, uid: str, blocked: Sequence[str]) -> None:
    """Lift a user's blocks of those."""
    await tx.run_many(SQL.delete_block, [{"uid": uid, "blocked": other} for other in blocked])


async def delete_blocks_around(tx: Transaction, uid: str) -> None:
    """Lift all blocks by a user, and all of him."""
    await tx.run(SQL.delete_blocks_by, uid=uid)
    await tx.run(SQL.delete_blocks_of, uid=uid)
