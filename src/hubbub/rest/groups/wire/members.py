"""The shapes of members and bans."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.members.add import LISTS, Outcomes, check_lists
from hubbub.domain.members.enter import Entered
from hubbub.domain.members.find import BanView, MemberView
from hubbub.http.errors import Problem, body_of
from hubbub.kernel.errors import Refusal
from hubbub.records.members.store import MemberFilter
from hubbub.records.messages.model import MessageView
from hubbub.records.users.model import User
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.people.wire.users import UserShape, user_view_shape
from hubbub.rest.wire.shapes import CursorQuery, Shape, normalise_ids

Scope = Literal["admin", "moderator", "participant"]
Uids = Annotated[list[str], Meta(max_length=100)]


class MemberLists(Shape):
    """Users by the scope that they get, or to be banned; 25 over all lists."""

    admins: Uids | None = None
    moderators: Uids | None = None
    participants: Uids | None = None
    users_to_ban: Uids | None = None

    def lists(self, prefix: str = "") -> dict[str, list[str]]:
        """The lists that hold somebody, by their names, in ids of one spelling.

        Raises:
            BadInput: an id is none, or there are too many.
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
    """Users to add; without any, the acting user joins, with the group's password if it has one."""

    password: Annotated[str, Meta(max_length=100)] | None = None


class MemberOutcome(Shape):
    """What became of one user: the action message that tells of it, or an error."""

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
    """What became of all who were added or banned by somebody."""
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
    """What became of one of them."""
    if isinstance(outcome, Refusal):
        return MemberOutcome(success=False, error=body_of(outcome).error)
    if not isinstance(outcome, Entered) or outcome.message is None:
        return MemberOutcome(success=True)
    told = MessageView(message=outcome.message, sender=by, receiver=outcome.group, on=outcome.user)
    return MemberOutcome(success=True, data=message_shape(told, with_tags=False, is_app=True))


class MemberShape(UserShape, kw_only=True):
    """A member of a group."""

    scope: str
    joined_at: int


def member_shape(seen: MemberView, *, viewer: str | None) -> MemberShape:
    """A member as the interface shows him to `viewer`, or to the app itself."""
    fields = msgspec.structs.asdict(user_view_shape(seen.seen, viewer=viewer, with_tags=False))
    return MemberShape(**fields, scope=seen.member.scope, joined_at=seen.member.joined_at)


class BannedShape(UserShape, kw_only=True):
    """Somebody who is banned from a group, with the scope that he had."""

    scope: str
    is_banned: bool
    joined_at: int | None = None
    banned_at: int


def banned_shape(seen: BanView, *, viewer: str | None) -> BannedShape:
    """Somebody who is banned, as the interface shows him to `viewer`, or to the app itself."""
    fields = msgspec.structs.asdict(user_view_shape(seen.seen, viewer=viewer, with_tags=False))
    ban = seen.ban
    return BannedShape(
        **fields,
        scope=ban.scope,
        is_banned=True,
        joined_at=ban.joined_at,
        banned_at=ban.banned_at,
    )


class ListMembers(CursorQuery):
    """Which members, and from where."""

    scopes: list[Scope] = []
    status: Literal["available", "offline"] | None = None

    def wanted(self) -> MemberFilter:
        return MemberFilter(scopes=self.scopes, status=self.status, cursor=self.cursor())


class ChangeScope(Shape):
    """The scope that a member is to have."""

    scope: Scope = "participant"


class ChangedScope(Shape):
    """The scope that a member has now."""

    guid: str
    uid: str
    scope: str
    joined_at: int
