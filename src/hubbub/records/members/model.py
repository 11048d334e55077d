"""What members and bans are, and what can be wrong about them."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput, Conflict, Forbidden, LimitReached, NotFound

ADMIN, MODERATOR, PARTICIPANT = "admin", "moderator", "participant"
SCOPES = (ADMIN, MODERATOR, PARTICIPANT)
RANK = {PARTICIPANT: 1, MODERATOR: 2, ADMIN: 3}
MOST_ADDED_AT_ONCE = 25


class AlreadyJoined(Conflict):
    """He is a member already."""

    code = "ERR_ALREADY_JOINED"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is a member of the group {guid} already.")


class AlreadyBanned(Conflict):
    """He is banned already."""

    code = "ERR_ALREADY_BANNED"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is banned from the group {guid} already.")


class NoVacancy(Conflict):
    """The group is full."""

    code = "ERR_NO_VACANCY"

    def __init__(self, guid: str) -> None:
        super().__init__(f"The group {guid} has as many members as it may have.")


class TooManyGroups(LimitReached):
    """The user is in as many groups as he may be."""

    def __init__(self, uid: str, most: int) -> None:
        super().__init__(
            f"The user with UID {uid} is in {most:,} groups already.",
            details={"uid": [f"The limit is {most:,} groups per user."]},
        )


class NotAMember(NotFound):
    """The one acted upon is no member of the group."""

    code = "ERR_NOT_A_MEMBER"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is not a member of the group {guid}.")


class NotBanned(NotFound):
    """The one acted upon is not banned from the group."""

    code = "ERR_NOT_A_BANNED_USER"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is not banned from the group {guid}.")


class GroupNotJoined(Forbidden):
    """Only members may do this."""

    code = "ERR_GROUP_NOT_JOINED"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is not a member of the group {guid}.")


class BannedMember(Forbidden):
    """He was banned from the group."""

    code = "ERR_BANNED_GROUPMEMBER"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} is banned from the group {guid}.")


class NoModeratorScope(Forbidden):
    """Only moderators and admins may do this."""

    code = "ERR_GROUP_NO_MODERATOR_SCOPE"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(
            f"The user with UID {uid} must be a moderator or an admin of the group {guid} for this."
        )


class NoAdminScope(Forbidden):
    """Only admins may do this."""

    code = "ERR_GROUP_NO_ADMIN_SCOPE"

    def __init__(self, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {uid} must be an admin of the group {guid} for this.")


class NoClearance(Forbidden):
    """The scope is too low to act on that member, or he is the owner."""

    code = "ERR_GROUP_NO_CLEARANCE"

    def __init__(self, actor: str, uid: str, guid: str) -> None:
        super().__init__(f"The user with UID {actor} may not do this to {uid} in the group {guid}.")


class NoScopeClearance(Forbidden):
    """The scope is too low to change that member's, or to give that one."""

    code = "ERR_GROUP_NO_SCOPE_CLEARANCE"

    def __init__(self, actor: str, uid: str, guid: str) -> None:
        super().__init__(
            f"The user with UID {actor} may not change the scope of {uid} in the group {guid} so."
        )


class NoSelfAction(Forbidden):
    """Nobody does this to himself."""

    code = "ERR_GROUP_NO_SELF_ACTION"

    def __init__(self, uid: str) -> None:
        super().__init__(f"The user with UID {uid} can't do this to himself.")


class SameScope(BadInput):
    """The member has that scope already."""

    code = "ERR_SAME_SCOPE"

    def __init__(self, uid: str, scope: str) -> None:
        super().__init__(
            f"The user with UID {uid} has the scope {scope} already.",
            details={"scope": [f"It is {scope} already."]},
        )


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in a group, which is named by the number of its conversation."""

    conversation: int
    uid: str
    scope: str
    joined_at: int

    @property
    def rank(self) -> int:
        return RANK[self.scope]


@dataclass(frozen=True, slots=True)
class Ban:
    """Somebody who is kept out of a group; `joined_at` when he was a member."""

    conversation: int
    uid: str
    scope: str
    joined_at: int | None
    banned_at: int
