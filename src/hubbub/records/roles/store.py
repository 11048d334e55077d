"""The table `roles`."""

from collections.abc import Collection
from dataclasses import asdict

from hubbub.kernel.pages import PageRequest
from hubbub.records.roles.model import DEFAULT_ROLE, Role
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, role_columns=Role)


async def insert_default_role(tx: Transaction, at: int) -> None:
    """The role that every app has from the start, and every user who has no other."""
    await insert_role(tx, Role(DEFAULT_ROLE, "Default Role", at))


async def insert_role(tx: Transaction, role: Role) -> None:
    """Store a new role."""
    await tx.run(SQL.insert_role, **asdict(role))


async def find_missing_roles(snapshot: Snapshot, roles: Collection[str]) -> set[str]:
    """Which of `roles` the app does not have."""
    wanted = set(roles) - {DEFAULT_ROLE}
    if not wanted:
        return set()
    rows = await snapshot.fetch(SQL.find_roles, roles=sorted(wanted))
    return wanted - {row[0] for row in rows}


async def find_role(snapshot: Snapshot, role: str) -> Role | None:
    """The role of that id."""
    row = await snapshot.fetch_one(SQL.find_role, role=role)
    return Role(*row) if row else None


async def list_roles(snapshot: Snapshot, page: PageRequest) -> list[Role]:
    """A page of the app's roles, newest first."""
    rows = await snapshot.fetch(SQL.list_roles, limit=page.per_page, offset=page.offset)
    return [Role(*row) for row in rows]


async def count_roles(snapshot: Snapshot) -> int:
    """How many roles the app has, the default one among them."""
    row = await snapshot.fetch_one(SQL.count_roles)
    return int(row[0]) if row else 0


async def update_role(tx: Transaction, role: Role) -> None:
    """Store a changed role."""
    await tx.run(SQL.update_role, **asdict(role))


async def delete_role(tx: Transaction, role: str) -> None:
    """Remove a role's row."""
    await tx.run(SQL.delete_role, role=role)


async def has_users(snapshot: Snapshot, role: str) -> bool:
    """Whether anybody has the role, be he deactivated; who was deleted comes back no more."""
    return await snapshot.fetch_one(SQL.find_user_of_role, role=role) is not None
