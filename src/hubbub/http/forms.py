"""Bodies in `multipart/form-data`: the fields become the body's shape, the files go to the store.

Each top-level field is a part of its own: texts as they are, all else as JSON. Files are parts
named `file`; they are stored while they arrive, so that only a chunk of them is in memory.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import falcon
import msgspec
from falcon.asgi.multipart import BodyPart
from falcon.media import MultipartFormHandler
from falcon.media.multipart import MultipartParseOptions

from hubbub.domain.access.people import access_actor
from hubbub.domain.attachments.upload import Upload
from hubbub.http.call import Call
from hubbub.http.decode import decode_body, invalid, refuse_nul
from hubbub.http.raw_request import BodyIncomplete, Header
from hubbub.kernel.errors import BadInput, TooLarge
from hubbub.records.attachments.model import (
    LARGEST_FILES,
    UPLOAD_SECONDS,
    FilesTooLarge,
    UploadTooSlow,
)

FILE = "file"
MOST_PARTS = 64
LARGEST_FIELDS = 1024 * 1024
LARGEST_HEAD = 8192
LARGEST_FORM = LARGEST_FILES + LARGEST_FIELDS + MOST_PARTS * LARGEST_HEAD
LONGEST_NAME = 100


def is_form(header: Header) -> bool:
    """Return whether the body of a request is a form."""
    kind = (header("content-type") or "").partition(";")[0].strip().lower()
    return kind == falcon.MEDIA_MULTIPART


@asynccontextmanager
async def receive_form(call: Call, req: Any, type_: type) -> AsyncIterator[Any]:
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
        fields = await _read_in_time(req, call.upload)
        yield _shape_of(fields, type_)
    finally:
        await call.upload.discard()


async def _read_in_time(req: Any, upload: Upload) -> dict[str, str]:
    try:
        async with asyncio.timeout(UPLOAD_SECONDS):
            return await _read_form(req, upload)
    except TimeoutError:
        raise UploadTooSlow from None


async def _read_form(req: Any, upload: Upload) -> dict[str, str]:
    """Return the fields of a form by name, and add its files to `upload`."""
    if (req.content_length or 0) > LARGEST_FORM:
        raise FilesTooLarge
    form = _Form(upload)
    pieces = _limit_size(req.stream, req.content_length)
    try:
        parts = await _form_handler().deserialize_async(
            pieces,  # type: ignore[arg-type]  # it only iterates
            req.content_type,
            req.content_length,
        )
        async for part in parts:
            await form.take(part)
    except falcon.HTTPError as fault:
        raise BadInput(f"The form is malformed: {fault.description or fault.title}") from None
    except UnicodeDecodeError:
        raise BadInput("The form is malformed: the head of a part is not UTF-8.") from None
    async for _ in pieces:  # anything after the last part is ignored
        pass
    return form.fields


@lru_cache(maxsize=1)
def _form_handler() -> MultipartFormHandler:
    options = MultipartParseOptions()
    options.max_body_part_count = MOST_PARTS
    options.max_body_part_headers_size = LARGEST_HEAD
    return MultipartFormHandler(options)


async def _limit_size(stream: AsyncIterator[bytes], length: int | None) -> AsyncIterator[bytes]:
    """Yield the body in pieces; refuse one that is larger than a form may be, or incomplete."""
    size = 0
    async for piece in stream:
        size += len(piece)
        if size > LARGEST_FORM:
            raise FilesTooLarge
        yield piece
    if length is not None and size < length:
        raise BodyIncomplete


class _Form:
    """The parts of a form that have arrived."""

    def __init__(self, upload: Upload) -> None:
        self.fields: dict[str, str] = {}
        self._upload = upload
        self._left = LARGEST_FIELDS

    async def take(self, part: BodyPart) -> None:
        """Read a part completely."""
        name = (part.name or "")[:LONGEST_NAME]
        if name == FILE:
            await self._take_file(part)
            return
        if not name:
            raise BadInput("A part of the form has no name.")
        if part.filename is not None:
            raise BadInput.field(name, f"A file must be in a part named {FILE}.")
        if name in self.fields:
            raise BadInput.field(name, "The form has two parts of this name.")
        self.fields[name] = await self._read_field(part, name)

    async def _take_file(self, part: BodyPart) -> None:
        pieces = aiter(part.stream)
        first = await anext(pieces, b"")
        if first or part.filename:  # browsers send an empty part where no file was chosen
            await self._upload.add(part.filename or FILE, _chain(first, pieces))

    async def _read_field(self, part: BodyPart, name: str) -> str:
        raw = await part.stream.read(self._left + 1)
        self._left -= len(raw)
        if self._left < 0:
            raise TooLarge(
                f"The parts that are not files may have at most {LARGEST_FIELDS:,} bytes together."
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


def _shape_of(fields: dict[str, str], type_: type) -> Any:
    """Return the fields as the shape of the body; unknown ones are ignored.

    Raises:
        BadInput: a part is not JSON where it must be, or does not fit.
    """
    values = {
        name: fields[name] if is_text else _decode(name, fields[name])
        for name, is_text in parts_of(type_)
        if name in fields and (fields[name] or is_text)
    }
    try:
        shape: Any = msgspec.convert(values, type_)
    except msgspec.ValidationError as fault:
        raise invalid(fault) from None
    refuse_nul(shape)
    return shape


def _decode(name: str, text: str) -> Any:
    try:
        return decode_body(text.encode(), Any)
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
    else:
        yield type_
