"""The table `erasures`, and deletion of an app's or a conversation's rows in any table."""

from collections.abc import Collection
from functools import cache, lru_cache

from hubbub.records.erasure.model import Erasure
from hubbub.records.receipts.model import all_but
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.migrations import Table, tenant_tables
from hubbub.storage.queries import Query, load_queries

SQL = load_queries(__package__)
OTHERS = ("messages", "message_tags", "memberships")


async def insert_erasure(tx: Transaction, erasure: Erasure, now: int) -> None:
    """Store an erasure, to be carried out in the background."""
    await tx.run(
        SQL.insert_erasure,
        kind=erasure.kind,
        subject=erasure.subject,
        upto_message=erasure.upto_message,
        upto_event=erasure.upto_event,
        requested_at=now,
    )


async def insert_erasures_of_conversations(tx: Transaction, erasure: Erasure, now: int) -> None:
    """Store an erasure for each one-to-one conversation of the user that `erasure` is about."""
    await tx.run(
        SQL.insert_erasures_of_conversations,
        uid=erasure.subject,
        upto_message=erasure.upto_message,
        upto_event=erasure.upto_event,
        requested_at=now,
    )


async def list_erasures(snapshot: Snapshot, after: str, *, limit: int) -> list[Erasure]:
    """Return up to `limit` erasures of one app: the first that has any after the id `after`."""
    rows = await snapshot.fetch(SQL.list_erasures, after=after, limit=limit)
    return [Erasure(*row) for row in rows]


async def find_erased_senders(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """Return the last message that is being erased, by uid of deleted users."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_erased_senders, uids=list(uids))
    return {row[0]: row[1] for row in rows}


async def find_erased_people(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """Return the last event that is being erased, by uid of deleted users."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_erased_people, uids=list(uids))
    return {row[0]: row[1] for row in rows}


async def count_pending(snapshot: Snapshot, at: int) -> int:
    """Count the erasures of an app that were requested up to a time, and are not complete."""
    row = await snapshot.fetch_one(SQL.count_pending, at=at)
    return int(row[0]) if row else 0


async def delete_erasure(tx: Transaction, erasure: Erasure) -> None:
    """Delete an erasure that is complete."""
    await tx.run(
        SQL.delete_erasure,
        kind=erasure.kind,
        subject=erasure.subject,
        upto_event=erasure.upto_event,
    )


async def delete_rows_of_app(tx: Transaction, table: Table, *, limit: int) -> int:
    """Delete up to `limit` of the app's rows from a table; return their number."""
    return await tx.run(_delete_from_app(table), limit=limit)


async def delete_rows_of_conversation(tx: Transaction, erasure: Erasure, *, limit: int) -> int:
    """Delete up to `limit` rows of a conversation, table by table; return their number.

    Memberships only end: members who were not connected are told of it when they come back. They
    are deleted with the events of their time.
    """
    number, count = int(erasure.subject), 0
    for table in tables_of_conversations():
        if count < limit:
            query, left = _delete_from_conversation(table), limit - count
            count += await tx.run(query, conversation=number, limit=left)
    if count < limit:
        left, to_event = limit - count, erasure.upto_event + 1  # that of the deletion
        count += await tx.run(
            SQL.end_memberships_in, conversation=number, to_event=to_event, limit=left
        )
    return count


async def delete_traces_of_user(tx: Transaction, erasure: Erasure, *, limit: int) -> int:
    """Delete up to `limit` rows that a user left, table by table; return their number.

    A later user of the same uid keeps theirs: they are beyond the numbers that `erasure` reaches.
    """
    uid = erasure.subject
    count = 0
    for query, owner, upto in (
        (SQL.delete_receipts_of, uid, erasure.upto_message),
        (SQL.delete_receipts_of, all_but(uid), erasure.upto_message),
        (SQL.forget_only_member, uid, erasure.upto_message),
        (SQL.delete_memberships_of, uid, erasure.upto_event),
    ):
        if count < limit:
            count += await tx.run(query, uid=owner, upto=upto, limit=limit - count)
    return count


@cache
def tables_of_conversations() -> tuple[Table, ...]:
    """Return the tables with a conversation in their key whose rows end with it.

    Messages and their tags, and memberships, are left out.
    """
    return tuple(
        table
        for table in tenant_tables()
        if "conversation" in table.key and table.name not in OTHERS
    )


@lru_cache(maxsize=128)
def _delete_from_conversation(table: Table) -> Query:
    return _delete_first(table, "app_id", "conversation")


@lru_cache(maxsize=128)
def _delete_from_app(table: Table) -> Query:
    return _delete_first(table, "app_id")


def _delete_first(table: Table, *known: str) -> Query:
    """Return a statement that deletes the first rows of a table in the order of its key.

    `known` are the columns of the key that are given. All words of the statement are names of the
    schema. It bounds the rows by the last key instead of listing the keys: whatever the planner
    assumes about the table, it reads no row more than twice.
    """
    order = [column for column in table.key if column not in known]
    key, back = ", ".join(order), ", ".join(f"{column} DESC" for column in order)
    which = " AND ".join(f"{column} = :{column}" for column in known)
    delete = f"DELETE FROM {table.name} WHERE {which}"  # noqa: S608
    first = f"SELECT {key} FROM {table.name} WHERE {which} ORDER BY {key} LIMIT :limit"  # noqa: S608
    last = f"SELECT {key} FROM ({first}) AS found ORDER BY {back} LIMIT 1"  # noqa: S608
    has_one_row = not order
    text = delete if has_one_row else f"{delete} AND ({key}) <= ({last})"
    name = f"delete_first_of_{table.name}_by_{known[-1]}"
    return Query(name, text, keeps=True)  # the app or conversation has ended: nobody looks them up
