"""Announce the rules of a role, so that open sockets follow them."""

from hubbub.records.roles.events import RolePermissionsChanged, UserRoleChanged
from hubbub.records.roles.model import Role, permissions_of, restricted_of
from hubbub.storage.interface import Transaction


def announce_rules(tx: Transaction, role: Role, now: int) -> None:
    """Announce that the rules of a role have changed."""
    permissions, restricted = permissions_of(role.permissions), restricted_of(role.restricted)
    tx.announce(
        RolePermissionsChanged(
            role.role, permissions, now, list_users=role.list_users, restricted=[*restricted]
        )
    )


def announce_role_of(tx: Transaction, uid: str, name: str, role: Role | None, now: int) -> None:
    """Announce that a user has another role; it may be None if it has no row."""
    tx.announce(
        UserRoleChanged(
            uid,
            name,
            permissions_of(role.permissions if role else None),
            now,
            list_users=role.list_users if role else None,
            restricted=[*restricted_of(role.restricted if role else None)],
        )
    )
