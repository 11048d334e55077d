"""Views of users: their relations to the viewer, looked up for a page at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hubbub.records.blocks.store import find_blocks_around
from hubbub.records.conversations.model import conversation_id, user_key
from hubbub.records.users.model import User
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation of a user to a viewer; a time says since when, None: not blocked."""

    conversation_id: str | None = None
    blocked_by_viewer_at: int | None = None
    has_blocked_viewer_at: int | None = None


NO_RELATION = Relation()
"""The relation of users to the app, and of a user to themselves."""


@dataclass(frozen=True, slots=True)
class UserView:
    """A user as a viewer sees them."""

    user: User
    relation: Relation = NO_RELATION


async def find_relations(
    snapshot: Snapshot, viewer: str | None, uids: Iterable[str]
) -> dict[str, Relation]:
    """Return the relations of users to a viewer, by uid; None is the app, which has none."""
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
    """Return users as a viewer sees them, in the given order."""
    relations = await find_relations(snapshot, viewer, [user.uid for user in users])
    return [UserView(user, relations.get(user.uid, NO_RELATION)) for user in users]
