"""What several areas' shapes are made of."""

from collections.abc import Sequence
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

from hubbub.http.errors import Problem, body_of
from hubbub.http.operation import Envelope
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.pages import PER_PAGE_DEFAULT, PER_PAGE_MOST, Page, PageRequest, TimeCursor
from hubbub.kernel.text import normalise_id

Item = TypeVar("Item")

# Python's `$` stands before a last newline, too: hence `(?!\n)` in the patterns below.
Name = Annotated[str, Meta(min_length=1, max_length=100)]
ShortText = Annotated[str, Meta(max_length=255)]
Link = Annotated[
    str,
    Meta(
        max_length=3000,
        pattern=r"^[hH][tT][tT][pP][sS]?://[^\s\x00]+$(?!\n)",
        description="An absolute http or https URL.",
    ),
]
Tag = Annotated[str, Meta(min_length=1, max_length=100)]
Tags = Annotated[list[Tag], Meta(max_length=25)]
Id = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"^[A-Za-z0-9_-]+$(?!\n)",
        description="a-z, 0-9, _ and -; upper case is lowered.",
    ),
]
Timestamp = Annotated[int, Meta(ge=0, le=99_999_999_999, description="Seconds since 1970.")]
Free = dict[str, Any]
PageNumber = Annotated[int, Meta(ge=1, le=10_000_000)]
PerPage = Annotated[int, Meta(ge=1, le=PER_PAGE_MOST)]


class Shape(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """A shape of the wire: camelCase names, and what is absent is left out."""


class Pagination(msgspec.Struct):
    """Where a page by number stands."""

    total: int
    count: int
    per_page: int
    current_page: int
    total_pages: int


class Cursor(Shape):
    """Where a list can be gone on with, by `affix`, `updatedAt` and `id` as query parameters."""

    updated_at: int
    affix: str
    id: str


class PageMeta(Shape):
    """About a page of a list."""

    pagination: Pagination
    cursor: Cursor | None = None


class Listing(Envelope, Generic[Item]):
    """A page of a list."""

    data: list[Item]
    meta: PageMeta


class Done(Shape):
    """An acknowledgement."""

    success: bool
    message: str


class Succeeded(Shape):
    """An acknowledgement without words."""

    success: bool


class PageQuery(Shape):
    """Which page of a list."""

    page: PageNumber = 1
    per_page: PerPage = PER_PAGE_DEFAULT

    def request(self) -> PageRequest:
        return PageRequest(self.page, self.per_page)


class CursorQuery(PageQuery):
    """Which page of a list, by its number or by the cursor that an answer gave."""

    affix: Literal["append", "prepend"] = "prepend"
    updated_at: Timestamp | None = None
    id: Id | None = None

    def cursor(self) -> TimeCursor | None:
        if self.updated_at is None:
            return None
        return TimeCursor(self.updated_at, (self.id or "").lower(), self.affix == "prepend")


def listing(page: Page[Any], items: Sequence[Item]) -> Listing[Item]:
    """The answer for a page, whose rows in wire shape are `items`."""
    request = page.request
    return Listing(
        data=list(items),
        meta=PageMeta(
            pagination=Pagination(
                total=page.total,
                count=len(items),
                per_page=request.per_page,
                current_page=request.page,
                total_pages=max(1, -(-page.total // request.per_page)),
            ),
            cursor=_cursor(page.cursor),
        ),
    )


def _cursor(cursor: TimeCursor | None) -> Cursor | None:
    if cursor is None:
        return None
    return Cursor(
        updated_at=cursor.at, affix="prepend" if cursor.is_before else "append", id=cursor.id
    )


def whole(items: Sequence[Item]) -> Listing[Item]:
    """The answer for a list that is given in one piece."""
    count = len(items)
    return listing(Page(items, count, PageRequest(1, max(count, PER_PAGE_DEFAULT))), items)


def normalise_ids(ids: Sequence[str], field: str) -> list[str]:
    """Ids out of a body, in their one spelling.

    Raises:
        BadInput: one of them is none, named by its place.
    """
    normal: list[str] = []
    faults: dict[str, Sequence[str]] = {}
    for place, text in enumerate(ids):
        try:
            normal.append(normalise_id(text, f"{field}.{place}"))
        except BadInput as fault:
            faults.update(fault.details or {})
    if faults:
        raise BadInput.fields(faults)
    return normal


class ItemOutcome(Shape):
    """What became of one of several."""

    success: bool
    message: str | None = None
    error: Problem | None = None


def item_outcome(refusal: Refusal | None, message: str) -> ItemOutcome:
    """The outcome of one that was refused, or was done with a message."""
    if refusal is not None:
        return ItemOutcome(success=False, error=body_of(refusal).error)
    return ItemOutcome(success=True, message=message)
