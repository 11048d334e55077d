"""The shapes of blocks."""

from collections.abc import Callable, Mapping
from typing import Annotated

from msgspec import Meta

from hubbub.kernel.errors import Refusal
from hubbub.records.blocks.model import MOST_BLOCKED_AT_ONCE
from hubbub.rest.wire.shapes import CursorQuery, Id, ItemOutcome, Shape, item_outcome

Uids = Annotated[list[Id], Meta(max_length=MOST_BLOCKED_AT_ONCE)]


class BlockedUids(Shape):
    """Who is to be blocked, or to be blocked no more."""

    blocked_uids: Uids


class ListBlocked(CursorQuery):
    """Which page of those who are blocked; `updatedAt` is when they were."""


def block_outcomes(
    outcomes: Mapping[str, Refusal | None], message: Callable[[str], str]
) -> dict[str, ItemOutcome]:
    """What became of each, by uid; `message` tells it of one where it is done."""
    return {uid: item_outcome(refusal, message(uid)) for uid, refusal in outcomes.items()}
