"""The table `erasures`; and, for apps that go as a whole, the rows of any table."""

from collections.abc import Collection, Sequence
from functools import cache, lru_cache

from hubbub.domain.erasure.model import Erasure
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


async def list_erasures(snapshot: Snapshot, *, limit: int) -> list[Erasure]:
    """Some of the work that is left, of every app."""
    return [Erasure(*row) for row in await snapshot.fetch(SQL.list_erasures, limit=limit)]


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


TRACES_BY_MESSAGE = (SQL.delete_receipts_of, SQL.delete_mentions_of)
"""What a user leaves, besides messages: told from his successor's by the messages it is about."""
TRACES_BY_EVENT = (SQL.delete_memberships_of,)
"""The same, told apart by the events in which it was made."""


async def delete_traces_of_user(tx: Transaction, erasure: Erasure, *, limit: int) -> int:
    """Remove up to `limit` rows that a user left, by table; how many there were.

    They are told from those of whoever has his uid now by the numbers that had been reached.
    """
    by_message = [(query, erasure.upto_message) for query in TRACES_BY_MESSAGE]
    by_event = [(query, erasure.upto_event) for query in TRACES_BY_EVENT]
    count = 0
    for query, upto in (*by_message, *by_event):
        if count < limit:
            left = limit - count
            count += await tx.run(query, uid=erasure.subject, upto=upto, limit=left)
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
    """The statement for one of the schema's tables; all words in it are the schema's own."""
    key = ", ".join(table.key)
    which = "app_id = :app_id AND conversation = :conversation"
    some = f"SELECT {key} FROM {table.name} WHERE {which} LIMIT :limit"  # noqa: S608
    return Query(
        f"delete_of_conversation_{table.name}",
        f"DELETE FROM {table.name} WHERE {which} AND ({key}) IN ({some})",  # noqa: S608
    )


@lru_cache(maxsize=128)
def _delete_from(table: Table) -> Query:
    """The statement for one of the schema's tables; all words in it are the schema's own."""
    key = ", ".join(table.key)
    some = f"SELECT {key} FROM {table.name} WHERE app_id = :app_id LIMIT :limit"  # noqa: S608
    return Query(
        f"delete_from_{table.name}",
        f"DELETE FROM {table.name} WHERE app_id = :app_id AND ({key}) IN ({some})",  # noqa: S608
    )
