"""Long lists: their rows are made, encoded and sent in pieces, and other calls have turns."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from hubbub.files.links import Links, has_marks
from hubbub.http.call import Call
from hubbub.http.operation import Envelope

Item = TypeVar("Item")
Row = TypeVar("Row")

SHORT = 100
"""A list of so many rows, as most have by default, is made at once."""
AT_ONCE = 50
"""Of a longer one, so many are made before others have a turn."""
_encode = msgspec.json.Encoder().encode
_BEGIN = b'{"data":['


def size_of_piece(rows: Sequence[Any]) -> int:
    """Return how many rows of a list are made at once."""
    return SHORT if len(rows) <= SHORT else AT_ONCE


async def make_rows(call: Call, items: Sequence[Item], shape: Callable[[Item], Row]) -> list[Row]:
    """Return the shapes of the items of a list; many are made in pieces.

    Raises:
        QueueFull: too much of the app waits.
    """
    size = size_of_piece(items)
    return await call.runtime.pieces.make(call.app_id, items, partial(map, shape), size=size)


def long_rows(result: Envelope) -> Sequence[Any] | None:
    """Return the rows of a result if it is a long list."""
    rows = getattr(result, "data", None)
    return rows if isinstance(rows, list) and len(rows) > SHORT else None


async def encode_rows(
    call: Call, result: Envelope, rows: Sequence[Any], links: Links
) -> list[bytes]:
    """Return the JSON of a long list in parts, with links; it is never put together in memory.

    Raises:
        QueueFull: too much of the app waits.
    """

    def encode_some(some: Sequence[Any]) -> Iterator[bytes]:
        part = b"," + _encode(some)[1:-1]
        yield links.link(part) if has_marks(part) else part

    parts = await call.runtime.pieces.make(call.app_id, rows, encode_some, size=AT_ONCE)
    around = _encode(msgspec.structs.replace(result, data=[]))
    assert around.startswith(_BEGIN), "`data` is the first field"
    return [_BEGIN + parts[0][1:], *parts[1:], around[len(_BEGIN) :]]
