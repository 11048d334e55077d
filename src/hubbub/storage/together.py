"""Statements that an engine may send together, as each costs PostgreSQL a round trip."""

import types
from collections.abc import Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hubbub.storage.dialect import Of
from hubbub.storage.queries import Query, Rows

Work = Coroutine[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A query with its arguments, some of which may be `Of` an earlier one; or with its `rows`."""

    query: Query
    args: Mapping[str, Any]
    rows: Rows | None = None
    """The rows of a batch of look-ups; they have the arguments then."""

    def linked(self, **links: Of) -> "Asked":
        """Return it with some arguments that are known later."""
        return replace(self, args={**self.args, **links})

    @property
    def links(self) -> tuple[tuple[str, Of], ...]:
        """Return the arguments that are known later, by name."""
        return tuple((name, each) for name, each in self.args.items() if isinstance(each, Of))

    @property
    def shape_of_links(self) -> tuple[tuple[str, Of], ...]:
        """Return these alike however many rows count."""
        return tuple(
            (name, each if each.rows is None else replace(each, rows=1))
            for name, each in self.links
        )


@dataclass(frozen=True, slots=True)
class WantedRows:
    """Suspends a look-up until what it asks is asked together with others; it has the rows then."""

    asked: Sequence[Asked]

    def __await__(self) -> Generator[Any, Any, list[list[Any]]]:
        rows: list[list[Any]] = yield self
        return rows


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The result of a look-up that asks nothing more."""

    result: Any


@types.coroutine
def run_until_wanted(
    work: Work, rows: list[list[Any]] | None
) -> Generator[Any, Any, WantedRows | LookedUp]:
    """Run a look-up on the rows that it wanted, until it wants more.

    What else it awaits is awaited here.
    """
    try:
        awaited = work.send(rows)
        while not isinstance(awaited, WantedRows):
            try:
                value = yield awaited
            except BaseException as error:  # noqa: BLE001  # it is for the look-up
                awaited = work.throw(error)
            else:
                awaited = work.send(value)
    except StopIteration as end:
        return LookedUp(end.value)
    return awaited
