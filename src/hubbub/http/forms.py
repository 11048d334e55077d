"""Bodies in `multipart/form-data`: the fields become the body's shape, the files go to the store.

Each top-level field is a part of its own: texts as they are, all else as JSON. Files are parts
named `file`, and are written away while they come in; no more than a piece of them is in memory.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import falcon
import msgspec
from falcon.asgi.multipart import BodyPart
from falcon.media import MultipartFormHandler
from falcon.media.multipart import MultipartParseOptions

from hubbub.domain.access.people import access_actor
from hubbub.domain.attachments.upload import Upload
from hubbub.http.authenticate import Header
from hubbub.http.call import Call
from hubbub.http.decode import decode_body, invalid, refuse_nul
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

Handler = TypeVar("Handler", bound=Callable[..., Any])
_taking: set[Callable[..., Any]] = set()


def takes_files(handler: Handler) -> Handler:
    """Mark an operation whose body may be a form with files, which it finds in `call.upload`."""
    _taking.add(handler)
    return handler


def may_take_files(handler: Callable[..., Any]) -> bool:
    """Whether an operation's body may be a form with files."""
    return handler in _taking


def is_form(handler: Callable[..., Any], header: Header) -> bool:
    """Whether a request brings a form to an operation that takes files."""
    kind = (header("content-type") or "").partition(";")[0].strip().lower()
    return kind == falcon.MEDIA_MULTIPART and may_take_files(handler)


@asynccontextmanager
async def received_form(call: Call, req: Any, type_: type) -> AsyncIterator[Any]:
    """The body that a form stands for; files that no message holds at the end are removed.

    Raises:
        UidNotFound, FeatureRestricted: who acts may not do this, whatever is in the form.
        BadInput: it is no form, or its fields are wrong.
        TooLarge: it has more bytes than a form may have.
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
    """The fields of a form by name; its files are in `upload`."""
    if (req.content_length or 0) > LARGEST_FORM:
        raise FilesTooLarge
    form = _Form(upload)
    pieces = _counted(req.stream, req.content_length)
    try:
        parts = await _handler().deserialize_async(
            pieces,  # type: ignore[arg-type]  # pieces are all that is asked for
            req.content_type,
            req.content_length,
        )
        async for part in parts:
            await form.take(part)
    except falcon.HTTPError as fault:
        raise BadInput(f"The form can't be read: {fault.description or fault.title}") from None
    except UnicodeDecodeError:
        raise BadInput("The form can't be read: the head of a part is no UTF-8.") from None
    async for _ in pieces:  # what stands behind the last part is nothing of ours
        pass
    return form.fields


@lru_cache(maxsize=1)
def _handler() -> MultipartFormHandler:
    options = MultipartParseOptions()
    options.max_body_part_count = MOST_PARTS
    options.max_body_part_headers_size = LARGEST_HEAD
    return MultipartFormHandler(options)


async def _counted(stream: AsyncIterator[bytes], length: int | None) -> AsyncIterator[bytes]:
    """The body, as far as a form may go."""
    size = 0
    async for piece in stream:
        size += len(piece)
        if size > LARGEST_FORM:
            raise FilesTooLarge
        yield piece
    if length is not None and size < length:
        raise BadInput("The body of the request ended too early.")


class _Form:
    """The parts of a form as they come."""

    def __init__(self, upload: Upload) -> None:
        self.fields: dict[str, str] = {}
        self._upload = upload
        self._left = LARGEST_FIELDS

    async def take(self, part: BodyPart) -> None:
        """Read a part to its end."""
        name = (part.name or "")[:LONGEST_NAME]
        if name == FILE:
            await self._take_file(part)
            return
        if not name:
            raise BadInput("A part of the form has no name.")
        if part.filename is not None:
            raise BadInput.field(name, f"A file must be a part with the name {FILE}.")
        if name in self.fields:
            raise BadInput.field(name, "The form has two parts with this name.")
        self.fields[name] = await self._read_field(part, name)

    async def _take_file(self, part: BodyPart) -> None:
        pieces = aiter(part.stream)
        first = await anext(pieces, b"")
        if first or part.filename:  # browsers send an empty part where no file was chosen
            await self._upload.add(part.filename or FILE, _after(first, pieces))

    async def _read_field(self, part: BodyPart, name: str) -> str:
        raw = await part.stream.read(self._left + 1)
        self._left -= len(raw)
        if self._left < 0:
            raise TooLarge(
                f"The parts that are no files may have {LARGEST_FIELDS:,} bytes together."
            )
        try:
            return raw.decode()
        except UnicodeDecodeError as fault:
            place = fault.start
        raise BadInput.field(name, f"It is not UTF-8: the byte at {place} is out of place.")


async def _after(first: bytes, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in pieces:
        yield piece


def _shape_of(fields: dict[str, str], type_: type) -> Any:
    """The fields as the shape of the body; those that it does not know are left out.

    Raises:
        BadInput: a part is not the JSON that it should be, or does not fit.
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
    """The names of the parts that a shape's fields are, and whether each is a text."""
    fields = msgspec.structs.fields(type_)
    return tuple((field.encode_name, str in set(_kinds(field.type))) for field in fields)


def _kinds(type_: Any) -> Iterator[Any]:
    """The types that a value may have."""
    if get_origin(type_) is Annotated:
        yield from _kinds(get_args(type_)[0])
    elif get_origin(type_) in (Union, UnionType):
        for each in get_args(type_):
            yield from _kinds(each)
    else:
        yield type_
