"""The ASGI application: the routes of the declared operations, the pages, and the error answers.

A request passes `middleware.py`, the route that is found here, `dispatch.py`, and `middleware.py`
again. An exception on the way becomes an error answer here.
"""

import re
from collections.abc import Sequence
from typing import Any

import falcon.asgi
import structlog

from hubbub.http import errors
from hubbub.http.dispatch import make_responder
from hubbub.http.middleware import Middleware
from hubbub.http.operation import PREFIXES, Operation, RequiredKey
from hubbub.http.raw_request import SLASH
from hubbub.http.site import add_site
from hubbub.kernel.errors import NotFound, Refusal
from hubbub.runtime import Runtime

log = structlog.get_logger()

Request = falcon.asgi.Request
Response = falcon.asgi.Response
App = falcon.asgi.App[Request, Response]
_VERSION = re.compile(r"/v\d+(\.\d+)*(/|$)")


class UnknownPath(NotFound):
    """No operation or page has this path."""

    code = "ERR_API_NOT_FOUND"

    def __init__(self, path: str) -> None:
        named = path[:200].replace(SLASH, "%2F")
        super().__init__(
            f"There is no operation at {named!r}.",
            dev_message="The operations are listed at /docs.",
        )


class UnknownVersion(NotFound):
    """The path names a version of the interface that is not served."""

    code = "ERR_INVALID_API_VERSION"

    def __init__(self) -> None:
        super().__init__("This version of the interface is not served; /v3 is.")


class Resource:
    """The methods of one path, in the attributes that falcon looks for, such as `on_get`."""


def make_app(runtime: Runtime, operations: Sequence[Operation]) -> App:
    """Return the application that serves `operations`, the OpenAPI document and its pages."""
    app = falcon.asgi.App(middleware=[Middleware(runtime)])
    app.req_options.strip_url_path_trailing_slash = True
    _add_error_handlers(app)
    resources: dict[str, Resource] = {}
    for operation in operations:
        resource = resources.setdefault(operation.path, Resource())
        setattr(resource, f"on_{operation.method.lower()}", make_responder(runtime, operation))
    for path, resource in resources.items():
        for prefix in PREFIXES:
            app.add_route(prefix + path, resource)
    for path in {each.path for each in operations if each.key is RequiredKey.MANAGEMENT}:
        app.add_route(path, resources[path])
    add_site(app, runtime, operations)
    return app


def _add_error_handlers(app: Any) -> None:
    """Have every exception answered."""
    app.add_error_handler(Exception, _on_defect)
    app.add_error_handler(falcon.HTTPError, _on_http_error)
    app.add_error_handler(Refusal, _on_refusal)


async def _on_refusal(
    req: Request, resp: Response, refusal: Refusal, params: dict[str, Any]
) -> None:
    resp.status = errors.status_of(type(refusal))
    for name, value in errors.headers_of(refusal).items():
        resp.set_header(name, value)
    req.context.error = refusal.code
    errors.write_error(resp, errors.body_of(refusal))


async def _on_http_error(
    req: Request, resp: Response, failure: falcon.HTTPError, params: dict[str, Any]
) -> None:
    """Answer what falcon rejects: unknown paths and methods, and malformed requests."""
    if isinstance(failure, falcon.HTTPNotFound):
        is_other_version = _VERSION.match(req.path) and not _has_prefix(req.path)
        refusal = UnknownVersion() if is_other_version else UnknownPath(req.path)
        await _on_refusal(req, resp, refusal, params)
        return
    resp.status = failure.status_code
    code, message = "ERR_BAD_REQUEST", str(failure.description or failure.title)
    if failure.status_code == 405:
        code, message = "ERR_API_NOT_FOUND", f"This path has no method {req.method}."
    for name, value in dict(failure.headers or {}).items():
        resp.set_header(name, value)
    req.context.error = code
    errors.write_error(resp, errors.error_body(code, message))


def _has_prefix(path: str) -> bool:
    return any(path == prefix or path.startswith(prefix + "/") for prefix in PREFIXES)


async def _on_defect(
    req: Request, resp: Response, defect: Exception, params: dict[str, Any]
) -> None:
    """Answer 500 for a defect; the log has the traceback under the id of the request."""
    request_id, operation = req.context.request_id, req.context.operation
    name = operation.name if operation else None  # not the path: it may hold a key or a token
    log.error("defect", request_id=request_id, operation=name, exc_info=defect)
    resp.status = 500
    req.context.error = "ERR_EXCEPTION"
    message = f"The server failed; its log has the reason under the request id {request_id}."
    errors.write_error(resp, errors.error_body("ERR_EXCEPTION", message))
