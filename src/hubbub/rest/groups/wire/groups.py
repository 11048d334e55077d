"""The shapes of groups."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.groups import create
from hubbub.domain.groups.update import GroupChange
from hubbub.domain.members.add import Outcomes
from hubbub.http.documented import documented_as
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.groups.listing import GroupFilter
from hubbub.records.groups.model import Group, GroupDraft
from hubbub.records.members.model import Member
from hubbub.rest.groups.wire.members import AddedMembers, MemberLists, added_members
from hubbub.rest.wire.enums import GroupType, Scope
from hubbub.rest.wire.shapes import (
    CursorQuery,
    Id,
    Json,
    Link,
    Name,
    SearchKey,
    Shape,
    ShortText,
    Tag,
    Tags,
    decode_stored,
)

Password = Annotated[str, Meta(max_length=100)]


class GroupShape(Shape, kw_only=True):
    """A group; `scope`, `joinedAt` and `hasJoined` are those of the acting user."""

    guid: str
    name: str
    description: str | None = None
    icon: str | None = None
    type: Annotated[str, documented_as(GroupType)]
    scope: Annotated[str | None, documented_as(Scope)] = None
    members_count: int
    joined_at: int | None = None
    conversation_id: str
    has_joined: bool
    created_at: int
    owner: str
    updated_at: int | None = None
    updated_by: str | None = None
    tags: list[str] | None = None
    metadata: Json | None = None


def group_shape(
    group: Group, member: Member | None = None, *, with_tags: bool = True
) -> GroupShape:
    """Return a group on the wire, for a member or, without one, for anyone else."""
    return GroupShape(
        guid=group.guid,
        name=group.name,
        description=group.description,
        icon=group.icon,
        type=group.type,
        scope=member.scope if member else None,
        members_count=group.members_count,
        joined_at=member.joined_at if member else None,
        conversation_id=f"group_{group.guid}",
        has_joined=member is not None,
        created_at=group.created_at,
        owner=group.owner,
        updated_at=group.updated_at,
        updated_by=group.updated_by,
        tags=(group.tag_list or None) if with_tags else None,
        metadata=None if group.metadata is None else decode_stored(group.metadata),
    )


class CreatedGroupShape(GroupShape, kw_only=True):
    """A new group; `members` has the users who could not be added or banned, with the reason."""

    members: AddedMembers | None = None


def created_group(created: create.CreatedGroup) -> CreatedGroupShape:
    """Return a new group on the wire, for its creator."""
    fields = msgspec.structs.asdict(group_shape(created.group, created.member))
    failed: Outcomes = {
        name: {uid: each for uid, each in outcomes.items() if isinstance(each, Refusal)}
        for name, outcomes in created.outcomes.items()
    }
    has_failed = any(failed.values())
    return CreatedGroupShape(
        **fields, members=added_members(failed, created.by) if has_failed else None
    )


class CreateGroup(Shape):
    """The group to create; with the type `password` it needs a password."""

    guid: Id
    name: Name
    type: GroupType
    password: Password | None = None
    icon: Link | None = None
    description: ShortText | None = None
    metadata: Json | None = None
    owner: Id | None = None
    tags: Tags | None = None
    members: MemberLists | None = None

    def draft(self, creator: str | None) -> GroupDraft:
        """Return the draft; `creator` owns the group, or else the `owner` of the body."""
        owner = creator or (self.owner.lower() if self.owner else None)
        return GroupDraft(
            guid=self.guid.lower(),
            name=self.name,
            type=self.type,
            icon=self.icon,
            description=self.description or None,
            owner=owner,
            metadata=self.metadata,
            tags=tuple(dict.fromkeys(self.tags or ())),
        )


class UpdateGroup(Shape):
    """The changes to a group; fields that are absent keep their values."""

    name: Name | None = None
    type: GroupType | None = None
    password: Password | None = None
    icon: Link | None = None
    description: ShortText | None = None
    metadata: Json | None = None
    owner: Id | None = None
    tags: Tags | None = None
    unset: list[Literal["icon", "description", "metadata"]] | None = None

    def change(self, *, with_owner: bool) -> GroupChange:
        owner = self.owner.lower() if self.owner and with_owner else None
        emptied = ["description"] if self.description == "" else []
        return GroupChange(
            name=self.name,
            type=self.type,
            password=self.password,
            icon=self.icon,
            description=self.description or None,
            metadata=self.metadata,
            tags=self.tags,
            unset=(*(self.unset or ()), *emptied),
            owner=owner,
        )


class ListGroups(CursorQuery):
    """The filters and the order of a list of groups, and what is included with each."""

    search_key: SearchKey = ""
    search_in: Annotated[
        list[Literal["name", "guid"]],
        Meta(description="Where `searchKey` is searched; both if absent."),
    ] = []
    sort_by: Annotated[
        Literal["name", "guid", "createdAt"] | None,
        Meta(description="The order of the list; without it, the latest change comes first."),
    ] = None
    sort_order: Annotated[
        Literal["asc", "desc"], Meta(description="The direction of `sortBy`.")
    ] = "asc"
    with_tags: Annotated[bool, Meta(description="Groups show their tags.")] = False
    tags: Annotated[list[Tag], Meta(description="Only groups with one of these tags.")] = []
    type: Annotated[GroupType | None, Meta(description="Only groups of this type.")] = None
    types: Annotated[list[GroupType], Meta(description="Only groups of these types.")] = []
    has_joined: Annotated[
        bool, Meta(description="Only groups that the acting user has joined.")
    ] = False

    def wanted(self) -> GroupFilter:
        """Return the filter, without the acting user.

        Raises:
            BadInput: a cursor is combined with `sortBy`.
        """
        cursor = self.cursor()
        if cursor is not None and self.sort_by is not None:
            raise BadInput.field("updatedAt", "It can't be combined with sortBy.")
        return GroupFilter(
            search=self.search_key.strip(),
            search_in=self.search_in,
            types=[*self.types, *([self.type] if self.type else [])],
            tags=self.tags,
            sort_by=self.sort_by,
            is_descending=self.sort_order == "desc",
            joined_only=self.has_joined,
            cursor=cursor,
        )
