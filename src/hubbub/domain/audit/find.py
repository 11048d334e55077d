"""Read the audit log."""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.records.audit.model import AuditEntry, AuditFilter, AuditPosition
from hubbub.records.audit.store import find_time_behind, list_entries
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot

LOOKED_THROUGH = 20_000
"""So many entries are looked through at once for those that no index finds."""


async def list_audit(
    runtime: Runtime, wanted: AuditFilter, *, limit: int, oldest_first: bool = False
) -> Sequence[AuditEntry]:
    """Return up to `limit` entries, the newest first unless the oldest are asked for."""
    return await runtime.database.read(
        INSTALLATION,
        lambda snapshot: list_entries(snapshot, wanted, limit=limit, oldest_first=oldest_first),
    )


async def list_latest(
    runtime: Runtime, wanted: AuditFilter, *, limit: int
) -> tuple[Sequence[AuditEntry], AuditPosition | None]:
    """Return entries, the newest first, and the position before which older ones may be.

    Those about a subject an index finds; for those of an operator, or with an action, so many are
    looked through at once that it takes as long in a log of millions.
    """

    async def within(snapshot: Snapshot) -> tuple[Sequence[AuditEntry], AuditPosition | None]:
        behind = None
        if wanted.subject is None and (wanted.operator or wanted.action):
            of_app = AuditFilter(app=wanted.app, since=wanted.since, before=wanted.before)
            behind = await find_time_behind(snapshot, of_app, count=LOOKED_THROUGH)
        since = wanted.since if behind is None else behind
        found = await list_entries(snapshot, replace(wanted, since=since), limit=limit + 1)
        if len(found) > limit:
            return found[:limit], found[limit - 1].position
        return found, AuditPosition(behind, "") if behind is not None else None

    return await runtime.database.read(INSTALLATION, within)
