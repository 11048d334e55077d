"""The table `erasures`; and, for apps that go as a whole, the rows of any table."""

from collections.abc import Collection, Sequence
from functools import cache, lru_cache

from hubbub.records.erasure.model import Erasure
from hubbub.records.receipts.model import all_but
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.migrations import Table, tenant_tables
from hubbub.storage.queries import Query, load_queries

SQL = load_queries(__package__)


async def insert_erasures(tx: Transaction, erasures: Sequence[Erasure], now: int) -> None:
    """Store work to be done in the background."""
    rows = [
        {
            "kind": erasure.kind,
            "subject": erasure.subject,
            "upto_message": erasure.upto_message,
            "upto_event": erasure.upto_event,
            "requested_at": now,
        }
        for erasure in erasures
    ]
    await tx.run_many(SQL.insert_erasure, rows)


async def insert_erasures_of_conversations(tx: Transaction, erasure: Erasure, now: int) -> None:
    """Store that all one-to-one conversations of the erasure's user go with him."""
    await tx.run(
        SQL.insert_erasures_of_conversations,
        uid=erasure.subject,
        upto_message=erasure.upto_message,
        upto_event=erasure.upto_event,
        requested_at=now,
    )


async def list_erasures(snapshot: Snapshot, after: str, *, limit: int) -> list[Erasure]:
    """Some of the work that is left of the next app, after that one, that has any."""
    rows = await snapshot.fetch(SQL.list_erasures, after=after, limit=limit)
    return [Erasure(*row) for row in rows]


async def find_erased_senders(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """Up to which message each former holder of those uids is being erased."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_erased_senders, uids=list(uids))
    return {row[0]: row[1] for row in rows}


async def find_erased_people(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """Up to which event each former holder of those uids is being erased."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_erased_people, uids=list(uids))
    return {row[0]: row[1] for row in rows}


async def delete_erasure(tx: Transaction, erasure: Erasure) -> None:
    """Note that an erasure is done."""
    await tx.run(
        SQL.delete_erasure,
        kind=erasure.kind,
        subject=erasure.subject,
        upto_event=erasure.upto_event,
    )


async def delete_rows_of_app(tx: Transaction, table: Table, *, limit: int) -> int:
    """Remove up to `limit` of the app's rows from a table; returns how many there were."""
    return await tx.run(_delete_from(table), limit=limit)


async def delete_rows_of_conversation(tx: Transaction, number: int, *, limit: int) -> int:
    """Remove up to `limit` rows that hang on a conversation, by table; how many there were."""
    count = 0
    for table in tables_of_conversations():
        if count < limit:
            query, left = _delete_of_conversation(table), limit - count
            count += await tx.run(query, conversation=number, limit=left)
    return count


async def delete_traces_of_user(tx: Transaction, erasure: Erasure, *, limit: int) -> int:
    """Remove up to `limit` rows that a user left, by table; how many there were.

    They are told from those of whoever has his uid now by the numbers that had been reached.
    """
    uid = erasure.subject
    count = 0
    for query, whose, upto in (
        (SQL.delete_receipts_of, uid, erasure.upto_message),
        (SQL.delete_receipts_of, all_but(uid), erasure.upto_message),
        (SQL.forget_alone, uid, erasure.upto_message),
        (SQL.delete_memberships_of, uid, erasure.upto_event),
    ):
        if count < limit:
            count += await tx.run(query, uid=whose, upto=upto, limit=limit - count)
    return count


@cache
def tables_of_conversations() -> tuple[Table, ...]:
    """The tables whose rows hang on a conversation, but for messages and their tags."""
    return tuple(
        table
        for table in tenant_tables()
        if "conversation" in table.key and table.name not in ("messages", "message_tags")
    )


@lru_cache(maxsize=128)
def _delete_of_conversation(table: Table) -> Query:
    """Removes the first rows of a conversation, in the order of the key."""
    return _delete_first(table, "app_id", "conversation")


@lru_cache(maxsize=128)
def _delete_from(table: Table) -> Query:
    """Removes the first rows of an app, in the order of the key."""
    return _delete_first(table, "app_id")


def _delete_first(table: Table, *known: str) -> Query:
    """The statement for one of the schema's tables; all words in it are the schema's own.

    It names where the rows end, not each of them: whatever the planner thinks of the table, no row
    is looked at more than twice.
    """
    order = [column for column in table.key if column not in known]
    key, back = ", ".join(order), ", ".join(f"{column} DESC" for column in order)
    which = " AND ".join(f"{column} = :{column}" for column in known)
    delete = f"DELETE FROM {table.name} WHERE {which}"  # noqa: S608
    first = f"SELECT {key} FROM {table.name} WHERE {which} ORDER BY {key} LIMIT :limit"  # noqa: S608
    last = f"SELECT {key} FROM ({first}) AS found ORDER BY {back} LIMIT 1"  # noqa: S608
    is_one = not order  # the app has one row
    text = delete if is_one else f"{delete} AND ({key}) <= ({last})"
    return Query(f"delete_first_of_{table.name}_by_{known[-1]}", text)
