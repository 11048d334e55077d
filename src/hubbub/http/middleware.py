"""The steps around every request: its id, size of headers, HTTPS, CORS and the access log.

CORS: pages of any origin may call with a user's token, but not with a key. The interface uses no
cookies, so `Access-Control-Allow-Origin: *` exposes no session.
"""

import asyncio
import atexit
import ipaddress
import sys
import time
from functools import lru_cache
from itertools import chain, count
from typing import IO

import falcon.asgi
import msgspec

from hubbub.config import Settings
from hubbub.http.errors import error_body, write_error
from hubbub.http.raw_request import (
    HEADERS_TOO_LARGE,
    LARGEST_HEADERS,
    decode_path,
    index_headers,
)
from hubbub.kernel.errors import Forbidden
from hubbub.runtime import Runtime

Request = falcon.asgi.Request
Response = falcon.asgi.Response

ALLOWED_HEADERS = "appId, authToken, Content-Type, Idempotency-Key, onBehalfOf, X-Request-Id"
EXPOSED_HEADERS = (
    "X-Request-Id, Retry-After, Idempotent-Replayed,"
    " X-Rate-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset"
)
METHODS = "GET, POST, PUT, PATCH, DELETE"
MAX_AGE_SECONDS = "7200"
KEYS = ("apikey", "key", "secret")
WRITE_AFTER_SECONDS = 0.1
_encode = msgspec.json.Encoder().encode


class Middleware:
    """The steps before and after every request, as falcon calls them.

    The id of a request is random per process and counted within it, which is unique and cheap.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._node = runtime.ids.hexadecimal(12)
        self._numbers = count(1)
        self._transport = Transport(runtime.settings)
        self._log = AccessLog() if runtime.settings.log_requests else None

    async def process_request(self, req: Request, resp: Response) -> None:
        """Set what later steps read from `req.context`, and check the size of headers and HTTPS."""
        context, scope = req.context, req.scope
        context.request_id = f"{self._node}{next(self._numbers):08x}"
        context.started = time.perf_counter()
        context.header = header = index_headers(scope["headers"])
        context.operation = context.app_id = context.error = None
        if b"%2f" in scope["raw_path"].lower():
            req.path = decode_path(scope["raw_path"])
        if sum(map(len, chain.from_iterable(scope["headers"]))) > LARGEST_HEADERS:
            resp.status, resp.complete = 431, True
            write_error(resp, error_body("ERR_BAD_REQUEST", HEADERS_TOO_LARGE))
            return
        client = scope.get("client") or ("", 0)
        if not req.path.startswith("/health/"):  # a load balancer asks over HTTP and shows no key
            self._transport.check(scope["scheme"], client[0], header("x-forwarded-proto"))
        if req.method == "OPTIONS":
            answer_preflight(req, resp)

    async def process_response(
        self, req: Request, resp: Response, resource: object, req_succeeded: bool
    ) -> None:
        """Add the headers that every answer has, and a line to the access log."""
        resp.set_header("X-Request-Id", req.context.request_id)
        allow_origin(req, resp)
        if self._log is not None:
            self._log.add(_log_line(req, resp))


def _log_line(req: Request, resp: Response) -> dict[str, object]:
    context = req.context
    return {
        "event": "request",
        "at": time.time(),
        "request_id": context.request_id,
        "app": context.app_id,
        "method": req.method,
        "operation": context.operation.name if context.operation else None,
        "status": resp.status_code,
        "error": context.error,
        "ms": round((time.perf_counter() - context.started) * 1000, 3),
    }


class HttpsRequired(Forbidden):
    """The request came over HTTP."""

    code = "ERR_HTTPS_REQUIRED"

    def __init__(self) -> None:
        super().__init__(
            "This server is reached over HTTPS only.",
            dev_message=(
                "Start it with --tls-cert and --tls-key, or name the proxy that ends TLS in "
                "HUBBUB_TRUSTED_PROXIES and have it send X-Forwarded-Proto: https."
            ),
        )


class Transport:
    """Accepts TLS, a trusted proxy that reports HTTPS, and clients on this machine."""

    def __init__(self, settings: Settings) -> None:
        names = settings.trusted_proxies.split(",")
        self._proxies = frozenset(name.strip() for name in names if name.strip())
        self._allows_loopback = settings.allow_loopback_http

    def check(self, scheme: str, client: str, forwarded_proto: str | None) -> None:
        """Refuse a request that came over HTTP.

        Raises:
            HttpsRequired: it did, and not from this machine.
        """
        if scheme == "https":
            return
        if client in self._proxies:
            if (forwarded_proto or "").partition(",")[0].strip().lower() == "https":
                return
            raise HttpsRequired
        if not (self._allows_loopback and is_loopback(client)):
            raise HttpsRequired


@lru_cache(maxsize=1024)
def is_loopback(address: str) -> bool:
    """Return whether `address` is this machine; an empty one is a Unix socket or a test."""
    if not address:
        return True
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)  # a socket for both families shows IPv4 so
    return (mapped or found).is_loopback


def answer_preflight(req: Request, resp: Response) -> None:
    """Answer a preflight request; it is refused if the request would send a key."""
    requested = (req.context.header("access-control-request-headers") or "").lower()
    resp.complete = True
    resp.status = 204
    resp.set_header("Allow", METHODS)
    if not req.context.header("origin"):
        return
    names = {name.strip() for name in requested.split(",")}
    if not names.isdisjoint(KEYS):
        resp.status = 403
        return
    resp.set_header("Access-Control-Allow-Methods", METHODS)
    resp.set_header("Access-Control-Allow-Headers", ALLOWED_HEADERS)
    resp.set_header("Access-Control-Max-Age", MAX_AGE_SECONDS)


def allow_origin(req: Request, resp: Response) -> None:
    """Allow a page to read the answer, unless the request has a key."""
    header = req.context.header
    if not header("origin") or any(header(name) for name in KEYS):
        return
    if req.method == "OPTIONS" and resp.status_code == 403:
        return
    resp.set_header("Access-Control-Allow-Origin", "*")
    resp.set_header("Access-Control-Expose-Headers", EXPOSED_HEADERS)
    resp.append_header("Vary", "Origin")


class AccessLog:
    """One JSON line per request, buffered and written to `stream` a few times a second.

    A line holds no secret: no headers, no query, no body; and the name of the operation instead of
    the path, which may contain a key or a token.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._lines: list[bytes] = []
        atexit.register(self.write)  # lines still buffered at the end

    def add(self, line: dict[str, object]) -> None:
        """Add a line; it is written soon."""
        if not self._lines:
            asyncio.get_running_loop().call_later(WRITE_AFTER_SECONDS, self.write)
        self._lines.append(_encode(line))

    def write(self) -> None:
        """Write the buffered lines."""
        if self._lines:
            self._stream.write(b"\n".join(self._lines).decode() + "\n")
            self._stream.flush()
            self._lines.clear()
