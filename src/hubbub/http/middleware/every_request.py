"""The steps around every request, whether it reaches an operation, a page or nothing."""

import time
from itertools import chain, count

import falcon.asgi

from hubbub.http.errors import error_body, write_error
from hubbub.http.middleware import cors
from hubbub.http.middleware.access_log import AccessLog
from hubbub.http.middleware.transport import Transport
from hubbub.http.raw_request import (
    HEADERS_TOO_LARGE,
    LARGEST_HEADERS,
    decode_path,
    index_headers,
)
from hubbub.runtime import Runtime

Request = falcon.asgi.Request
Response = falcon.asgi.Response


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
            cors.answer_preflight(req, resp)

    async def process_response(
        self, req: Request, resp: Response, resource: object, req_succeeded: bool
    ) -> None:
        """Add the headers that every answer has, and a line to the access log."""
        resp.set_header("X-Request-Id", req.context.request_id)
        cors.allow(req, resp)
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
