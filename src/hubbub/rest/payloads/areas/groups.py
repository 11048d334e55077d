"""The payloads of triggers about groups."""

from dataclasses import replace
from typing import Annotated

import msgspec

from hubbub.http.documented import documented_as
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import conversation_id, group_key
from hubbub.records.groups.events import (
    GroupCreated,
    GroupDeleted,
    GroupOwnerTransferred,
    GroupUpdated,
)
from hubbub.records.groups.model import Group
from hubbub.records.members.model import ADMIN
from hubbub.rest.payloads.areas.people import PayloadUser, payload_user
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import ANNA, NOW, sample_group
from hubbub.rest.wire.enums import GroupType, Scope
from hubbub.rest.wire.shapes import Json, Shape, decode_stored


class PayloadGroup(Shape, kw_only=True):
    """A group."""

    guid: str
    name: str
    description: str | None = None
    icon: str | None = None
    type: Annotated[str, documented_as(GroupType)]
    owner: str
    members_count: int
    conversation_id: str
    created_at: int
    updated_at: int | None = None
    updated_by: str | None = None
    tags: list[str] | None = None
    metadata: Json | None = None


class PayloadCreatedGroup(PayloadGroup, kw_only=True):
    """A new group; the last three fields are those of the user who created it, if not the app."""

    scope: Annotated[str | None, documented_as(Scope)] = None
    joined_at: int | None = None
    has_joined: bool = False


class PayloadOnlineGroup(PayloadGroup, kw_only=True):
    """A group with the number of its members who are connected."""

    online_members_count: int


class GroupCreatedPayload(Shape, kw_only=True):
    """The data of `group_created`; `members` has the owner, others are added by later events."""

    group: PayloadCreatedGroup
    members: dict[str, PayloadUser]


class GroupPayload(Shape, kw_only=True):
    """The data of `group_updated` and `group_deleted`; `updatedBy` is who did it."""

    group: PayloadOnlineGroup


class GroupOwnerPayload(Shape, kw_only=True):
    """The data of `group_owner_transferred`."""

    group: PayloadGroup
    old_owner: PayloadUser


def payload_group(group: Group) -> PayloadGroup:
    """Return a group as payloads show it: as anyone sees it who may see it."""
    return PayloadGroup(
        guid=group.guid,
        name=group.name,
        description=group.description,
        icon=group.icon,
        type=group.type,
        owner=group.owner,
        members_count=group.members_count,
        conversation_id=conversation_id(group_key(group.guid)),
        created_at=group.created_at,
        updated_at=group.updated_at,
        updated_by=group.updated_by,
        tags=group.tag_list or None,
        metadata=None if group.metadata is None else decode_stored(group.metadata),
    )


def created(facts: Facts, event: GroupCreated) -> GroupCreatedPayload | None:
    """Return the data of `group_created`; None if the group is gone."""
    group = facts.group(event.guid, event.conversation)
    if group is None:
        return None
    shown = PayloadCreatedGroup(**msgspec.structs.asdict(payload_group(group)))
    if event.owner == SYSTEM_UID:
        return GroupCreatedPayload(group=shown, members={})
    if event.by == event.owner:
        shown.scope, shown.joined_at, shown.has_joined = ADMIN, event.at, True
    return GroupCreatedPayload(
        group=shown, members={event.owner: payload_user(facts.user(event.owner))}
    )


def updated(facts: Facts, event: GroupUpdated) -> GroupPayload | None:
    """Return the data of `group_updated`; None if the group is gone."""
    group = facts.group(event.guid, event.conversation)
    if group is None:
        return None
    return GroupPayload(
        group=PayloadOnlineGroup(
            **msgspec.structs.asdict(payload_group(group)),
            online_members_count=facts.online_members[event.guid],
        )
    )


def deleted(_: Facts, event: GroupDeleted) -> GroupPayload:
    """Return the data of `group_deleted`: the event alone knows the group, as it was last."""
    return GroupPayload(
        group=PayloadOnlineGroup(
            guid=event.guid,
            name=event.name,
            description=event.description,
            icon=event.icon,
            type=event.type,
            owner=event.owner,
            members_count=event.members_count,
            conversation_id=conversation_id(group_key(event.guid)),
            created_at=event.created_at,
            updated_at=event.at,
            updated_by=event.by,
            online_members_count=0,  # nobody is a member any more
        )
    )


def transferred(facts: Facts, event: GroupOwnerTransferred) -> GroupOwnerPayload | None:
    """Return the data of `group_owner_transferred`; None if the group is gone."""
    group = facts.group(event.guid, event.conversation)
    if group is None:
        return None
    return GroupOwnerPayload(
        group=payload_group(replace(group, owner=event.owner)),
        old_owner=payload_user(facts.user(event.old_owner)),
    )


def _add_created(named: Named, event: GroupCreated) -> None:
    named.guids.add(event.guid)
    named.uids.add(event.owner)


def _add_updated(named: Named, event: GroupUpdated) -> None:
    named.guids.add(event.guid)
    named.updated_groups.add(event.guid)


def _add_nothing(_: Named, __: GroupDeleted) -> None:
    """The event has all that is shown."""


def _add_transferred(named: Named, event: GroupOwnerTransferred) -> None:
    named.guids.add(event.guid)
    named.uids.add(event.old_owner)


PAYLOADS = (
    Payload((GroupCreated,), GroupCreatedPayload, created, _add_created),
    Payload((GroupUpdated,), GroupPayload, updated, _add_updated),
    Payload((GroupDeleted,), GroupPayload, deleted, _add_nothing),
    Payload((GroupOwnerTransferred,), GroupOwnerPayload, transferred, _add_transferred),
)

_CHANGED: Json = {"group": sample_group(updatedAt=NOW, updatedBy="anna", onlineMembersCount=1)}
_NEW = sample_group(membersCount=1, createdAt=NOW, scope="admin", joinedAt=NOW, hasJoined=True)
SAMPLES: dict[str, Json] = {
    "group_created": {"group": _NEW, "members": {"anna": ANNA}},
    "group_updated": _CHANGED,
    "group_deleted": _CHANGED,
    "group_owner_transferred": {
        "group": sample_group(owner="ben", updatedAt=NOW, updatedBy="anna"),
        "oldOwner": ANNA,
    },
}
