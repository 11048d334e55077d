"""Bodies in `multipart/form-data`: the fields become the body's shape, the files go to the store.

Each top-level field is a part of its own: texts as they are, all else as JSON. Files are parts
named `file`; they are stored while they arrive, so that only a chunk of them is in memory.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from urllib.parse import unquote_to_bytes

import msgspec
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from hubbub.domain.access.people import access_actor
from hubbub.domain.attachments.upload import Upload
from hubbub.http.call import Call
from hubbub.http.decoding.decode import (
    convert_body,
    decode_checked,
    refuse_nul,
)
from hubbub.http.decoding.large import check_large
from hubbub.http.request import Request
from hubbub.kernel.errors import BadInput, TooLarge
from hubbub.records.attachments.model import (
    LARGEST_FILES,
    UPLOAD_SECONDS,
    FilesTooLarge,
    UploadTooSlow,
)

FILE = "file"
MOST_PARTS = 64
MOST_PARTS_OF_MAIL = 1000
LARGEST_FIELDS = 1024 * 1024
LARGEST_HEAD = 8192
MOST_HEADERS = 32
LARGEST_FORM = LARGEST_FILES + LARGEST_FIELDS + MOST_PARTS * LARGEST_HEAD
LONGEST_NAME = 100
LONGEST_BOUNDARY = 70
_EXTENDED_NAME = re.compile(r"""; *filename\*= *"?([\w-]+)'[\w-]*'([^;"\s]+)""", re.IGNORECASE)


@asynccontextmanager
async def receive_form(call: Call, request: Request, type_: type) -> AsyncIterator[Any]:
    """Yield the body that a form has; at the end, remove the files that no message took.

    Raises:
        UidNotFound, FeatureRestricted: the actor may not do this, whatever the form has.
        BadInput: the form is malformed, or its fields are invalid.
        TooLarge: the form has too many bytes.
        Unavailable: a file can't be stored.
    """
    await call.runtime.database.read(call.app_id, lambda tx: access_actor(tx, call.actor))
    call.upload = Upload(call.runtime, call.app_id)
    try:
        fields = await read_upload(request, call.upload)
        yield await _shape_of(call, fields, type_, request.ignored)
    finally:
        await call.upload.discard()


async def read_fields(
    request: Request, names: Collection[str], *, largest: int, with_files: bool = False
) -> dict[str, bytes]:
    """Return some fields of a form, each cut at `largest` bytes; the first of several by a name.

    All else is read and thrown away, such as files unless `with_files`. A form may have more parts
    than one with a message, as mail has many attachments.

    Raises:
        BadInput: the form is malformed, or arrives too slowly.
        TooLarge: the form has too many bytes.
    """
    try:
        async with asyncio.timeout(UPLOAD_SECONDS):
            return await _read_some(request, names, largest, with_files)
    except TimeoutError:
        raise UploadTooSlow from None


async def _read_some(
    request: Request, names: Collection[str], largest: int, with_files: bool
) -> dict[str, bytes]:
    fields: dict[str, bytes] = {}
    events = _parse(request, most_parts=MOST_PARTS_OF_MAIL)
    async for event in events:
        if not isinstance(event, MultipartSegment):
            continue
        _, options = parse_options_header(event.header("Content-Disposition") or "")
        name, is_file = options.get("name", ""), "filename" in options
        is_kept = name in names and name not in fields and (with_files or not is_file)
        read = bytearray()
        async for piece in _read_part(events):
            if is_kept and len(read) < largest:
                read += piece
        if is_kept:
            fields[name] = bytes(read[:largest])
    return fields


async def read_upload(request: Request, upload: Upload) -> dict[str, str]:
    """Return the fields of a form by name, and store its files while they arrive.

    Raises:
        BadInput: the form is malformed, or arrives too slowly.
        TooLarge: it has too many bytes.
        Unavailable: a file can't be stored.
    """
    try:
        async with asyncio.timeout(UPLOAD_SECONDS):
            return await _read_form(request, upload)
    except TimeoutError:
        raise UploadTooSlow from None


async def _read_form(request: Request, upload: Upload) -> dict[str, str]:
    if (request.content_length or 0) > LARGEST_FORM:
        raise FilesTooLarge
    form = _Form(upload)
    events = _parse(request)
    async for event in events:
        if isinstance(event, MultipartSegment):
            await form.take(event, _read_part(events))
    return form.fields


async def _parse(request: Request, *, most_parts: int = MOST_PARTS) -> AsyncIterator[Any]:
    """Yield for each part of a form its head, its content in pieces, and None at its end."""
    parser = PushMultipartParser(
        _boundary_of(request),
        max_header_size=LARGEST_HEAD,
        max_header_count=MOST_HEADERS,
        max_segment_count=most_parts,
    )
    try:
        async for piece in _limit_size(request):
            if piece:  # an empty one would end the form
                for event in parser.parse(piece):
                    yield event
        parser.close()
    except MultipartError as fault:
        raise _malformed(fault.args[0]) from None


async def _read_part(events: AsyncIterator[Any]) -> AsyncIterator[bytes]:
    """Yield the content of the part whose head came last."""
    async for event in events:
        if not isinstance(event, bytes):
            return
        yield event


def _boundary_of(request: Request) -> str:
    _, options = parse_options_header(request.header(b"content-type") or "")
    boundary: str = options.get("boundary", "").rstrip()
    if not 1 <= len(boundary) <= LONGEST_BOUNDARY:
        raise _malformed("its boundary has 1 to 70 characters")
    return boundary


def _names_of(head: MultipartSegment) -> tuple[str, str | None]:
    """Return the name of a part, and its file name if it has one; that of RFC 5987 comes first."""
    disposition = head.header("Content-Disposition") or ""
    _, options = parse_options_header(disposition)
    extended = _EXTENDED_NAME.search(disposition)
    if extended is None:
        return options.get("name", ""), options.get("filename")
    try:
        return options.get("name", ""), unquote_to_bytes(extended[2]).decode(extended[1])
    except (ValueError, LookupError):
        raise _malformed("a file name is not in its character set") from None


def _malformed(reason: str) -> BadInput:
    return BadInput(f"The form is malformed: {reason}.")


async def _limit_size(request: Request) -> AsyncIterator[bytes]:
    """Yield the body in pieces; refuse one that is larger than a form may be."""
    size = 0
    async for piece in request.pieces():
        size += len(piece)
        if size > LARGEST_FORM:
            raise FilesTooLarge
        yield piece


class _Form:
    """The parts of a form that have arrived."""

    def __init__(self, upload: Upload) -> None:
        self.fields: dict[str, str] = {}
        self._upload = upload
        self._left = LARGEST_FIELDS

    async def take(self, head: MultipartSegment, pieces: AsyncIterator[bytes]) -> None:
        """Read a part completely."""
        name, file_name = _names_of(head)
        name = name[:LONGEST_NAME]
        if head.header("Content-Transfer-Encoding", "binary") != "binary":
            raise _malformed("the header Content-Transfer-Encoding is not supported")
        if name == FILE:
            await self._take_file(file_name, pieces)
            return
        if not name:
            raise BadInput("A part of the form has no name.")
        if file_name is not None:
            raise BadInput.field(name, f"A file must be in a part named {FILE}.")
        if name in self.fields:
            raise BadInput.field(name, "The form has two parts of this name.")
        self.fields[name] = await self._read_field(name, pieces)

    async def _take_file(self, name: str | None, pieces: AsyncIterator[bytes]) -> None:
        first = await anext(pieces, b"")
        if first or name:  # browsers send an empty part where no file was chosen
            await self._upload.add(name or FILE, _chain(first, pieces))

    async def _read_field(self, name: str, pieces: AsyncIterator[bytes]) -> str:
        raw = bytearray()
        async for piece in pieces:
            raw += piece
            self._left -= len(piece)
            if self._left < 0:
                raise TooLarge(
                    f"The parts that are not files may have at most {LARGEST_FIELDS:,} bytes"
                    " together."
                )
        try:
            return raw.decode()
        except UnicodeDecodeError as fault:
            position = fault.start
        raise BadInput.field(name, f"It is not UTF-8: the byte at position {position} is invalid.")


async def _chain(first: bytes, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in pieces:
        yield piece


async def _shape_of(call: Call, fields: dict[str, str], type_: type, ignored: list[str]) -> Any:
    """Return the fields as the shape of the body; the names of unknown ones go to `ignored`.

    Raises:
        BadInput: a part is not JSON where it must be, or does not fit.
    """
    values = {
        name: fields[name] if is_text else await _decode(call, name, fields[name])
        for name, is_text in parts_of(type_)
        if name in fields and (fields[name] or is_text)
    }
    known = {name for name, _ in parts_of(type_)}
    ignored += (name for name in fields if name not in known)
    shape: Any = convert_body(values, type_, ignored)
    refuse_nul(shape)
    return shape


async def _decode(call: Call, name: str, text: str) -> Any:
    raw = text.encode()
    try:
        await check_large(call, raw)  # in pieces: a part may have a mebibyte
        return decode_checked(raw, Any)
    except BadInput as fault:
        message = fault.message
    raise BadInput.field(name, f"It must be JSON. {message}")


@lru_cache(maxsize=16)
def parts_of(type_: type) -> tuple[tuple[str, bool], ...]:
    """Return the names of the parts for a shape's fields, and whether each is plain text."""
    fields = msgspec.structs.fields(type_)
    return tuple((field.encode_name, str in set(_member_types(field.type))) for field in fields)


def _member_types(type_: Any) -> Iterator[Any]:
    """Yield the types that a value may have."""
    if get_origin(type_) is Annotated:
        yield from _member_types(get_args(type_)[0])
    elif get_origin(type_) in (Union, UnionType):
        for each in get_args(type_):
            yield from _member_types(each)
    elif get_origin(type_) is Literal:
        yield from map(type, get_args(type_))
    else:
        yield type_
