"""Users, their profiles, and their errors."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
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
    """The user does not exist, or is deactivated or deleted."""

    code = "ERR_UID_NOT_FOUND"

    def __init__(self, uid: str) -> None:
        super().__init__(f"The user with UID {uid} does not exist.")


class UidAlreadyExists(Conflict):
    """The uid is taken, possibly by a deactivated or deleted user."""

    code = "ERR_UID_ALREADY_EXISTS"

    def __init__(self, uid: str) -> None:
        super().__init__(f"A user with UID {uid} exists already.")


class RoleUnknown(BadInput):
    """A user is given a role that does not exist."""

    def __init__(self, role: str) -> None:
        super().__init__(
            "Failed to validate the data sent with the request.",
            details={"role": [f"The role {role} does not exist."]},
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """The fields of a user that a client writes, as given; None is not given.

    `ProfileFields` of the wire has the same fields, `User` has them as stored.
    """

    name: str | None = None
    avatar: str | None = None
    link: str | None = None
    role: str | None = None
    status_message: str | None = None
    metadata: dict[str, Any] | None = None
    tags: Sequence[str] | None = None


PROFILE_FIELDS = tuple(field.name for field in fields(Profile))
_profile_values = attrgetter(*PROFILE_FIELDS)


class User(msgspec.Struct, frozen=True, gc=False):
    """A row of `users`; `metadata` and `tags` are JSON text as stored. Times in seconds."""

    uid: str
    name: str
    avatar: str | None = None
    link: str | None = None
    role: str = DEFAULT_ROLE
    status: str = OFFLINE
    status_message: str | None = None
    metadata: str | None = None
    tags: str = "[]"
    is_bot: bool = False
    created_at: int = 0
    updated_at: int | None = None
    last_active_at: int | None = None
    deactivated_at: int | None = None
    deleted_at: int | None = None

    @property
    def is_active(self) -> bool:
        """Return whether the user can be found, act and receive messages."""
        return self.deactivated_at is None and self.deleted_at is None

    @property
    def touched_at(self) -> int:
        """Return the time of the latest change: lists are ordered by it."""
        return self.created_at if self.updated_at is None else self.updated_at

    @property
    def tag_list(self) -> list[str]:
        tags: list[str] = _decode(self.tags)
        return tags


SYSTEM = User(SYSTEM_UID, "System")
"""The app itself, where an answer must name a user who acted."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user with the rules of their role."""

    user: User
    rules: RoleRules


THE_APP = Person(SYSTEM, RoleRules(DEFAULT_ROLE))
"""The app itself as the acting user: no rules apply to it."""


@dataclass(frozen=True, slots=True)
class UserDraft:
    """A user to create; the profile has a name. Times are those of an import."""

    uid: str
    profile: Profile
    created_at: int | None = None
    last_active_at: int | None = None
    deactivated_at: int | None = None
    is_bot: bool = False


def encode_profile(profile: Profile) -> dict[str, Any]:
    """Return the given fields of a profile by name, as `User` stores them.

    Raises:
        BadInput: the metadata has more than 5 KB.
    """
    given = zip(PROFILE_FIELDS, _profile_values(profile), strict=True)
    stored = {name: value for name, value in given if value is not None}
    if profile.metadata is not None:
        stored["metadata"] = check_metadata(profile.metadata)
    if profile.tags is not None:
        stored["tags"] = encode_tags(profile.tags)
    return stored


def check_metadata(metadata: dict[str, Any] | None) -> str | None:
    """Return metadata as stored: compact JSON.

    Raises:
        BadInput: the metadata has more than 5 KB.
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
    """Return tags as stored: a JSON list, in order, without duplicates."""
    return _encode(list(dict.fromkeys(tags))).decode()
