"""The ASGI application: routes out of the declared operations, and what every request goes through.

Order: size of headers, HTTPS, CORS, who calls, how often, path, query, body, the operation, the
answer.
"""

import re
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import chain, count
from typing import Any
from urllib.parse import unquote

import falcon
import falcon.asgi
import msgspec
import structlog

from hubbub.domain.access.rates import take_call
from hubbub.files.links import has_marks
from hubbub.http import cors, errors
from hubbub.http.access_log import AccessLog
from hubbub.http.authenticate import Header, authenticate
from hubbub.http.call import Call
from hubbub.http.decode import PATH_PARAMETERS, decode_body, decode_query
from hubbub.http.downloads import links_of
from hubbub.http.errors import ErrorBody, Problem
from hubbub.http.forms import is_form, received_form
from hubbub.http.operation import Operation, RequiredKey
from hubbub.http.pages import add_pages
from hubbub.http.replay import answer_once
from hubbub.http.transport import Transport
from hubbub.kernel.errors import NotFound, Refusal, TooLarge
from hubbub.runtime import Runtime

log = structlog.get_logger()

PREFIXES = ("/v3", "/v3.0")
LARGEST_HEADERS = 32 * 1024
JSON = "application/json"
SLASH = "\udc2f"
"""What stands for a slash inside a part of a path: a surrogate, which no decoded text holds."""
_ENCODED_SLASH = re.compile("%2[fF]")
_VERSION = re.compile(r"/v\d+(\.\d+)*(/|$)")
_encode = msgspec.json.Encoder().encode

Responder = Callable[..., Awaitable[None]]
Request = falcon.asgi.Request
Response = falcon.asgi.Response
App = falcon.asgi.App[Request, Response]
Answered = tuple[dict[str, str], bytes]
Carrier = Callable[[Call, Request, dict[str, Any]], Awaitable[Answered]]


class UnknownPath(NotFound):
    """Nothing is served there."""

    code = "ERR_API_NOT_FOUND"

    def __init__(self, path: str) -> None:
        named = path[:200].replace(SLASH, "%2F")
        super().__init__(
            f"There is no {named!r} here.", dev_message="The operations are listed at /docs."
        )


class UnknownVersion(NotFound):
    """The version of the interface in the path is none that is served."""

    code = "ERR_INVALID_API_VERSION"

    def __init__(self) -> None:
        super().__init__("This version of the interface is not served; /v3 is.")


class Resource:
    """The methods of one path, as the attributes that falcon looks for."""


def make_app(runtime: Runtime, operations: Sequence[Operation]) -> App:
    """Return the application that serves `operations`, the OpenAPI document and its pages."""
    app = falcon.asgi.App(middleware=[Frame(runtime)])
    app.req_options.strip_url_path_trailing_slash = True
    app.add_error_handler(Exception, _on_defect)
    app.add_error_handler(falcon.HTTPError, _on_http_error)
    app.add_error_handler(Refusal, _on_refusal)
    resources: dict[str, Resource] = {}
    for operation in operations:
        resource = resources.setdefault(operation.path, Resource())
        setattr(resource, f"on_{operation.method.lower()}", _responder(runtime, operation))
    for path, resource in resources.items():
        for prefix in PREFIXES:
            app.add_route(prefix + path, resource)
    for path in {
        operation.path for operation in operations if operation.key is RequiredKey.MANAGEMENT
    }:
        app.add_route(path, resources[path])
    add_pages(app, runtime, operations)
    return app


