"""Forms with files, as browsers and libraries send them, and files of some types."""

import io
import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from PIL import Image
from tests.wire import Answer, Asked, Sender
from tests.world import Json, Node, World

BOUNDARY = "----a-boundary"
TYPE = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
TO_BEN = {"receiver": "ben", "receiverType": "user", "type": "file"}
CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class File:
    """A part with a file."""

    name: str
    content: bytes
    part: str = "file"
    type: str = "application/octet-stream"


def form(fields: Mapping[str, Any], *files: File) -> bytes:
    """Return a form: texts as they are, other values as JSON; files after the fields."""
    return b"".join([*map(field_part, fields.items()), *map(file_part, files), END])


END = f"--{BOUNDARY}--\r\n".encode()


def field_part(field: tuple[str, Any]) -> bytes:
    """Return a field of a form."""
    name, value = field
    text = value if isinstance(value, str) else json.dumps(value)
    return part(f'form-data; name="{name}"', text.encode())


def file_part(file: File) -> bytes:
    """Return a file of a form."""
    named = f'form-data; name="{file.part}"; filename="{file.name}"'
    return part(named, file.content, f"Content-Type: {file.type}\r\n")


def part(disposition: str, content: bytes, more: str = "") -> bytes:
    """Return a part of a form."""
    head = f"--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n{more}\r\n"
    return head.encode() + content + b"\r\n"


def pieces_of_form(fields: Mapping[str, Any], pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a form with a file that is too large for memory, piece by piece."""
    for field in fields.items():
        yield field_part(field)
    head, _, end = file_part(File("large.bin", b"\0")).rpartition(b"\0")
    yield head
    yield from pieces
    yield end + END


async def send_files(world: World, *files: File, **fields: Any) -> Json:
    """Send files as Anna to Ben; return the message."""
    sent: Json = await world.post(
        "/messages", form(TO_BEN | fields, *files), as_="anna", headers=TYPE
    )
    return sent


async def refuse_files(
    world: World, body: bytes, *, status: int, code: str, headers: Mapping[str, str] = TYPE
) -> dict[str, list[str]]:
    """Check that a form is refused; return the details."""
    return await world.refused(
        "POST", "/messages", body, as_="anna", headers=headers, status=status, code=code
    )


async def attached(world: World, content: bytes, name: str = "a.bin", **fields: Any) -> Json:
    """Return the attachment of a file."""
    sent = await send_files(world, File(name, content), **fields)
    found: Json = sent["data"]["attachments"][0]
    return found


async def fetch(
    sender: Sender, url: str, headers: Mapping[str, str] | None = None, method: str = "GET"
) -> Answer:
    """Return the answer to a link, requested without a key."""
    parts = urlsplit(url)
    return await sender.send(Asked(method, f"{parts.path}?{parts.query}", headers or {}))


def stored_files(node: Node) -> set[str]:
    """Return everything stored in the folder of files, by path."""
    return files_in(node.runtime.settings.data / "files")


def files_in(folder: Path) -> set[str]:
    """Return all files below a folder, by path."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def picture(width: int, height: int, format_: str = "PNG", **options: Any) -> bytes:
    """Return a picture."""
    content = io.BytesIO()
    mode = options.pop("mode", "RGB")
    Image.new(mode, (width, height), options.pop("colour", 0)).save(content, format_, **options)
    return content.getvalue()


def bomb(width: int, height: int, *, is_whole: bool = False) -> bytes:
    """Return a small PNG that declares a large size, and perhaps has it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packer = zlib.compressobj(1)
    row = bytes(1 + 3 * width) if is_whole else b""
    packed = b"".join(packer.compress(row) for _ in range(height if is_whole else 0))
    chunks = [(b"IHDR", head), (b"IDAT", packed + packer.flush()), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
