"""Change a user's profile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.domain.roles.manage import announce_role_of
from hubbub.outbox import lock_counters
from hubbub.records.roles.store import find_missing_roles, find_role
from hubbub.records.users import store
from hubbub.records.users.model import Profile, RoleUnknown, User, encode_profile
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

PRIVATE = "@private"
"""The part of a user's metadata that only the app itself writes, not the user."""
_decode = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """The new values of a profile; fields that are not given stay, those in `unset` become null."""

    profile: Profile
    unset: Sequence[str] = ()
    keeps_private: bool = False
    """Whether `metadata.@private` stays, even if the rest of the metadata is replaced or unset."""


async def update_user(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, change: ProfileChange
) -> User:
    """Change a user's profile; fields that are not given stay.

    Raises:
        UidNotFound: the user or the acting user does not exist or is deactivated.
        NotOwnUser: the acting user is another user.
        RoleUnknown: the role does not exist.
        BadInput: the metadata is too large.
    """

    async def within(tx: Transaction) -> User:
        await lock_counters(tx)  # one at a time: the profile is read, merged and written
        before = await access_own(tx, actor, uid)
        role = change.profile.role
        if role and await find_missing_roles(tx, {role}):
            raise RoleUnknown(role)
        after = apply_change(before, change, runtime.clock.now())
        await store_profile(tx, before, after, runtime.clock.now())
        return after

    return await runtime.database.write(app_id, within)


async def store_profile(tx: Transaction, before: User, after: User, now: int) -> None:
    """Store a user's changed profile, and announce a change of their role."""
    await store.update_user(tx, before, after)
    if after.role != before.role:
        announce_role_of(tx, after.uid, after.role, await find_role(tx, after.role), now)


def apply_change(user: User, change: ProfileChange, now: int) -> User:
    """Return the user after the change.

    Raises:
        BadInput: the metadata is too large.
    """
    emptied: dict[str, Any] = dict.fromkeys(change.unset)
    profile = replace(change.profile, **emptied)
    if change.keeps_private and ("metadata" in emptied or profile.metadata is not None):
        profile = _keep_private(user, profile)
    stored = emptied | encode_profile(profile)
    return msgspec.structs.replace(user, **stored, updated_at=now)


def _keep_private(user: User, profile: Profile) -> Profile:
    before = _decode(user.metadata or "{}")
    if PRIVATE not in before:
        return profile
    return replace(profile, metadata={**(profile.metadata or {}), PRIVATE: before[PRIVATE]})
