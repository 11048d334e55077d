"""The shapes of members and bans."""

from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.domain.members.add import LISTS, Outcomes, check_lists
from hubbub.domain.members.enter import Entered
from hubbub.domain.members.find import BanView, MemberView
from hubbub.http.documented import documented_as
from hubbub.http.errors import Problem, body_of
from hubbub.kernel.errors import Refusal
from hubbub.records.members.store import MemberFilter
from hubbub.records.messages.model import MessageView
from hubbub.records.users.model import User
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.people.wire.users import UserShape, user_view_shape
from hubbub.rest.wire.enums import Scope, UserStatus
from hubbub.rest.wire.shapes import CursorQuery, Shape, normalise_ids

MemberUids = Annotated[list[str], Meta(max_length=100)]


class MemberLists(Shape):
    """Users by the scope that they get, and users to ban; at most 25 in all lists."""

    admins: MemberUids | None = None
    moderators: MemberUids | None = None
    participants: MemberUids | None = None
    users_to_ban: MemberUids | None = None

    def lists(self, prefix: str = "") -> dict[str, list[str]]:
        """Return the lists that are not empty, by name, with ids in lower case.

        Raises:
            BadInput: an id is malformed, or there are too many.
        """
        found = {
            "admins": self.admins,
            "moderators": self.moderators,
            "participants": self.participants,
            "usersToBan": self.users_to_ban,
        }
        lists = {name: normalise_ids(uids, prefix + name) for name, uids in found.items() if uids}
        check_lists(lists)
        return lists


class AddMembers(MemberLists):
    """The users to add; without any, the acting user joins, with the password of the group."""

    password: Annotated[str, Meta(max_length=100)] | None = None


class MemberOutcome(Shape):
    """The outcome for one user: the action message that announces it, or an error."""

    success: bool
    data: MessageShape | None = None
    error: Problem | None = None


class AddedMembers(msgspec.Struct, omit_defaults=True):
    """The outcomes by list, then by uid."""

    users_to_ban: dict[str, MemberOutcome] = msgspec.field(name="usersToBan", default_factory=dict)
    admins: dict[str, MemberOutcome] = {}
    moderators: dict[str, MemberOutcome] = {}
    participants: dict[str, MemberOutcome] = {}


def added_members(outcomes: Outcomes, by: User) -> AddedMembers:
    """Return the outcomes for all users whom `by` added or banned."""
    shapes = {
        name: {uid: member_outcome(outcome, by) for uid, outcome in outcomes.get(name, {}).items()}
        for name in LISTS
    }
    return AddedMembers(
        users_to_ban=shapes["usersToBan"],
        admins=shapes["admins"],
        moderators=shapes["moderators"],
        participants=shapes["participants"],
    )


def member_outcome(outcome: object, by: User) -> MemberOutcome:
    """Return the outcome for one user."""
    if isinstance(outcome, Refusal):
        return MemberOutcome(success=False, error=body_of(outcome).error)
    if not isinstance(outcome, Entered) or outcome.message is None:
        return MemberOutcome(success=True)
    view = MessageView(message=outcome.message, sender=by, receiver=outcome.group, on=outcome.user)
    return MemberOutcome(success=True, data=message_shape(view, with_tags=False, is_app=True))


class MemberShape(UserShape, kw_only=True):
    """A member of a group."""

    scope: Annotated[str, documented_as(Scope)]
    joined_at: int


def member_shape(view: MemberView, *, viewer: str | None) -> MemberShape:
    """Return a member on the wire, for the user `viewer` or, if it is None, for the app."""
    fields = msgspec.structs.asdict(user_view_shape(view.user, viewer=viewer, with_tags=False))
    return MemberShape(**fields, scope=view.member.scope, joined_at=view.member.joined_at)


class BannedUserShape(UserShape, kw_only=True):
    """A user who is banned from a group, with the scope that they had."""

    scope: Annotated[str, documented_as(Scope)]
    is_banned: bool
    joined_at: int | None = None
    banned_at: int


def banned_shape(view: BanView, *, viewer: str | None) -> BannedUserShape:
    """Return a banned user on the wire, for the user `viewer` or, if it is None, for the app."""
    fields = msgspec.structs.asdict(user_view_shape(view.user, viewer=viewer, with_tags=False))
    ban = view.ban
    return BannedUserShape(
        **fields,
        scope=ban.scope,
        is_banned=True,
        joined_at=ban.joined_at,
        banned_at=ban.banned_at,
    )


class ListMembers(CursorQuery):
    """The filters and the page of a list of members."""

    scopes: Annotated[list[Scope], Meta(description="Only members of these scopes.")] = []
    status: Annotated[UserStatus | None, Meta(description="Only members with this status.")] = None

    def wanted(self) -> MemberFilter:
        return MemberFilter(scopes=self.scopes, status=self.status, cursor=self.cursor())


class ChangeScope(Shape):
    """The new scope of a member."""

    scope: Scope = "participant"


class ChangedScope(Shape):
    """The scope that a member has now."""

    guid: str
    uid: str
    scope: Annotated[str, documented_as(Scope)]
    joined_at: int
