"""Downloads by signed links, whole or by range; no file can run as a script of this origin."""

import re
from typing import Any
from urllib.parse import quote

import falcon.asgi

from hubbub.config import BadSetting
from hubbub.domain.attachments.find import find_file
from hubbub.files.links import Links
from hubbub.files.sniff import INLINE_TYPES, UNKNOWN
from hubbub.files.store import FileNotStored
from hubbub.http.errors import error_body, write_error
from hubbub.records.attachments.model import StoredFile
from hubbub.runtime import Runtime

Request = falcon.asgi.Request
Response = falcon.asgi.Response

PATH = "/files/{app_id}/{message}/{file}"
HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, max-age=86400, immutable",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_HOST = re.compile(r"[A-Za-z0-9.:\[\]_-]{1,255}")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:\[\]_/~%-]+")
_FILE = re.compile(r"([0-9a-f]{32}(?:-thumbnail)?)(?:\.[a-z0-9]{1,16})?")
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_RANGE = re.compile(r"bytes=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})\s*", re.IGNORECASE)


def links_of(runtime: Runtime, req: Request, app_id: str) -> Links:
    """Return the maker of the links in the answer to a request."""
    return Links(runtime.sealer, app_id, _address_of(runtime, req), runtime.clock.now())


def _address_of(runtime: Runtime, req: Request) -> str:
    """Return the address under which the client reaches this node; links without it have no host.

    Only the caller reads the answer, so the host that they name can be trusted.
    """
    if runtime.settings.public_url:
        return runtime.settings.public_url.rstrip("/")
    header = req.context.header
    host = header("host") or ""
    if not _HOST.fullmatch(host):
        return ""
    forwarded = (header("x-forwarded-proto") or "").partition(",")[0].strip().lower()
    is_secure = "https" in (req.scope["scheme"], forwarded)
    return f"{'https' if is_secure else 'http'}://{host}"


class Download:
    """A file that is attached to a message."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def on_get(self, req: Request, resp: Response, **path: str) -> None:
        file = await self._access_file(req, path)
        section = _write_head(req, resp, file)
        if section is not None:
            resp.stream = await self._runtime.files.read(file.path, *section)

    async def on_head(self, req: Request, resp: Response, **path: str) -> None:
        _write_head(req, resp, await self._access_file(req, path))

    async def _access_file(self, req: Request, path: dict[str, str]) -> StoredFile:
        named = _FILE.fullmatch(path["file"])
        expires, signature = req.get_param("expires"), req.get_param("signature")
        numbers = [path["message"], expires or ""]
        if named is None or not signature or not all(map(_NUMBER.fullmatch, numbers)):
            raise FileNotStored
        message, expires_at = map(int, numbers)
        return await find_file(
            self._runtime, path["app_id"], message, named[1], expires_at, signature
        )


def _write_head(req: Request, resp: Response, file: StoredFile) -> tuple[int, int] | None:
    """Write the head of the answer; return the first byte and the length of its body, if any."""
    etag = f'"{file.path.rpartition("/")[2]}"'
    is_shown = file.mime_type in INLINE_TYPES or file.path.endswith("-thumbnail")
    for name, value in HEADERS.items():
        resp.set_header(name, value)
    resp.set_header("ETag", etag)
    header = req.context.header
    if etag in (header("if-none-match") or "") or header("if-none-match") == "*":
        resp.status = 304
        return None
    resp.content_type = file.mime_type if is_shown else UNKNOWN
    kind = "inline" if is_shown else "attachment"
    resp.set_header("Content-Disposition", f"{kind}; {_file_name(file.name)}")
    is_same = header("if-range") in (None, etag)
    section = find_range(header("range") or "", file.size) if is_same else None
    if section is None:
        resp.content_length = file.size
        return 0, file.size
    start, length = section
    if length == 0:
        _refuse_range(resp, file.size)
        return None
    resp.status = 206
    resp.content_length = length
    resp.set_header("Content-Range", f"bytes {start}-{start + length - 1}/{file.size}")
    return start, length


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


def _refuse_range(resp: Response, size: int) -> None:
    resp.status = 416
    resp.set_header("Content-Range", f"bytes */{size}")
    resp.delete_header("Content-Disposition")
    message = f"The file has {size:,} bytes; the range has none of them."
    write_error(resp, error_body("ERR_BAD_REQUEST", message))


def _file_name(name: str) -> str:
    """Return the parameters with the name, for clients with and without RFC 5987."""
    plain = "".join(each if each.isascii() and each not in '"\\%' else "_" for each in name)
    return f"filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def add_downloads(app: Any, runtime: Runtime) -> None:
    """Add the route of downloads.

    Raises:
        BadSetting: the public URL of the settings cannot be the start of a link.
    """
    address = runtime.settings.public_url
    if address and not _ADDRESS.fullmatch(address):
        raise BadSetting(f"HUBBUB_PUBLIC_URL must be like https://chat.example.com: {address!r}")
    app.add_route(PATH, Download(runtime))
