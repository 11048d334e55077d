"""Shapes of the requests of the data import: queries, and wrappers whose keys are ids.

The rows of a wrapper are validated one by one, so that a bad one fails alone.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Raw

from hubbub.domain.imports.outcome import LARGEST_IMPORT, OnConflict
from hubbub.http.call import Call
from hubbub.http.documented import documented_as
from hubbub.http.operation import LARGEST_BODY
from hubbub.kernel.errors import BadInput, Refusal, TooLarge
from hubbub.rest.imports.wire.rows import GroupFields, MemberFields, MessageFields, UserFields
from hubbub.rest.wire.shapes import Shape

Read = TypeVar("Read")

_decode = msgspec.json.Decoder().decode
_decode_rows = msgspec.json.Decoder(dict[str, Raw]).decode

SMALL_ROWS, SMALL_BYTES = 10, 4 * 1024
"""So many rows are read before others have a turn if none is larger, else one."""
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


async def check_wrapper(wrapper: Raw, name: str, code: str) -> Mapping[str, Raw]:
    """Return the rows of a wrapper, each as JSON; others have turns before and after.

    Raises:
        BadInput: the wrapper is not an object, or has more than 50 rows.
    """
    await asyncio.sleep(0)
    try:
        rows = _decode_rows(wrapper)
    except msgspec.ValidationError:
        sentence = f"The {name} must be an object with the ids as keys."
        raise BadInput.field(name, sentence, code=code) from None
    except msgspec.DecodeError as fault:
        raise _not_json(name, fault) from None
    if len(rows) > LARGEST_IMPORT:
        raise BadInput.field(
            name, f"There are {len(rows)} rows; a request may have {LARGEST_IMPORT}."
        )
    await asyncio.sleep(0)
    return rows


def _not_json(name: str, fault: Exception) -> BadInput:
    return BadInput(f"The body is not a JSON object: {fault}, in {name}.")


async def read_rows(
    call: Call, rows: Mapping[str, Raw], read: Callable[[str, Any, list[str]], Read]
) -> tuple[dict[str, Read], dict[str, Refusal]]:
    """Return the valid rows and the refusals of the others, both by key; others have turns.

    The names of unknown fields are added to those that the call ignores.

    Raises:
        BadInput: a row is not JSON.
    """
    good: dict[str, Read] = {}
    bad: dict[str, Refusal] = {}

    def read_some(some: Sequence[tuple[str, Raw]]) -> Sequence[object]:
        for key, row in some:
            if memoryview(row).nbytes > LARGEST_BODY:
                bad[key] = TooLarge(f"The row has more than {LARGEST_BODY:,} bytes.")
                continue
            try:
                value = _decode(row)
            except (msgspec.DecodeError, UnicodeDecodeError) as fault:
                raise _not_json(key, fault) from None
            try:
                good[key] = read(key, value, call.ignored)
            except BadInput as refusal:
                bad[key] = refusal
        return some

    size = SMALL_ROWS if all(memoryview(row).nbytes <= SMALL_BYTES for row in rows.values()) else 1
    await call.runtime.pieces.make(call.app_id, list(rows.items()), read_some, size=size)
    return good, bad


def rows_of(row: type) -> Meta:
    """Return the annotation of a wrapper, whose rows are validated one by one."""
    return documented_as(dict[str, row], required=True, maxProperties=LARGEST_IMPORT)  # type: ignore[valid-type]  # a type


def _nothing() -> Raw:
    """Return the wrapper of a request that has none."""
    return Raw(b"null")


class ImportUsers(Shape):
    """Users by uid, at most 50."""

    users: Annotated[Raw, rows_of(UserFields)] = msgspec.field(default_factory=_nothing)


class ImportGroups(Shape):
    """Groups by guid, at most 50."""

    groups: Annotated[Raw, rows_of(GroupFields)] = msgspec.field(default_factory=_nothing)


class ImportMembers(Shape):
    """Members by `<guid>_member_<uid>`, at most 50."""

    members: Annotated[Raw, rows_of(MemberFields)] = msgspec.field(default_factory=_nothing)


class ImportMessages(Shape):
    """Messages by muid, at most 50."""

    messages: Annotated[Raw, rows_of(MessageFields)] = msgspec.field(default_factory=_nothing)
