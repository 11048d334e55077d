"""Checks of role and scope permissions. What no permission mentions is allowed."""

from hubbub.records.groups.model import Group, scope_permissions_of
from hubbub.records.roles.model import DENY, PermissionDenied, RoleRules


class RoleForbids(PermissionDenied):
    """A permission of the acting user's role forbids this."""

    def __init__(self, rules: RoleRules, permission: str) -> None:
        super().__init__(
            permission, f"The permission {permission} of the role {rules.role} forbids this."
        )


class SettingForbids(PermissionDenied):
    """A setting of the acting user's role forbids this."""

    def __init__(self, rules: RoleRules, setting: str) -> None:
        name = f"settings.{setting}"
        super().__init__(name, f"The setting {name} of the role {rules.role} forbids this.")


class ScopeForbids(PermissionDenied):
    """A permission of the acting member's scope forbids this."""

    def __init__(self, guid: str, scope: str, permission: str) -> None:
        super().__init__(
            permission,
            f"The permission {permission} of the scope {scope} in the group {guid} forbids this.",
        )


def refuse_verb(rules: RoleRules, permission: str) -> RoleForbids | None:
    """Return a refusal if a permission is denied to a role."""
    return RoleForbids(rules, permission) if rules.denies(permission) else None


def check_verb(rules: RoleRules, permission: str) -> None:
    """Check that a permission is not denied to a role.

    Raises:
        RoleForbids: it is denied.
    """
    refusal = refuse_verb(rules, permission)
    if refusal is not None:
        raise refusal


def refuse_kind(rules: RoleRules, permission: str, kind: str) -> RoleForbids | None:
    """Return a refusal if a permission of a role lists kinds, and `kind` is not one of them."""
    listed = rules.listed(permission)
    return RoleForbids(rules, permission) if listed and kind not in listed else None


def refuse_scope(group: Group, scope: str, permission: str) -> ScopeForbids | None:
    """Return a refusal if a permission is denied to a scope in a group."""
    if group.permissions is None:
        return None
    value = scope_permissions_of(group.permissions).get(scope, {}).get(permission)
    return ScopeForbids(group.guid, scope, permission) if value == DENY else None


def scopes_shown(group: Group, scope: str, permission: str) -> frozenset[str]:
    """Return the scopes that a permission lists for members of `scope`; empty means all."""
    if group.permissions is None:
        return frozenset()
    value = scope_permissions_of(group.permissions).get(scope, {}).get(permission, [])
    return frozenset([value] if isinstance(value, str) else value)
