"""Shapes of the requests of the data import: queries, and wrappers whose keys are ids.

The rows of a wrapper are validated one by one, so that a bad one fails alone.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta

from hubbub.domain.imports.outcome import LARGEST_IMPORT, OnConflict
from hubbub.http.documented import documented_as
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.rest.imports.wire.rows import GroupFields, MemberFields, MessageFields, UserFields
from hubbub.rest.wire.shapes import Shape

Read = TypeVar("Read")

ON_CONFLICT = "What is done with rows that are stored already; without it they are refused."


class ImportQuery(Shape):
    """What to do with rows whose item is stored already."""

    on_conflict: Annotated[Literal["skip", "update"] | None, Meta(description=ON_CONFLICT)] = None

    def rule(self) -> OnConflict:
        return OnConflict(self.on_conflict) if self.on_conflict else OnConflict.REFUSE


class ImportRowsQuery(Shape):
    """What to do with rows whose item is stored already."""

    on_conflict: Annotated[Literal["skip"] | None, Meta(description=ON_CONFLICT)] = None

    def rule(self) -> OnConflict:
        return OnConflict.SKIP if self.on_conflict else OnConflict.REFUSE


class ImportMessagesQuery(ImportRowsQuery):
    """What to do with stored messages, and with the files of attachments."""

    fetch_attachments: Annotated[
        bool, Meta(description="Whether the files of attachments are fetched and stored here.")
    ] = False


def check_wrapper(rows: Any, name: str, code: str) -> Mapping[str, Any]:
    """Return the rows of a wrapper.

    Raises:
        BadInput: the wrapper is not an object, or has more than 50 rows.
    """
    if not isinstance(rows, dict):
        raise BadInput.field(name, f"The {name} must be an object with the ids as keys.", code=code)
    if len(rows) > LARGEST_IMPORT:
        raise BadInput.field(
            name, f"There are {len(rows)} rows; a request may have {LARGEST_IMPORT}."
        )
    return rows


def read_rows(
    rows: Mapping[str, Any], read: Callable[[str, Any, list[str]], Read], ignored: list[str]
) -> tuple[dict[str, Read], dict[str, Refusal]]:
    """Return the valid rows and the refusals of the others, both by key.

    The names of unknown fields are added to `ignored`.
    """
    good: dict[str, Read] = {}
    bad: dict[str, Refusal] = {}
    for key, value in rows.items():
        try:
            good[key] = read(key, value, ignored)
        except BadInput as refusal:
            bad[key] = refusal
    return good, bad


def rows_of(row: type) -> Meta:
    """Return the annotation of a wrapper, whose rows are validated one by one."""
    return documented_as(dict[str, row], required=True, maxProperties=LARGEST_IMPORT)  # type: ignore[valid-type]  # a type


class ImportUsers(Shape):
    """Users by uid, at most 50."""

    users: Annotated[Any, rows_of(UserFields)] = None


class ImportGroups(Shape):
    """Groups by guid, at most 50."""

    groups: Annotated[Any, rows_of(GroupFields)] = None


class ImportMembers(Shape):
    """Members by `<guid>_member_<uid>`, at most 50."""

    members: Annotated[Any, rows_of(MemberFields)] = None


class ImportMessages(Shape):
    """Messages by muid, at most 50."""

    messages: Annotated[Any, rows_of(MessageFields)] = None