def _responder(runtime: Runtime, operation: Operation) -> Responder:
    handler, body, query = operation.handler, operation.body, operation.query
    parsers = [(name, PATH_PARAMETERS[name][1]) for name in operation.path_names]
    carry_out = _carrier(runtime, operation)

    async def respond(req: Request, resp: Response, **path: str) -> None:
        req.context.operation = operation
        header = req.context.header
        call = await authenticate(runtime, operation, header)
        req.context.app_id = call.app_id
        if operation.key is not RequiredKey.MANAGEMENT:
            await _count(call, operation, resp)
        arguments: dict[str, Any] = {
            _PYTHON_NAMES[name]: parse(path[name].replace(SLASH, "/")) for name, parse in parsers
        }
        if query is not None:
            arguments["query"] = decode_query(req.query_string, query)
        if body is not None and is_form(handler, header):
            async with received_form(call, req, body) as arguments["body"]:
                headers, data = await carry_out(call, req, arguments)
        else:
            if body is not None:
                arguments["body"] = decode_body(await read_body(req, operation.largest_body), body)
            headers, data = await carry_out(call, req, arguments)
        for name, value in headers.items():
            resp.set_header(name, value)
        resp.content_type = JSON
        resp.data = data

    return respond


async def _count(call: Call, operation: Operation, resp: Response) -> None:
    """Count the call where calls are limited, and tell how many are left.

    Raises:
        TooManyCalls: none is.
    """
    uid = call.actor.uid if call.is_by_token else None
    allowance = await take_call(call.runtime, call.app_id, uid, operation.rate)
    if allowance is not None:
        resp.set_header("X-Rate-Limit", str(allowance.limit))
        resp.set_header("X-Rate-Limit-Remaining", str(allowance.left))


def _carrier(runtime: Runtime, operation: Operation) -> Carrier:
    """What carries an operation out, once for a key that the call may have; headers and body."""
    is_enveloped, is_write = operation.is_enveloped, operation.is_write

    async def carry_out(call: Call, req: Request, arguments: dict[str, Any]) -> Answered:
        header = req.context.header

        def render(answer: Any) -> bytes:
            data = _encode(answer if is_enveloped else {"data": answer})
            return links_of(runtime, req, call.app_id).link(data) if has_marks(data) else data

        if is_write and header("idempotency-key") is not None:
            kept = await answer_once(call, operation, header, arguments, render)
            return kept.headers, bytes(kept.body)
        data = render(await operation.handler(call, **arguments))
        return call.answer_headers, data

    return carry_out


_PYTHON_NAMES = {
    name: re.sub(r"(?<!^)([A-Z])", lambda match: "_" + match[1].lower(), name)
    for name in PATH_PARAMETERS
}


async def read_body(req: Request, largest: int) -> bytes:
    """The whole body, never more than `largest` bytes of it in memory.

    Raises:
        TooLarge: it has more.
    """
    length = req.content_length
    if length is not None and length > largest:
        raise _too_large(largest)
    if length is not None:
        raw: bytes = await req.stream.read()
        if len(raw) < length:
            raise ClientLeft
        return raw
    chunks = bytearray()
    while chunk := await req.stream.read(64 * 1024):
        chunks += chunk
        if len(chunks) > largest:
            raise _too_large(largest)
    return bytes(chunks)


def _too_large(largest: int) -> TooLarge:
    return TooLarge(f"The body of this request may have {largest:,} bytes at most.")


class ClientLeft(Refusal):
    """The connection ended in the middle of a request; nobody reads the answer."""

    code = "ERR_BAD_REQUEST"

    def __init__(self) -> None:
        super().__init__("The body of the request ended too early.")


def header_lookup(headers: Iterable[tuple[bytes, bytes]]) -> Header:
    """A look-up of headers by lower-case name; of several with one name the last wins."""
    by_name = dict(headers)

    def header(name: str) -> str | None:
        value = by_name.get(name.encode())
        return None if value is None else value.decode("latin-1")

    return header


def path_of_parts(raw: bytes) -> str:
    """A path whose encoded slashes stand inside its parts, as `SLASH`, and divide nothing."""
    pieces = _ENCODED_SLASH.split(raw.decode("latin-1"))
    path = SLASH.join(unquote(piece) for piece in pieces)
    return path.removesuffix("/") or "/"


