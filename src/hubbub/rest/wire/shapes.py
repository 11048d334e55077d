"""Field types and shapes that several areas share."""

from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import Meta

from hubbub.http.documented import documented_as
from hubbub.http.errors import Problem, body_of
from hubbub.http.operation import Envelope
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.pages import PER_PAGE_DEFAULT, PER_PAGE_MOST, Page, PageRequest, TimeCursor
from hubbub.kernel.text import normalise_id
from hubbub.rest.wire.enums import Affix

Item = TypeVar("Item")

# Python's `$` also matches before a final newline: hence `(?!\n)` in the patterns below.
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
        description="a-z, 0-9, _ and -; upper case is changed to lower case.",
    ),
]
Timestamp = Annotated[int, Meta(ge=0, le=99_999_999_999, description="Seconds since 1970.")]
Json = dict[str, Any]
"""A JSON object with any fields."""
decode_stored = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
"""Decodes a stored JSON object; its fields stay JSON, since rows with many values are slow."""
PageNumber = Annotated[
    int, Meta(ge=1, le=10_000_000, description="The number of the page, from 1.")
]
PerPage = Annotated[int, Meta(ge=1, le=PER_PAGE_MOST, description="The most rows of a page.")]
SearchKey = Annotated[
    str,
    Meta(max_length=100, description="Only rows in which this is found; case is ignored."),
]


class Shape(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """The base of wire shapes: names are camelCase, absent fields are left out."""


class Pagination(msgspec.Struct):
    """The position of a page by number."""

    total: int
    count: int
    per_page: int
    current_page: int
    total_pages: int


class Cursor(Shape):
    """The query parameters that continue a list: `affix`, `updatedAt` and `id`."""

    updated_at: int
    affix: Annotated[str, documented_as(Affix)]
    id: str


EventCursor = Annotated[
    str,
    Meta(description="A position in the log of events: give it as `since` to go on after it."),
]
ListedUpto = Annotated[
    EventCursor | None,
    Meta(
        description="A cursor of events, on lists of messages, conversations, users, groups and"
        " members: the list has all that happened before it. Who follows the events after it misses"
        " nothing, and may be told something again that the list has."
    ),
]


class PageMeta(Shape):
    """The position of a page in a list."""

    pagination: Pagination
    cursor: Cursor | None = None
    event_cursor: ListedUpto = None


class Listing(Envelope, Generic[Item]):
    """A page of a list."""

    data: list[Item]
    meta: PageMeta


class SuccessMessage(Shape):
    """An acknowledgement with a text."""

    success: bool
    message: str


class Success(Shape):
    """An acknowledgement."""

    success: bool


class PageQuery(Shape):
    """The page of a list, by number."""

    page: PageNumber = 1
    per_page: PerPage = PER_PAGE_DEFAULT

    def request(self) -> PageRequest:
        return PageRequest(self.page, self.per_page)


class CursorQuery(PageQuery):
    """The page of a list, by number or by the cursor of an answer."""

    affix: Affix = "prepend"
    updated_at: Annotated[
        Timestamp | None,
        Meta(description="The `updatedAt` of the cursor of an answer, to continue from there."),
    ] = None
    id: Annotated[Id | None, Meta(description="The `id` of the cursor of an answer.")] = None

    def cursor(self) -> TimeCursor | None:
        if self.updated_at is None:
            return None
        return TimeCursor(self.updated_at, (self.id or "").lower(), self.affix == "prepend")


def page_answer(page: Page[Any], items: Sequence[Item]) -> Listing[Item]:
    """Return the answer for a page whose rows in wire shape are `items`."""
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
            cursor=_cursor_shape(page.cursor),
        ),
    )


def _cursor_shape(cursor: TimeCursor | None) -> Cursor | None:
    if cursor is None:
        return None
    return Cursor(
        updated_at=cursor.at, affix="prepend" if cursor.is_before else "append", id=cursor.id
    )


def unpaged(items: Sequence[Item]) -> Listing[Item]:
    """Return the answer for a list that has all items on one page."""
    count = len(items)
    return page_answer(Page(items, count, PageRequest(1, max(count, PER_PAGE_DEFAULT))), items)


def normalise_ids(ids: Sequence[str], field: str) -> list[str]:
    """Return the ids of a field in lower case.

    Raises:
        BadInput: some are not ids; each is named by its index.
    """
    normal: list[str] = []
    faults: dict[str, Sequence[str]] = {}
    for index, text in enumerate(ids):
        try:
            normal.append(normalise_id(text, f"{field}.{index}"))
        except BadInput as fault:
            faults.update(fault.details or {})
    if faults:
        raise BadInput.fields(faults)
    return normal


class ItemOutcome(Shape):
    """The outcome for one of several objects."""

    success: bool
    message: str | None = None
    error: Problem | None = None


def item_outcome(refusal: Refusal | None, message: str) -> ItemOutcome:
    """Return the outcome for a refusal, or else for a success with a message."""
    if refusal is not None:
        return ItemOutcome(success=False, error=body_of(refusal).error)
    return ItemOutcome(success=True, message=message)
