"""Members and bans, and the errors about them."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput, Conflict, Forbidden, LimitReached, NotFound

ADMIN, MODERATOR, PARTICIPANT = "admin", "moderator", "participant"
SCOPES = (ADMIN, MODERATOR, PARTICIPANT)
RANK = {PARTICIPANT: 1, MODERATOR: 2, ADMIN: 3}
MOST_ADDED_AT_ONCE = 25


class AlreadyJoined(Conflict):
    """The user is already a member."""

    code = "ERR_ALREADY_JOINED"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is already a member of the group {guid}.")


class AlreadyBanned(Conflict):
    """The user is already banned."""

    code = "ERR_ALREADY_BANNED"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is already banned from the group {guid}.")


class NoVacancy(Conflict):
    """The group has as many members as the app allows."""

    code = "ERR_NO_VACANCY"

    def __init__(self, guid: str) -> None:
        super().__init__(f"The group {guid} is full: it has as many members as the app allows.")


class TooManyGroups(LimitReached):
    """The user is in as many groups as the app allows."""

    def __init__(self, uid: str, most: int) -> None:
        super().__init__(
            f"The user with UID {uid} is already in {most:,} groups.",
            details={"uid": [f"The limit is {most:,} groups per user."]},
        )


class NotAMember(NotFound):
    """The target of the call is not a member of the group."""

    code = "ERR_NOT_A_MEMBER"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is not a member of the group {guid}.")


class NotBanned(NotFound):
    """The target of the call is not banned from the group."""

    code = "ERR_NOT_A_BANNED_USER"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is not banned from the group {guid}.")


class GroupNotJoined(Forbidden):
    """Only members may do this, and the acting user is none."""

    code = "ERR_GROUP_NOT_JOINED"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is not a member of the group {guid}.")


class BannedMember(Forbidden):
    """The acting user is banned from the group."""

    code = "ERR_BANNED_GROUPMEMBER"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is banned from the group {guid}.")


class NoModeratorScope(Forbidden):
    """Only moderators and admins of the group may do this."""

    code = "ERR_GROUP_NO_MODERATOR_SCOPE"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(
            f"The user with UID {uid} must be a moderator or an admin of the group {guid} for this."
        )


class NoAdminScope(Forbidden):
    """Only admins of the group may do this."""

    code = "ERR_GROUP_NO_ADMIN_SCOPE"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} must be an admin of the group {guid} for this.")


class NoClearance(Forbidden):
    """The acting user's scope is too low to act on the member, or the member is the owner."""

    code = "ERR_GROUP_NO_CLEARANCE"

    def __init__(self, actor: str, uid: str, guid: str) -> None:
        super().__init__(
            f"The user with UID {actor} may not act on the user with UID {uid} in the group {guid}."
        )


class NoScopeClearance(Forbidden):
    """The acting user's scope is too low to change the member's scope, or to set that scope."""

    code = "ERR_GROUP_NO_SCOPE_CLEARANCE"

    def __init__(self, actor: str, uid: str, guid: str) -> None:
        super().__init__(
            f"The user with UID {actor} may not set this scope for {uid} in the group {guid}."
        )


class NoSelfAction(Forbidden):
    """Users can't do this to themselves."""

    code = "ERR_GROUP_NO_SELF_ACTION"

    def __init__(self, uid: str) -> None:
        super().__init__(f"The user with UID {uid} can't do this to themselves.")


class SameScope(BadInput):
    """The member already has the scope."""

    code = "ERR_SAME_SCOPE"

    def __init__(self, uid: str, scope: str) -> None:
        super().__init__(
            f"The user with UID {uid} already has the scope {scope}.",
            details={"scope": [f"The scope is already {scope}."]},
        )


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a group; `conversation` is the number of the group's conversation."""

    conversation: int
    uid: str
    scope: str
    joined_at: int

    @property
    def pair(self) -> tuple[int, str]:
        return self.conversation, self.uid

    @property
    def rank(self) -> int:
        return RANK[self.scope]


@dataclass(frozen=True, slots=True)
class Ban:
    """A user who is banned from a group; `joined_at` and `scope` are of the former membership."""

    conversation: int
    uid: str
    scope: str
    joined_at: int | None
    banned_at: int

    @property
    def pair(self) -> tuple[int, str]:
        return self.conversation, self.uid
