"""The table `roles`."""

from collections.abc import Collection

from hubbub.kernel.pages import PageRequest
from hubbub.records.listing import count_rows
from hubbub.records.roles.model import DEFAULT_ROLE, Role, default_role
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, role_columns=Role)


async def insert_default_role(tx: Transaction, at: int) -> None:
    """Insert the role that every app has from the start; users without another role have it."""
    await insert_role(tx, default_role(at))


async def insert_role(tx: Transaction, role: Role) -> None:
    """Insert a new role."""
    await tx.run_many(SQL.insert_role, [role])


async def find_missing_roles(snapshot: Snapshot, roles: Collection[str]) -> set[str]:
    """Return those of `roles` that the app does not have."""
    wanted = set(roles) - {DEFAULT_ROLE}
    if not wanted:
        return set()
    rows = await snapshot.fetch(SQL.find_roles, roles=sorted(wanted))
    return wanted - {role for (role,) in rows}


async def find_role(snapshot: Snapshot, role: str) -> Role | None:
    """Return the role with an id."""
    row = await snapshot.fetch_one(SQL.find_role, role=role)
    return Role(*row) if row else None


async def list_roles(snapshot: Snapshot, page: PageRequest) -> list[Role]:
    """Return a page of the app's roles, newest first."""
    rows = await snapshot.fetch(SQL.list_roles, limit=page.per_page, offset=page.offset)
    return [Role(*row) for row in rows]


async def list_by_id(snapshot: Snapshot) -> list[Role]:
    """Return all roles of the app, the default one too, in the order of their ids."""
    return [Role(*row) for row in await snapshot.fetch(SQL.list_by_id)]


async def count_roles(snapshot: Snapshot) -> int:
    """Return the number of the app's roles, including the default one."""
    return await count_rows(snapshot, SQL.count_roles)


async def update_role(tx: Transaction, role: Role) -> None:
    """Update a role."""
    await tx.run_many(SQL.update_role, [role])


async def delete_role(tx: Transaction, role: str) -> None:
    """Delete a role."""
    await tx.run(SQL.delete_role, role=role)


async def has_users(snapshot: Snapshot, role: str) -> bool:
    """Return whether a user has the role, also a deactivated one; deleted users don't count."""
    return await snapshot.fetch_one(SQL.find_user_of_role, role=role) is not None
