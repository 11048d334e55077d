"""Groups, their scope permissions, and the errors about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from hubbub.kernel.errors import Conflict, NotFound

PUBLIC, PRIVATE, PASSWORD = "public", "private", "password"  # types of groups
_decode = msgspec.json.Decoder().decode

ScopePermissions = dict[str, dict[str, str | list[str]]]
"""Values by scope and permission id."""
_decode_permissions = msgspec.json.Decoder(ScopePermissions).decode


class GuidNotFound(NotFound):
    """The group does not exist, or the caller may not see it."""

    code = "ERR_GUID_NOT_FOUND"

    def __init__(self, guid: str) -> None:
        super().__init__(f"The group with GUID {guid} does not exist.")


class GuidAlreadyExists(Conflict):
    """The guid is taken."""

    code = "ERR_GUID_ALREADY_EXISTS"

    def __init__(self, guid: str) -> None:
        super().__init__(f"A group with GUID {guid} already exists.")


@dataclass(frozen=True, slots=True)
class Group:
    """A group; `metadata`, `tags` and `permissions` are JSON text as stored. Times in seconds."""

    guid: str
    name: str
    type: str
    icon: str | None
    description: str | None
    owner: str
    metadata: str | None
    tags: str
    members_count: int
    conversation: int
    created_at: int
    updated_at: int | None
    updated_by: str | None
    permissions: str | None

    @property
    def touched_at(self) -> int:
        """Return the time of the latest change: lists are ordered by it."""
        return self.created_at if self.updated_at is None else self.updated_at

    @property
    def tag_list(self) -> list[str]:
        tags: list[str] = _decode(self.tags)
        return tags


@dataclass(frozen=True, slots=True)
class GroupDraft:
    """A group to create; None is not given."""

    guid: str
    name: str
    type: str
    password_hash: str | None = None
    icon: str | None = None
    description: str | None = None
    owner: str | None = None
    metadata: dict[str, Any] | None = None
    tags: Sequence[str] = ()
    created_at: int | None = None


@lru_cache(maxsize=1024)
def scope_permissions_of(text: str | None) -> ScopePermissions:
    """Return the scope permissions of a group as they were set; do not change them in place."""
    return _decode_permissions(text) if text else {}
