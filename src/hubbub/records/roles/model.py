"""Roles, the rules that they set for their users, and the errors about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from hubbub.kernel.errors import Conflict, Forbidden, LimitReached, NotFound

DEFAULT_ROLE = "default"
ALL, FRIENDS_ONLY = "all", "friendsOnly"  # a role's settings
ALLOW, DENY, FRIENDS = "allow", "deny", "friends"  # values of permissions
Value = str | list[str]
_encode = msgspec.json.Encoder().encode
_decode_permissions = msgspec.json.Decoder(dict[str, Value]).decode
_decode_restricted = msgspec.json.Decoder(dict[str, int]).decode


class RoleNotFound(NotFound):
    """The app does not have the role."""

    code = "ERR_ROLE_NOT_FOUND"

    def __init__(self, role: str) -> None:
        super().__init__(f"The role {role} does not exist.")


class RoleAlreadyExists(Conflict):
    """The id is taken."""

    code = "ERR_ROLE_ALREADY_EXISTS"

    def __init__(self, role: str) -> None:
        super().__init__(f"A role {role} already exists.")


class RoleDeleteDenied(Forbidden):
    """The default role can't be deleted, nor a role that users have."""

    code = "ERR_ROLE_DELETE_DENIED"

    def __init__(self, role: str) -> None:
        why = "every app has it" if role == DEFAULT_ROLE else "there are users who have it"
        super().__init__(
            f"The role {role} can't be deleted: {why}.",
            dev_message="Give its users another role first; the default role always stays.",
        )


class TooManyRoles(LimitReached):
    """The app has as many roles as its settings allow."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The app already has {most} roles, not counting the default one.",
            details={"role": [f"The limit is {most} roles per app."]},
        )


class PermissionDenied(Forbidden):
    """A restricted feature, a role permission or a scope permission forbids the call."""

    code = "ERR_PERMISSION_DENIED"

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(sentence, details={name: [sentence]})


@dataclass(frozen=True, slots=True)
class Role:
    """A role as stored; `metadata`, `permissions` and `restricted` are JSON text."""

    role: str
    name: str
    created_at: int
    description: str | None = None
    metadata: str | None = None
    list_users: str | None = None
    send_messages_to: str | None = None
    permissions: str | None = None
    restricted: str | None = None
    updated_at: int | None = None


def default_role(created_at: int) -> Role:
    """Return the default role as every app has it from its creation on."""
    return Role(DEFAULT_ROLE, "Default Role", created_at)


@dataclass(frozen=True, slots=True)
class RoleDraft:
    """A role to create; None is not given."""

    role: str
    name: str
    description: str | None = None
    metadata: dict[str, Any] | None = None
    list_users: str | None = None
    send_messages_to: str | None = None


@dataclass(frozen=True, slots=True)
class RoleChange:
    """New values; None keeps a field, and `unset` names fields to clear."""

    name: str | None = None
    description: str | None = None
    metadata: dict[str, Any] | None = None
    list_users: str | None = None
    send_messages_to: str | None = None
    unset: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RoleRules:
    """The rules of a role: what its users may not do."""

    role: str
    list_users: str | None = None
    send_messages_to: str | None = None
    permissions: Mapping[str, Value] = field(default_factory=dict)
    """The values that were set, by id; the default of the others restricts nothing."""
    restricted: frozenset[str] = frozenset()
    """Feature keys, without the prefix `u.`."""

    def denies(self, permission: str) -> bool:
        """Return whether the permission was set to `deny`."""
        return self.permissions.get(permission) == DENY

    def listed(self, permission: str) -> frozenset[str]:
        """Return the values of a permission that is a list; an empty list restricts nothing."""
        value = self.permissions.get(permission, ())
        return frozenset([value] if isinstance(value, str) else value)

    def shows_messages_of(self, category: str, type_: str) -> bool:
        """Return whether messages of a kind are shown that other users have sent."""
        categories = self.listed("listMessages.allowedMessageCategories")
        types = self.listed("listMessages.allowedMessageTypes")
        if categories and category not in categories:
            return False
        return category != "message" or not types or type_ in types

    @property
    def lists_friends_only(self) -> bool:
        """True if lists of users show friends only, by the setting or the permission."""
        is_set = self.list_users == FRIENDS_ONLY
        return is_set or self.permissions.get("listUsers.mode") == FRIENDS

    @property
    def sees_friends_only(self) -> bool:
        """True if only friends are found by uid."""
        return self.permissions.get("getUserDetails.mode") == FRIENDS

    @property
    def writes_to_friends_only(self) -> bool:
        """True if messages may go to friends and groups only, by the setting or the permission."""
        is_set = self.send_messages_to == FRIENDS_ONLY
        return is_set or self.permissions.get("sendMessage.mode") == FRIENDS


@lru_cache(maxsize=256)
def rules_of(
    role: str,
    list_users: str | None,
    send_messages_to: str | None,
    permissions: str | None,
    restricted: str | None,
) -> RoleRules:
    """Return the rules of a role from columns of its row."""
    return RoleRules(
        role,
        list_users,
        send_messages_to,
        _decode_permissions(permissions) if permissions else {},
        frozenset(_decode_restricted(restricted)) if restricted else frozenset(),
    )


def permissions_of(text: str | None) -> dict[str, Value]:
    """Return the permissions of a role as they were set, by id."""
    return _decode_permissions(text) if text else {}


def restricted_of(text: str | None) -> dict[str, int]:
    """Return the keys of a role's restricted features, without `u.`, with the time of each."""
    return _decode_restricted(text) if text else {}


def rules_text(rules: Mapping[str, object]) -> str | None:
    """Return permissions or restricted features as stored; None when nothing is set."""
    return _encode(rules).decode() if rules else None