class Frame:
    """What is done before and after every request.

    A request's id is random once per process and counted from there, which is unique and cheap.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._node = runtime.ids.hexadecimal(12)
        self._numbers = count(1)
        self._transport = Transport(runtime.settings)
        self._log = AccessLog() if runtime.settings.log_requests else None

    async def process_request(self, req: Request, resp: Response) -> None:
        context, scope = req.context, req.scope
        context.request_id = f"{self._node}{next(self._numbers):08x}"
        context.started = time.perf_counter()
        context.header = header = header_lookup(scope["headers"])
        if b"%2f" in scope["raw_path"].lower():
            req.path = path_of_parts(scope["raw_path"])
        if sum(map(len, chain.from_iterable(scope["headers"]))) > LARGEST_HEADERS:
            resp.status, resp.complete = 431, True
            _write(resp, ErrorBody(Problem("ERR_BAD_REQUEST", HEADERS_TOO_LARGE)))
            return
        client = scope.get("client") or ("", 0)
        if not req.path.startswith("/health/"):  # a load balancer asks in the clear, shows no key
            self._transport.check(scope["scheme"], client[0], header("x-forwarded-proto"))
        if req.method == "OPTIONS":
            cors.answer_preflight(req, resp)

    async def process_response(
        self, req: Request, resp: Response, resource: object, req_succeeded: bool
    ) -> None:
        resp.set_header("X-Request-Id", req.context.request_id)
        cors.allow(req, resp)
        if self._log is not None:
            self._log.add(_line(req, resp))


HEADERS_TOO_LARGE = f"The headers of a request may have {LARGEST_HEADERS:,} bytes at most."


def _line(req: Request, resp: Response) -> dict[str, object]:
    context = req.context
    operation: Operation | None = getattr(context, "operation", None)
    return {
        "event": "request",
        "at": time.time(),
        "request_id": context.request_id,
        "app": getattr(context, "app_id", None),
        "method": req.method,
        "operation": operation.name if operation else None,
        "status": resp.status_code,
        "error": getattr(context, "error", None),
        "ms": round((time.perf_counter() - context.started) * 1000, 3),
    }


def _write(resp: Response, body: ErrorBody) -> None:
    resp.content_type = JSON
    resp.data = _encode(body)


async def _on_refusal(
    req: Request, resp: Response, refusal: Refusal, params: dict[str, Any]
) -> None:
    resp.status = 400 if isinstance(refusal, ClientLeft) else errors.status_of(type(refusal))
    for name, value in errors.headers_of(refusal).items():
        resp.set_header(name, value)
    req.context.error = refusal.code
    _write(resp, errors.body_of(refusal))


async def _on_http_error(
    req: Request, resp: Response, failure: falcon.HTTPError, params: dict[str, Any]
) -> None:
    """What falcon itself refuses: unknown paths and methods, requests of no acceptable form."""
    if isinstance(failure, falcon.HTTPNotFound):
        is_other_version = _VERSION.match(req.path) and not _is_ours(req.path)
        refusal = UnknownVersion() if is_other_version else UnknownPath(req.path)
        await _on_refusal(req, resp, refusal, params)
        return
    resp.status = failure.status_code
    code = "ERR_API_NOT_FOUND" if failure.status_code == 405 else "ERR_BAD_REQUEST"
    message = str(failure.description or failure.title)
    if failure.status_code == 405:
        message = f"{req.method} is not possible here."
    for name, value in dict(failure.headers or {}).items():
        resp.set_header(name, value)
    req.context.error = code
    _write(resp, ErrorBody(Problem(code, message)))


def _is_ours(path: str) -> bool:
    return any(path == prefix or path.startswith(prefix + "/") for prefix in PREFIXES)


async def _on_defect(
    req: Request, resp: Response, defect: Exception, params: dict[str, Any]
) -> None:
    """A defect of ours: 500, with the trace in the log under the request's id."""
    request_id = req.context.request_id
    operation: Operation | None = getattr(req.context, "operation", None)
    name = operation.name if operation else None  # not the path: it may hold a key or a token
    log.error("defect", request_id=request_id, operation=name, exc_info=defect)
    resp.status = 500
    req.context.error = "ERR_EXCEPTION"
    message = f"The server failed; its log has the reason under the request id {request_id}."
    _write(resp, ErrorBody(Problem("ERR_EXCEPTION", message)))
