"""Read the audit log."""

from collections.abc import Sequence

from hubbub.records.audit.model import AuditEntry, AuditFilter
from hubbub.records.audit.store import list_entries
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION


async def list_audit(
    runtime: Runtime, wanted: AuditFilter, *, limit: int, oldest_first: bool = False
) -> Sequence[AuditEntry]:
    """Return up to `limit` entries, the newest first unless the oldest are asked for."""
    return await runtime.database.read(
        INSTALLATION,
        lambda snapshot: list_entries(snapshot, wanted, limit=limit, oldest_first=oldest_first),
    )
