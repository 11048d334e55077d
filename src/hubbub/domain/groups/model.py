"""What groups and members are, and what can be wrong about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.kernel.errors import Conflict, Forbidden, NotFound

PUBLIC, PRIVATE, PASSWORD = "public", "private", "password"  # a type of group
ADMIN, MODERATOR, PARTICIPANT = "admin", "moderator", "participant"
MOST_MEMBERS = 100_000
MOST_GROUPS_OF_A_USER = 2_000
_decode = msgspec.json.Decoder().decode


class GuidNotFound(NotFound):
    """There is no such group, or none that the caller may see."""

    code = "ERR_GUID_NOT_FOUND"

    def __init__(self, guid: str) -> None:
        super().__init__(f"The group with GUID {guid} does not exist.")


class GuidAlreadyExists(Conflict):
    """The guid is taken."""

    code = "ERR_GUID_ALREADY_EXISTS"

    def __init__(self, guid: str) -> None:
        super().__init__(f"A group with GUID {guid} exists already.")


class AlreadyJoined(Conflict):
    """He is a member already."""

    code = "ERR_ALREADY_JOINED"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is a member of the group {guid} already.")


class AlreadyBanned(Conflict):
    """He is banned already."""

    code = "ERR_ALREADY_BANNED"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is banned from the group {guid} already.")


class NoVacancy(Conflict):
    """The group is full."""

    code = "ERR_NO_VACANCY"

    def __init__(self, guid: str) -> None:
        super().__init__(f"The group {guid} has as many members as it may have.")


class GroupNotJoined(Forbidden):
    """Only members may do this."""

    code = "ERR_GROUP_NOT_JOINED"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is not a member of the group {guid}.")


class BannedMember(Forbidden):
    """He was banned from the group."""

    code = "ERR_BANNED_GROUPMEMBER"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is banned from the group {guid}.")


@dataclass(frozen=True, slots=True)
class Group:
    """A group; `metadata` and `tags` are JSON text as stored. Times in seconds."""

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

    @property
    def tag_list(self) -> list[str]:
        tags: list[str] = _decode(self.tags)
        return tags


@dataclass(frozen=True, slots=True)
class GroupDraft:
    """A group to be; None is what was not given."""

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


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in a group."""

    guid: str
    uid: str
    scope: str
    joined_at: int
