"""Change a user's profile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.outbox import lock_counters
from hubbub.records.roles.store import find_missing_roles
from hubbub.records.users import store
from hubbub.records.users.model import RoleUnknown, User, check_metadata, encode_tags
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

PRIVATE = "@private"
"""The part of a user's metadata that only the app's own server writes."""
_decode = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """New values; None leaves a field as it is, and `unset` empties some."""

    name: str | None = None
    avatar: str | None = None
    link: str | None = None
    role: str | None = None
    status_message: str | None = None
    metadata: dict[str, Any] | None = None
    tags: Sequence[str] | None = None
    unset: Sequence[str] = ()
    keeps_private: bool = False
    """Whether `metadata.@private` stays as it is, whatever becomes of the rest."""


async def update_user(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, change: ProfileChange
) -> User:
    """Change a user's profile; what is not given stays.

    Raises:
        UidNotFound: there is no such user, or he (or the acting user) is deactivated.
        NotOwnUser: another user acts.
        RoleUnknown: there is no such role.
        BadInput: the metadata is too large.
    """

    async def within(tx: Transaction) -> User:
        await lock_counters(tx)  # one at a time: a change is read, merged and written
        before = await access_own(tx, actor, uid)
        if change.role and await find_missing_roles(tx, {change.role}):
            raise RoleUnknown(change.role)
        after = apply_change(before, change, runtime.clock.now())
        await store.update_user(tx, before, after)
        return after

    return await runtime.database.write(app_id, within)


def apply_change(user: User, change: ProfileChange, now: int) -> User:
    """The user after the change.

    Raises:
        BadInput: the metadata is too large.
    """
    given: dict[str, Any] = {
        "name": change.name,
        "avatar": change.avatar,
        "link": change.link,
        "role": change.role,
        "status_message": change.status_message,
        "tags": None if change.tags is None else encode_tags(change.tags),
    }
    changes = {name: value for name, value in given.items() if value is not None}
    changes.update(dict.fromkeys(change.unset), metadata=_metadata(user, change))
    return replace(user, **changes, updated_at=now)


def _metadata(user: User, change: ProfileChange) -> str | None:
    """The metadata after the change, as it is stored."""
    is_unset = "metadata" in change.unset
    if change.metadata is None and not is_unset:
        return user.metadata
    wanted = None if is_unset else change.metadata
    before = _decode(user.metadata or "{}")
    if change.keeps_private and PRIVATE in before:
        wanted = {**(wanted or {}), PRIVATE: before[PRIVATE]}
    return check_metadata(wanted)
