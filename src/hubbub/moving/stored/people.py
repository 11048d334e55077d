"""Stored roles and users as lines."""

from collections.abc import Sequence

import msgspec

from hubbub.moving.lines import RoleLine, UserLine
from hubbub.records.roles.model import DEFAULT_ROLE, Role, permissions_of, restricted_of
from hubbub.records.roles.store import find_role
from hubbub.records.users import store
from hubbub.records.users.model import User
from hubbub.storage.interface import Snapshot

_decode = msgspec.json.Decoder(dict[str, object]).decode


async def find_roles(snapshot: Snapshot, lines: Sequence[RoleLine]) -> dict[str, RoleLine]:
    """Return the stored roles with the ids of the given ones, by id."""
    found = {line.role: await find_role(snapshot, line.role) for line in lines}
    return {id_: role_line(role) for id_, role in found.items() if role is not None}


def role_line(role: Role) -> RoleLine:
    """Return the line of a role."""
    return RoleLine(
        role=role.role,
        name=role.name,
        description=role.description,
        metadata=_decode(role.metadata) if role.metadata else None,
        list_users=role.list_users,  # type: ignore[arg-type]  # checked when it was stored
        send_messages_to=role.send_messages_to,  # type: ignore[arg-type]
        permissions=permissions_of(role.permissions) or None,
        restricted=restricted_of(role.restricted) or None,
        # Every app has the default role from its own creation on.
        created_at=None if role.role == DEFAULT_ROLE else role.created_at,
    )


async def find_users(snapshot: Snapshot, lines: Sequence[UserLine]) -> dict[str, UserLine]:
    """Return the stored users with the uids of the given ones, by uid.

    A softly deleted user is only found by a line that says so, too.
    """
    found = await store.find_users(snapshot, {line.uid for line in lines})
    deleted = {line.uid for line in lines if line.deleted_at is not None}
    return {
        uid: user_line(user)
        for uid, user in found.items()
        if user.deleted_at is None or uid in deleted
    }


def user_line(user: User) -> UserLine:
    """Return the line of a user."""
    return UserLine(
        uid=user.uid,
        name=user.name,
        avatar=user.avatar,
        link=user.link,
        role=user.role,
        status_message=user.status_message,
        metadata=_decode(user.metadata) if user.metadata else None,
        tags=user.tag_list or None,
        is_bot=user.is_bot,
        created_at=user.created_at,
        last_active_at=user.last_active_at,
        deactivated_at=user.deactivated_at,
        deleted_at=user.deleted_at,
    )
