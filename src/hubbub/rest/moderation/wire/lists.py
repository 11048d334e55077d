"""The lists of moderation: their pages are sent as `limit` or `perPage`, and said in two ways."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from hubbub.http.operation import Envelope
from hubbub.kernel.pages import Page, PageRequest
from hubbub.rest.wire.shapes import PageNumber, Pagination, PerPage, Shape, page_answer
from hubbub.rest.wire.slices import Current

Item = TypeVar("Item")
Row = TypeVar("Row")
PER_PAGE = 50


class ModerationQuery(Shape):
    """The page of a list, by number; `limit` is another name of `perPage`."""

    page: PageNumber = 1
    per_page: PerPage | None = None
    limit: PerPage | None = None

    def request(self) -> PageRequest:
        return PageRequest(self.page, self.per_page or self.limit or PER_PAGE)


class ModerationMeta(Shape):
    """The size of a page, and its position in the list."""

    current: Current
    pagination: Pagination


class ModerationListing(Envelope, Generic[Item]):
    """A page of a list of moderation."""

    data: list[Item]
    meta: ModerationMeta


def moderation_listing(page: Page[Row], items: Sequence[Item]) -> ModerationListing[Item]:
    """Return the answer for a page whose rows in wire shape are `items`."""
    pagination = page_answer(page, items).meta.pagination
    current = Current(limit=page.request.per_page, count=len(items))
    return ModerationListing(list(items), ModerationMeta(current=current, pagination=pagination))
