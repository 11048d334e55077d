"""The users and groups inside messages and action messages, and their kinds."""

from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.domain.users.update import PRIVATE
from hubbub.http.documented import documented_as
from hubbub.records.groups.model import Group
from hubbub.records.users.model import User
from hubbub.rest.wire.enums import GroupType, Scope, UserStatus
from hubbub.rest.wire.shapes import Json, Shape, decode_stored


class UserEntity(Shape, kw_only=True):
    """A user inside a message."""

    uid: str
    name: str
    role: str
    avatar: str | None = None
    link: str | None = None
    metadata: Annotated[Json | None, Meta(description="Without `@private`.")] = None
    status: Annotated[str, documented_as(UserStatus)]
    updated_at: int | None = None
    conversation_id: str | None = None


class MentionEntity(UserEntity, kw_only=True):
    """A mentioned user; the last five fields are present if the query asks for them."""

    tags: list[str] | None = None
    blocked_by_me: bool = False
    blocked_by_me_at: int | None = None
    has_blocked_me: bool = False
    blocked_at: int | None = None


class MemberEntity(UserEntity, kw_only=True):
    """A member inside an action message."""

    scope: Annotated[str | None, documented_as(Scope)] = None
    old_scope: Annotated[str | None, documented_as(Scope)] = None


class GroupEntity(Shape, kw_only=True):
    """A group inside a message."""

    guid: str
    name: str
    icon: str | None = None
    description: str | None = None
    metadata: Json | None = None
    type: Annotated[str, documented_as(GroupType)]
    owner: str
    created_at: int
    updated_at: int | None = None
    updated_by: str | None = None
    members_count: int
    conversation_id: str


class Entity(msgspec.Struct, rename="camel"):
    """A user, member or group, and which of these it is."""

    entity: UserEntity | MemberEntity | GroupEntity
    entity_type: str


class Entities(msgspec.Struct):
    """The sender and the receiver of a message."""

    sender: Entity
    receiver: Entity


class ActionShape(msgspec.Struct):
    """Who acted, on which member, and in which group."""

    by: Entity
    on: Entity
    # `for` is a Python keyword; the wire uses it.
    for_: Entity = msgspec.field(name="for")


class ActionData(msgspec.Struct):
    """The data of an action message about a member."""

    action: str
    entities: ActionShape


def _shown_to_all(metadata: str | None) -> Json | None:
    """Return a user's metadata without what only they and the app may see."""
    if metadata is None:
        return None
    shown = decode_stored(metadata)
    shown.pop(PRIVATE, None)
    return shown or None


def user_entity(user: User, conversation: str | None = None) -> UserEntity:
    """Return a user as shown inside a message."""
    return UserEntity(
        uid=user.uid,
        name=user.name,
        role=user.role,
        avatar=user.avatar,
        link=user.link,
        metadata=_shown_to_all(user.metadata),
        status=user.status,
        updated_at=user.updated_at,
        conversation_id=conversation,
    )


def mention_entity(
    user: User, blocked_at: int | None, has_blocked_at: int | None, *, with_tags: bool
) -> MentionEntity:
    """Return a mentioned user, with the times of the blocks between them and the viewer."""
    return MentionEntity(
        **msgspec.structs.asdict(user_entity(user)),
        tags=(user.tag_list or None) if with_tags else None,
        blocked_by_me=blocked_at is not None,
        blocked_by_me_at=blocked_at,
        has_blocked_me=has_blocked_at is not None,
        blocked_at=has_blocked_at,
    )


def sender_entity(sender: User) -> Entity:
    """Return the sender of a message, or the author of an action."""
    return Entity(user_entity(sender), "user")


def receiver_entity(receiver: User | Group, conversation: str) -> Entity:
    """Return the receiver of a message, with the wire id of its conversation."""
    if isinstance(receiver, User):
        return Entity(user_entity(receiver, conversation), "user")
    return Entity(
        GroupEntity(
            guid=receiver.guid,
            name=receiver.name,
            icon=receiver.icon,
            description=receiver.description,
            metadata=None if receiver.metadata is None else decode_stored(receiver.metadata),
            type=receiver.type,
            owner=receiver.owner,
            created_at=receiver.created_at,
            updated_at=receiver.updated_at,
            updated_by=receiver.updated_by,
            members_count=receiver.members_count,
            conversation_id=conversation,
        ),
        "group",
    )
