"""Decode large bodies, checked while they arrive, in pieces between which others have turns.

What is sent in pieces is refused at the first one that goes too far; nothing more of it is kept.
"""

import asyncio
import codecs
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import msgspec

from hubbub.http.call import Call
from hubbub.http.decoding.decode import (
    Malformed,
    decode_in_passes,
    decode_names,
    not_text,
    unpaired_surrogate,
)
from hubbub.http.decoding.faults import not_json, split_malformed, unknown_names
from hubbub.http.operation import LARGEST_BODY
from hubbub.http.request import Request
from hubbub.kernel.errors import BadInput
from hubbub.kernel.nesting import MOST_VALUES, JsonForm

PIECE_BYTES = 64 * 1024
"""The bytes that are looked at before other work has its turn."""
_SURROGATE = b"\\ud"
_END = object()
Made = TypeVar("Made")


class _Check:
    """Checks that a body is UTF-8 and has a form that is decoded, as far as it has arrived."""

    def __init__(self, call: Call, most_values: int) -> None:
        self._call = call
        self._form = JsonForm(most_values)
        self._text = codecs.getincrementaldecoder("utf-8")()
        self._checked = 0

    async def take(self, body: bytes | bytearray, *, is_whole: bool) -> None:
        """Look at what has come since the last time.

        Raises:
            BadInput: it is not UTF-8, or goes beyond the limits of the form.
        """
        while is_whole or len(body) - self._checked > PIECE_BYTES:
            piece = bytes(body[self._checked : self._checked + PIECE_BYTES])
            is_last = is_whole and self._checked + len(piece) == len(body)
            await _in_turn(self._call, partial(self._look, piece, is_last=is_last))
            if is_last:
                return

    def _look(self, piece: bytes, *, is_last: bool) -> None:
        start = self._checked - len(self._text.getstate()[0])
        self._checked += len(piece)
        self._form.take(piece)
        try:
            self._text.decode(piece, final=is_last)
        except UnicodeDecodeError as fault:
            raise not_text(start + fault.start) from None


async def receive_body(call: Call, request: Request, largest: int, most_values: int) -> bytearray:
    """Return a body that is checked while it arrives.

    Raises:
        TooLarge: it has more than `largest` bytes.
        BodyIncomplete: the connection ended before its end.
        BadInput: it is not UTF-8, or goes beyond the limits of its form.
    """
    check, body = _Check(call, most_values), bytearray()
    async for piece in request.pieces_up_to(largest):
        body += piece
        await check.take(body, is_whole=False)
    await check.take(body, is_whole=True)
    return body


async def check_large(call: Call, raw: bytes, most_values: int = MOST_VALUES) -> None:
    """Check in pieces that JSON is UTF-8 and has a form that is decoded; others have turns.

    Raises:
        BadInput: it has not.
    """
    await _Check(call, most_values).take(raw, is_whole=True)


async def decode_large(call: Call, raw: bytes | bytearray, type_: type, ignored: list[str]) -> Any:
    """Return the JSON object in a body that was checked; others have a turn between the passes.

    Raises:
        BadInput: it is not JSON, or does not fit the type.
    """
    if len(raw) > LARGEST_BODY:
        raw = await _cut_unknown(call, raw, type_, ignored)
    try:
        return await _last(call, decode_in_passes(raw or b"{}", type_, ignored))
    except Malformed as malformed:
        fault = malformed.fault
    await asyncio.sleep(0)
    for piece in _overlapping(raw, len(_SURROGATE) - 1):
        if _SURROGATE in piece.lower():
            raise unpaired_surrogate()
        await asyncio.sleep(0)
    if not isinstance(fault, msgspec.DecodeError):
        raise BadInput("The body is not a JSON object.")
    reason, end = split_malformed(raw, fault)
    raise not_json(reason, *await _place_of(raw, end))


async def _in_turn(call: Call, work: Callable[[], Made]) -> Made:
    return await call.runtime.pieces.do(call.app_id, work)


async def _last(call: Call, passes: Iterator[Any]) -> Any:
    """Return what the last of the passes makes; others have a turn after each."""
    made, following = None, await _in_turn(call, partial(next, passes, _END))
    while following is not _END:
        made, following = following, await _in_turn(call, partial(next, passes, _END))
    return made


async def _cut_unknown(
    call: Call, raw: bytes | bytearray, type_: type, ignored: list[str]
) -> bytes | bytearray:
    """Return a large JSON object without the fields that its type does not have.

    They are looked for once, and added to `ignored`; others have a turn before the rest is decoded.
    """
    try:
        fields = await _in_turn(call, partial(decode_names, raw))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return raw  # it is refused when it is decoded
    unknown = unknown_names(fields, type_)
    if not unknown:
        return raw
    ignored += unknown
    known = {each.encode_name for each in msgspec.structs.fields(type_)}
    left = {name: fields[name] for name in fields.keys() & known}
    return await _in_turn(call, partial(msgspec.json.encode, left))


def _overlapping(raw: bytes | bytearray, overlap: int) -> Iterator[bytes]:
    """Yield pieces, each with the first bytes of the next one."""
    for start in range(0, len(raw), PIECE_BYTES):
        yield bytes(raw[start : start + PIECE_BYTES + overlap])


async def _place_of(raw: bytes | bytearray, end: int) -> tuple[int, int]:
    """Return the line and the column of a byte, from 1; others have turns."""
    text, line, column = codecs.getincrementaldecoder("utf-8")("replace"), 1, 1
    for start in range(0, end, PIECE_BYTES):
        upto = min(start + PIECE_BYTES, end)
        before, newline, after = text.decode(bytes(raw[start:upto]), upto == end).rpartition("\n")
        if newline:
            line, column = line + before.count("\n") + 1, 1
        column += len(after)
        await asyncio.sleep(0)
    return line, column
