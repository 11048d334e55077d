"""The shapes of groups."""

import msgspec

from hubbub.domain.groups.model import Group
from hubbub.rest.wire.shapes import Free, Shape

_decode = msgspec.json.Decoder().decode


class GroupShape(Shape, kw_only=True):
    """A group."""

    guid: str
    name: str
    description: str | None = None
    icon: str | None = None
    type: str
    scope: str | None = None
    members_count: int
    joined_at: int | None = None
    conversation_id: str
    has_joined: bool
    created_at: int
    owner: str
    updated_at: int | None = None
    updated_by: str | None = None
    tags: list[str] | None = None
    metadata: Free | None = None


def group_shape(group: Group, *, with_tags: bool = True) -> GroupShape:
    """`group` as the interface shows it to the app itself."""
    return GroupShape(
        guid=group.guid,
        name=group.name,
        description=group.description,
        icon=group.icon,
        type=group.type,
        members_count=group.members_count,
        conversation_id=f"group_{group.guid}",
        has_joined=False,
        created_at=group.created_at,
        owner=group.owner,
        updated_at=group.updated_at,
        updated_by=group.updated_by,
        tags=(group.tag_list or None) if with_tags else None,
        metadata=None if group.metadata is None else _decode(group.metadata),
    )
