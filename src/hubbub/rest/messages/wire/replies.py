"""The numbers of replies to several messages."""

from typing import Annotated

from msgspec import Meta

from hubbub.http.operation import Envelope
from hubbub.rest.wire.shapes import Shape
from hubbub.rest.wire.slices import RowId

MOST_IDS = 100


class CountReplies(Shape, kw_only=True):
    """The messages whose replies are counted."""

    ids: Annotated[
        list[RowId],
        Meta(max_length=MOST_IDS, description=f"The ids of the messages, at most {MOST_IDS}."),
    ] = []


class ReplyCount(Shape, kw_only=True):
    """The number of replies to a message."""

    id: Annotated[str, Meta(description="The id of the message.")]
    count: Annotated[int, Meta(description="The number of replies to it.")]


class ReplyCounts(Envelope, kw_only=True):
    """The numbers of replies, in the order of the given ids."""

    data: list[ReplyCount]
