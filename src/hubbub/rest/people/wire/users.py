"""Shapes of users."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.views.users import NO_RELATION, Relation, UserView
from hubbub.http.documented import documented_as
from hubbub.records.users.listing import UserFilter
from hubbub.records.users.model import PROFILE_FIELDS, Profile, User, UserDraft
from hubbub.rest.wire.enums import UserStatus
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


class UserShape(Shape, kw_only=True):
    """A user."""

    uid: str
    name: str
    avatar: str | None = None
    link: str | None = None
    metadata: Json | None = None
    status: Annotated[str, documented_as(UserStatus)]
    status_message: str | None = None
    role: str
    tags: list[str] | None = None
    is_bot: bool = False
    created_at: int
    updated_at: int | None = None
    last_active_at: int | None = None
    deactivated_at: int | None = None
    conversation_id: str | None = None
    blocked_by_me: bool = False
    blocked_by_me_at: int | None = None
    has_blocked_me: bool = False
    blocked_at: int | None = None
    auth_token: str | None = None


def user_shape(
    user: User,
    *,
    viewer: str | None = None,
    with_tags: bool = True,
    relation: Relation = NO_RELATION,
    auth_token: str | None = None,
) -> UserShape:
    """Return the shape of `user` for `viewer`, or for the app itself.

    `metadata.@private` (e-mail, phone) is shown only to the app and to the user themselves.
    `relation` is the user's relation to the viewer, or to the user whom the app asks about.
    """
    metadata = None if user.metadata is None else decode_stored(user.metadata)
    if metadata is not None and viewer not in (None, user.uid):
        metadata.pop("@private", None)
    return UserShape(
        uid=user.uid,
        name=user.name,
        avatar=user.avatar,
        link=user.link,
        metadata=metadata,
        status=user.status,
        status_message=user.status_message,
        role=user.role,
        tags=(user.tag_list or None) if with_tags else None,
        is_bot=user.is_bot,
        created_at=user.created_at,
        updated_at=user.updated_at,
        last_active_at=user.last_active_at,
        deactivated_at=user.deactivated_at,
        conversation_id=relation.conversation_id,
        blocked_by_me=relation.blocked_by_viewer_at is not None,
        blocked_by_me_at=relation.blocked_by_viewer_at,
        has_blocked_me=relation.has_blocked_viewer_at is not None,
        blocked_at=relation.has_blocked_viewer_at,
        auth_token=auth_token,
    )


def user_view_shape(view: UserView, *, viewer: str | None, with_tags: bool) -> UserShape:
    """Return the shape of a user with their relation, for `viewer` or for the app itself."""
    return user_shape(view.user, viewer=viewer, with_tags=with_tags, relation=view.relation)


class ProfileFields(Shape):
    """The fields of a user that a client writes; each body adds `name`, required or not."""

    avatar: Link | None = None
    link: Link | None = None
    role: Id | None = None
    status_message: ShortText | None = None
    metadata: Json | None = None
    tags: Tags | None = None

    def profile(self) -> Profile:
        given = {name: getattr(self, name) for name in PROFILE_FIELDS}
        return Profile(**{**given, "role": self.role.lower() if self.role else None})


class CreateUser(ProfileFields, kw_only=True):
    """A user to create."""

    uid: Id
    name: Name
    with_auth_token: bool = False

    def draft(self) -> UserDraft:
        return UserDraft(self.uid.lower(), self.profile())


class UpdateUser(ProfileFields):
    """A change of a user; fields that are not given stay."""

    name: Name | None = None
    unset: list[Literal["avatar", "link", "metadata"]] | None = None


class DeleteUser(Shape):
    """The options of a deletion."""

    permanent: bool = False


MostUids = Annotated[list[Id], Meta(max_length=1000)]


class DeactivateUsers(Shape):
    """The users to deactivate."""

    uids_to_deactivate: MostUids = []


class DeactivatedUsers(Shape):
    """The users that are deactivated now."""

    deactivated_uids: list[str]


class ReactivateUsers(Shape):
    """The users to reactivate."""

    uids_to_activate: MostUids = []


class ReactivatedUsers(Shape):
    """The users that are active now."""

    # The name that the public API has for it.
    non_deactivated_uids: list[str] = msgspec.field(name="nonDeactivatedUids")


class ListUsers(CursorQuery):
    """The filters of a list of users, and the parts to show."""

    search_key: SearchKey = ""
    search_in: Annotated[
        list[Literal["name", "uid"]],
        Meta(description="Where `searchKey` is searched; both if absent."),
    ] = []
    status: Annotated[UserStatus | None, Meta(description="Only users with this status.")] = None
    count: Annotated[
        bool, Meta(description="Accepted and without effect: `meta` always has the total.")
    ] = False
    role: Annotated[Id | None, Meta(description="Only users with this role.")] = None
    roles: Annotated[list[Id], Meta(description="Only users with one of these roles.")] = []
    with_tags: Annotated[bool, Meta(description="Users show their tags.")] = False
    tags: Annotated[list[Tag], Meta(description="Only users with one of these tags.")] = []
    only_deactivated: Annotated[bool, Meta(description="Only deactivated users.")] = False
    with_deactivated: Annotated[bool, Meta(description="Also deactivated users.")] = False

    def wanted(self) -> UserFilter:
        return UserFilter(
            search=self.search_key.strip(),
            search_in=self.search_in,
            status=self.status,
            roles=[role.lower() for role in [*self.roles, *([self.role] if self.role else [])]],
            tags=self.tags,
            only_deactivated=self.only_deactivated,
            with_deactivated=self.with_deactivated,
            cursor=self.cursor(),
        )
