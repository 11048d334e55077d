"""Slices of ascending lists: the query that asks for one, and the cursors to its neighbours."""

from collections.abc import Sequence
from typing import Annotated, Any, Generic, Protocol, TypeVar

from msgspec import Meta

from hubbub.http.operation import Envelope
from hubbub.kernel.pages import Slice, SliceRequest
from hubbub.rest.wire.enums import Affix
from hubbub.rest.wire.path import parse_message_id
from hubbub.rest.wire.shapes import ListedUpto, Shape

SliceLimit = Annotated[int, Meta(ge=1, le=1000, description="The most rows of the answer.")]
RowId = Annotated[str, Meta(pattern=r"^[0-9]+$", max_length=19)]
"""The id of a message, reaction or submission."""


class _HasId(Protocol):
    id: str


Row = TypeVar("Row", bound=_HasId)
WireCursor = TypeVar("WireCursor")


class SliceQuery(Shape):
    """The size of a slice, and the id after or before which it begins."""

    limit: SliceLimit = 100
    affix: Affix = "append"
    id: Annotated[RowId | None, Meta(description="The row from which the slice continues.")] = None

    def request(self) -> SliceRequest[int]:
        return SliceRequest(
            limit=self.limit,
            is_before=self.affix == "prepend",
            cursor=None if self.id is None else parse_message_id(self.id),
        )


class Current(Shape):
    """The size of a slice: as requested, and as returned."""

    limit: int
    count: int


class IdCursor(Shape):
    """The query parameters that continue a list from a row."""

    affix: Affix
    id: str


class SliceMeta(Shape, Generic[WireCursor]):
    """The size of a slice; `previous` leads to older rows and `next` to newer ones, if any."""

    current: Current
    previous: WireCursor | None = None
    next: WireCursor | None = None
    event_cursor: ListedUpto = None


class SliceList(Envelope, Generic[Row]):
    """A slice of a list, in ascending order of ids."""

    data: list[Row]
    meta: SliceMeta[IdCursor]


def slice_list(found: Slice[Any], rows: Sequence[Row]) -> SliceList[Row]:
    """Return the answer for a slice whose rows in wire shape are `rows`."""
    return SliceList(
        data=list(rows),
        meta=SliceMeta(
            current=Current(limit=found.limit, count=len(rows)),
            previous=IdCursor(affix="prepend", id=rows[0].id) if found.has_older else None,
            next=IdCursor(affix="append", id=rows[-1].id) if found.has_newer else None,
        ),
    )
