"""What a user is, and what can be wrong about one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.kernel.errors import BadInput, Conflict, NotFound
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.roles.model import DEFAULT_ROLE, RoleRules

OFFLINE = "offline"
AVAILABLE = "available"
LARGEST_METADATA = 5 * 1024
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class UidNotFound(NotFound):
    """There is no such user, or he is deactivated or deleted."""

    code = "ERR_UID_NOT_FOUND"

    def __init__(self, uid: str) -> None:
        super().__init__(f"The user with UID {uid} does not exist.")


class UidAlreadyExists(Conflict):
    """The uid is taken, be it by a deactivated or deleted user."""

    code = "ERR_UID_ALREADY_EXISTS"

    def __init__(self, uid: str) -> None:
        super().__init__(f"A user with UID {uid} exists already.")


class RoleUnknown(BadInput):
    """A user can't have a role that does not exist."""

    def __init__(self, role: str) -> None:
        super().__init__(
            "Failed to validate the data sent with the request.",
            details={"role": [f"The role {role} does not exist."]},
        )


@dataclass(frozen=True, slots=True)
class User:
    """Somebody; `metadata` and `tags` are JSON text as stored. Times in seconds."""

    uid: str
    name: str
    avatar: str | None
    link: str | None
    role: str
    status: str
    status_message: str | None
    metadata: str | None
    tags: str
    is_bot: bool
    created_at: int
    updated_at: int | None
    last_active_at: int | None
    deactivated_at: int | None
    deleted_at: int | None

    @property
    def is_active(self) -> bool:
        """Whether he can be found, act and be written to."""
        return self.deactivated_at is None and self.deleted_at is None

    @property
    def touched_at(self) -> int:
        """When he was changed last: lists are ordered by it."""
        return self.created_at if self.updated_at is None else self.updated_at

    @property
    def tag_list(self) -> list[str]:
        tags: list[str] = _decode(self.tags)
        return tags


SYSTEM = User(
    uid=SYSTEM_UID,
    name="System",
    avatar=None,
    link=None,
    role=DEFAULT_ROLE,
    status=OFFLINE,
    status_message=None,
    metadata=None,
    tags="[]",
    is_bot=False,
    created_at=0,
    updated_at=None,
    last_active_at=None,
    deactivated_at=None,
    deleted_at=None,
)
"""The app itself, where an answer must name somebody who acted."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user with the rules of his role."""

    user: User
    rules: RoleRules


THE_APP = Person(SYSTEM, RoleRules(DEFAULT_ROLE))
"""The app itself as somebody who acts: no rules hold for it."""


@dataclass(frozen=True, slots=True)
class UserDraft:
    """A user to be; None is what was not given. From an import it may have a past."""

    uid: str
    name: str
    avatar: str | None = None
    link: str | None = None
    role: str | None = None
    status_message: str | None = None
    metadata: dict[str, Any] | None = None
    tags: Sequence[str] = ()
    created_at: int | None = None
    last_active_at: int | None = None
    deactivated_at: int | None = None
    is_bot: bool = False


def check_metadata(metadata: dict[str, Any] | None) -> str | None:
    """Metadata as it is stored: compact JSON.

    Raises:
        BadInput: it has more than 5 KB.
    """
    if metadata is None:
        return None
    text = _encode(metadata)
    if len(text) > LARGEST_METADATA:
        raise BadInput.field(
            "metadata", f"The metadata has {len(text)} bytes of JSON; {LARGEST_METADATA} may be."
        )
    return text.decode()


def encode_tags(tags: Sequence[str]) -> str:
    """Tags as they are stored: a JSON list, in order, without duplicates."""
    return _encode(list(dict.fromkeys(tags))).decode()
