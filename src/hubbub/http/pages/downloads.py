"""Downloads by signed links, whole or by range; no file can run as a script of this origin."""

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, quote

from hubbub.config import BadSetting
from hubbub.domain.attachments.find import find_file
from hubbub.domain.exports.find import find_export_file
from hubbub.files.links import OF_EXPORT
from hubbub.files.sniff import INLINE_TYPES, UNKNOWN
from hubbub.files.store import FileNotStored
from hubbub.http.answer import Answer
from hubbub.http.errors import error_answer
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.records.attachments.model import StoredFile
from hubbub.runtime import Runtime

PATH = "/files/{app_id}/{message}/{file}"
HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, max-age=86400, immutable",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:\[\]_/~%-]+")
_FILE = re.compile(r"([0-9a-f]{32}(?:-thumbnail)?)(?:\.[a-z0-9]{1,16})?")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_RANGE = re.compile(r"bytes=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})\s*", re.IGNORECASE)


def add_downloads(routes: Routes, runtime: Runtime) -> None:
    """Add the route of downloads.

    Raises:
        BadSetting: the public URL of the settings cannot be the start of a link.
    """
    address = runtime.settings.public_url
    if address and not _ADDRESS.fullmatch(address):
        raise BadSetting(f"HUBBUB_PUBLIC_URL must be like https://chat.example.com: {address!r}")
    download = Download(runtime)
    for method in ("GET", "HEAD"):
        routes.add(PATH, method, download)


class Download:
    """A file that is attached to a message, or that of an export."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        file = await self._access_file(request, *values)
        answer, section = _begin_answer(request, file)
        if section is not None and request.method != "HEAD":
            answer.pieces = await self._runtime.files.read(file.path, *section)
        return answer

    async def _access_file(
        self, request: Request, app_id: str, message: str, name: str
    ) -> StoredFile:
        named = _FILE.fullmatch(name)
        query = dict(parse_qsl(request.query.decode()))
        expires, signature = query.get("expires", ""), query.get("signature")
        if named is None or not signature or not all(map(_NUMBER.fullmatch, (message, expires))):
            raise FileNotStored
        if int(message) == OF_EXPORT:
            return await find_export_file(self._runtime, app_id, named[1], int(expires), signature)
        return await find_file(
            self._runtime, app_id, int(message), named[1], int(expires), signature
        )


def _begin_answer(request: Request, file: StoredFile) -> tuple[Answer, tuple[int, int] | None]:
    """Return the answer without its body, and the first byte and the length of that, if any."""
    etag = f'"{file.path.rpartition("/")[2]}"'
    known = request.header(b"if-none-match")
    if etag in (known or "") or known == "*":
        return _with_headers(Answer(status=304), etag), None
    is_same = request.header(b"if-range") in (None, etag)
    section = find_range(request.header(b"range") or "", file.size) if is_same else None
    start, length = section or (0, file.size)
    if section is not None and length == 0:
        return _with_headers(_refuse_range(file.size), etag), None
    is_shown = file.mime_type in INLINE_TYPES or file.path.endswith("-thumbnail")
    answer = _with_headers(Answer(content_type=file.mime_type if is_shown else UNKNOWN), etag)
    kind = "inline" if is_shown else "attachment"
    answer.set_header("Content-Disposition", f"{kind}; {_file_name(file.name)}")
    answer.length = length
    if section is not None:
        answer.status = 206
        answer.set_header("Content-Range", f"bytes {start}-{start + length - 1}/{file.size}")
    return answer, (start, length)


def _with_headers(answer: Answer, etag: str) -> Answer:
    for name, text in HEADERS.items():
        answer.set_header(name, text)
    answer.set_header("ETag", etag)
    return answer


def find_range(requested: str, size: int) -> tuple[int, int] | None:
    """Return first byte and length of the requested range; length 0 if the file has none of it.

    None, which means the whole file, for several ranges or a malformed one.
    """
    match = _RANGE.fullmatch(requested)
    if match is None or match[1] == match[2] == "":
        return None
    if match[1] == "":
        length = min(int(match[2]), size)
        return size - length, length
    first = int(match[1])
    last = min(int(match[2] or size - 1), size - 1)
    if match[2] and int(match[2]) < first:
        return None
    return first, max(last - first + 1, 0)


def _refuse_range(size: int) -> Answer:
    message = f"The file has {size:,} bytes; the range has none of them."
    answer = error_answer(416, "ERR_BAD_REQUEST", message)
    answer.set_header("Content-Range", f"bytes */{size}")
    return answer


def _file_name(name: str) -> str:
    """Return the parameters with the name, for clients with and without RFC 5987."""
    plain = "".join(each if each.isascii() and each not in '"\\%' else "_" for each in name)
    return f"filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
