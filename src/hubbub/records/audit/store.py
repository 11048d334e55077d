"""The table `audit`, to which rows are only added: the engine refuses anything else."""

from msgspec import to_builtins

from hubbub.records.audit.model import AuditEntry, AuditFilter
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__, entry_columns=AuditEntry)
BEYOND = "\x7f"


async def insert_entry(tx: Transaction, entry: AuditEntry) -> None:
    """Add an entry."""
    await tx.run(SQL.insert_entry, **to_builtins(entry))


async def list_entries(
    snapshot: Snapshot, wanted: AuditFilter, *, limit: int, oldest_first: bool = False
) -> list[AuditEntry]:
    """Return up to `limit` entries, the newest first unless the oldest are asked for."""
    where = _where(wanted)
    query = SQL.list_oldest if oldest_first else SQL.list_newest
    rows = await snapshot.fetch(
        where.narrow(query), since=wanted.since or 0, limit=limit, **where.args
    )
    return [AuditEntry(*row) for row in rows]


async def find_time_behind(snapshot: Snapshot, wanted: AuditFilter, *, count: int) -> int | None:
    """Return the time of the entry that so many come after; None if there are not so many."""
    where = _where(wanted)
    row = await snapshot.fetch_one(
        where.narrow(SQL.find_time_behind), since=wanted.since or 0, count=count, **where.args
    )
    return row[0] if row else None


def _where(wanted: AuditFilter) -> Where:
    where = Where()
    if wanted.app is not None:
        where.add("a.app = :app", app=wanted.app)
    if wanted.operator is not None:
        where.add("a.operator = :operator", operator=wanted.operator)
    if wanted.action is not None:
        where.add(
            "(a.action = :action OR a.action >= :first AND a.action < :beyond)",
            action=wanted.action,
            first=f"{wanted.action}.",
            beyond=f"{wanted.action}.{BEYOND}",
        )
    if wanted.subject is not None:
        where.add("a.subject = :subject", subject=wanted.subject)
    if wanted.before is not None:
        where.add_keyset("a.at, a.id", wanted.before.at, wanted.before.id, is_before=True)
    if wanted.after is not None:
        where.add_keyset("a.at, a.id", wanted.after.at, wanted.after.id, is_before=False)
    return where
