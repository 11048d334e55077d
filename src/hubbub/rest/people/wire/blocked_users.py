"""The shapes of blocks."""

from collections.abc import Callable, Mapping
from typing import Annotated

from msgspec import Meta

from hubbub.kernel.errors import Refusal
from hubbub.records.blocks.model import MOST_BLOCKED_AT_ONCE
from hubbub.rest.wire.shapes import CursorQuery, Id, ItemOutcome, Shape, item_outcome


class BlockedUsers(Shape):
    """The users to block or to unblock."""

    blocked_uids: Annotated[list[Id], Meta(max_length=MOST_BLOCKED_AT_ONCE)]


class ListBlocked(CursorQuery):
    """The page of a list of blocked users; `updatedAt` is the time of the block."""


def block_outcomes(
    outcomes: Mapping[str, Refusal | None], message: Callable[[str], str]
) -> dict[str, ItemOutcome]:
    """Return the outcomes by uid; `message` makes the text of a success from the uid."""
    return {uid: item_outcome(refusal, message(uid)) for uid, refusal in outcomes.items()}
