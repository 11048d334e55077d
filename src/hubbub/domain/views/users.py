"""How users stand to the one who looks at them, looked up for a whole page at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hubbub.records.blocks.store import find_blocks_around
from hubbub.records.conversations.model import conversation_id, user_key
from hubbub.records.users.model import User
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Relation:
    """How a user stands to a viewer; a time says since when, None that it is not so."""

    conversation_id: str | None = None
    blocked_by_viewer_at: int | None = None
    has_blocked_viewer_at: int | None = None


NO_RELATION = Relation()
"""How users stand to the app itself, and each to himself."""


@dataclass(frozen=True, slots=True)
class UserView:
    """A user as somebody sees him."""

    user: User
    relation: Relation = NO_RELATION


async def find_relations(
    snapshot: Snapshot, viewer: str | None, uids: Iterable[str]
) -> dict[str, Relation]:
    """How users stand to a viewer, by uid, of those who do; the app itself is None."""
    if viewer is None:
        return {}
    others = [uid for uid in dict.fromkeys(uids) if uid != viewer]
    blocks = await find_blocks_around(snapshot, viewer, others)
    return {
        uid: Relation(
            conversation_id(user_key(viewer, uid)),
            blocks.get((viewer, uid)),
            blocks.get((uid, viewer)),
        )
        for uid in others
    }


async def view_users(
    snapshot: Snapshot, viewer: str | None, users: Sequence[User]
) -> list[UserView]:
    """Users as a viewer sees them, in their order."""
    relations = await find_relations(snapshot, viewer, [user.uid for user in users])
    return [UserView(user, relations.get(user.uid, NO_RELATION)) for user in users]
