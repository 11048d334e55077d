"""Events of roles."""

import msgspec

from hubbub.outbox.audience import NOBODY, NODES_ALONE, Audience, user_key
from hubbub.outbox.registry import event


@event("role_permissions_changed", told=NOBODY, actor=None, internal=True)
class RolePermissionsChanged(msgspec.Struct, frozen=True):
    """A role has these rules from now on; of its permissions the values that are set, by id."""

    role: str
    permissions: dict[str, str | list[str]]
    at: int
    list_users: str | None = None
    restricted: list[str] = []
    """The keys of the restricted features."""


@event("user_role_changed", told=Audience(NODES_ALONE, user_key), actor=None, internal=True)
class UserRoleChanged(msgspec.Struct, frozen=True):
    """A user has another role from now on, with these rules."""

    uid: str
    role: str
    permissions: dict[str, str | list[str]]
    at: int
    list_users: str | None = None
    restricted: list[str] = []
