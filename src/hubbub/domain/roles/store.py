"""The table `roles`."""

from collections.abc import Collection

from hubbub.domain.roles.model import DEFAULT_ROLE
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def insert_default_role(tx: Transaction, at: int) -> None:
    """The role that every app has from the start, and every user who has no other."""
    await tx.run(SQL.insert_role, role=DEFAULT_ROLE, name="Default Role", created_at=at)


async def find_missing_roles(snapshot: Snapshot, roles: Collection[str]) -> set[str]:
    """Which of `roles` the app does not have."""
    wanted = set(roles) - {DEFAULT_ROLE}
    if not wanted:
        return set()
    rows = await snapshot.fetch(SQL.find_roles, roles=sorted(wanted))
    return wanted - {row[0] for row in rows}
