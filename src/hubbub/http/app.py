"""The dispatcher: every request gets its id, passes the rules and the routes, and is answered.

A server makes a `Request` of what it received and sends the `Answer`. Errors on the way become
answers here.
"""

import re
import time
from collections.abc import Sequence
from functools import partial
from itertools import count

import structlog

from hubbub.http.access_log import AccessLog
from hubbub.http.answer import Answer
from hubbub.http.authenticate import Callers
from hubbub.http.decoding.faults import header_text
from hubbub.http.dispatch import OperationEndpoint
from hubbub.http.errors import error_answer, refusal_answer
from hubbub.http.measures import RequestMeasures
from hubbub.http.operation import PREFIXES, Operation
from hubbub.http.pages.downloads import add_downloads
from hubbub.http.pages.metrics.page import add_metrics
from hubbub.http.pages.replies import add_replies
from hubbub.http.pages.site import add_site
from hubbub.http.pages.unsubscribe import add_unsubscribing
from hubbub.http.request import Request, decode_path
from hubbub.http.routes import Endpoint, Route, Routes
from hubbub.http.rules import Rules, allow_origin
from hubbub.kernel.errors import NotFound, Refusal
from hubbub.runtime import Runtime

log = structlog.get_logger()

_VERSION = re.compile(rb"/v\d+(\.\d+)*(/|$)")
_SERVED_VERSION = re.compile(rb"(%b)(/|$)" % b"|".join(map(re.escape, map(str.encode, PREFIXES))))


class UnknownPath(NotFound):
    """No operation or page has this path."""

    code = "ERR_API_NOT_FOUND"

    def __init__(self, path: bytes) -> None:
        named = decode_path(path)[:200]
        super().__init__(
            f"There is no operation at {named!r}.",
            dev_message="The operations are listed at /docs.",
        )


class UnknownVersion(NotFound):
    """The path names a version of the interface that is not served."""

    code = "ERR_INVALID_API_VERSION"

    def __init__(self) -> None:
        super().__init__("This version of the interface is not served; /v3 is.")


class HttpApplication:
    """Answers requests. Their ids are random per process and counted within it."""

    def __init__(self, runtime: Runtime, routes: Routes, measures: RequestMeasures) -> None:
        self.routes = routes
        self._runtime = runtime
        self._callers = Callers(runtime)
        self._measures = measures
        self._rules = Rules(runtime.settings)
        self._log = AccessLog() if runtime.settings.log_requests else None
        self._node = runtime.ids.hexadecimal(12)
        self._numbers = count(1)

    def endpoint_of(self, operation: Operation) -> OperationEndpoint:
        """Return what answers the requests of an operation, whose measures are kept from now on."""
        self._measures.include(operation)
        return OperationEndpoint(self._runtime, operation, self._callers)

    async def answer(self, request: Request, endpoint: Endpoint | None = None) -> Answer:
        """Return the answer to a request; it is an error if that fails.

        An `endpoint` that is given answers instead of that of the request's path.
        """
        started = time.perf_counter()
        request.id = f"{self._node}{next(self._numbers):08x}"
        try:
            answer = self._rules.check(request)
            if answer is None:
                values: Sequence[str] = ()
                if endpoint is None:
                    route, values = self.routes.find(request.path)
                    endpoint = _endpoint_of(route, request)
                answer = await endpoint(request, values)
        except Refusal as refusal:
            answer = refusal_answer(refusal)
        except Exception as defect:  # noqa: BLE001  # the log has it, and the client an answer
            answer = _report(request, defect)
        self._finish(request, answer)
        seconds = time.perf_counter() - started
        if request.operation is not None:
            self._measures.add(request.operation, answer.status, seconds)
        if self._log is not None:
            self._log.add(request, answer, seconds)
        return answer

    def _finish(self, request: Request, answer: Answer) -> None:
        """Add the headers that every answer has."""
        answer.headers["x-request-id"] = request.id
        if request.ignored:
            answer.set_header("Hubbub-Ignored", header_text(request.ignored))
        if request.allowance is not None:
            answer.set_header("X-Rate-Limit", str(request.allowance.limit))
            answer.set_header("X-Rate-Limit-Remaining", str(request.allowance.left))
        allow_origin(request, answer)


def make_app(runtime: Runtime, operations: Sequence[Operation]) -> HttpApplication:
    """Return the application that serves `operations`, the OpenAPI document and its pages.

    Raises:
        BadSetting: the public URL of the settings cannot be the start of a link, or the networks
            that may read the metrics are none.
    """
    routes = Routes()
    measures = RequestMeasures()
    app = HttpApplication(runtime, routes, measures)
    for operation in operations:
        endpoint = app.endpoint_of(operation)
        prefixes = (*PREFIXES, "") if operation.is_for_managers else PREFIXES
        for prefix in prefixes:
            routes.add(prefix + operation.path, operation.method, endpoint)
    add_site(routes, runtime, operations)
    add_downloads(routes, runtime)
    add_unsubscribing(routes, runtime)
    add_replies(routes, runtime, operations)
    add_metrics(routes, runtime, measures)
    return app


def _endpoint_of(route: Route | None, request: Request) -> Endpoint:
    """Return what answers a request; a method that is not served is answered, too.

    Raises:
        UnknownPath, UnknownVersion: nothing has the path.
    """
    if route is None:
        is_other_version = _VERSION.match(request.path) and not _SERVED_VERSION.match(request.path)
        raise UnknownVersion if is_other_version else UnknownPath(request.path)
    return route.endpoints.get(request.method) or partial(_refuse_method, route)


async def _refuse_method(route: Route, request: Request, _values: Sequence[str]) -> Answer:
    answer = error_answer(405, "ERR_API_NOT_FOUND", f"This path has no method {request.method}.")
    answer.set_header("Allow", route.allowed)
    return answer


def _report(request: Request, defect: Exception) -> Answer:
    """Log a defect with its traceback; return the answer, which names the request's id."""
    operation = request.operation
    name = operation.name if operation else None  # not the path: it may hold a key or a token
    log.error("defect", request_id=request.id, operation=name, exc_info=defect)
    message = f"The server failed; its log has the reason under the request id {request.id}."
    return error_answer(500, "ERR_EXCEPTION", message)
