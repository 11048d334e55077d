"""The ASGI application: the routes of the declared operations, and the pages beside them.

A request passes `middleware/every_request.py`, the route that is found here, `dispatch.py`, and
`middleware/every_request.py` again. An exception on the way is answered by `error_handlers.py`.
"""

from collections.abc import Sequence

import falcon.asgi

from hubbub.http.dispatch import make_responder
from hubbub.http.error_handlers import add_error_handlers
from hubbub.http.middleware.every_request import Middleware
from hubbub.http.operation import PREFIXES, Operation, RequiredKey
from hubbub.http.pages import add_pages
from hubbub.runtime import Runtime

App = falcon.asgi.App[falcon.asgi.Request, falcon.asgi.Response]


class Resource:
    """The methods of one path, in the attributes that falcon looks for, such as `on_get`."""


def make_app(runtime: Runtime, operations: Sequence[Operation]) -> App:
    """Return the application that serves `operations`, the OpenAPI document and its pages."""
    app = falcon.asgi.App(middleware=[Middleware(runtime)])
    app.req_options.strip_url_path_trailing_slash = True
    add_error_handlers(app)
    resources: dict[str, Resource] = {}
    for operation in operations:
        resource = resources.setdefault(operation.path, Resource())
        setattr(resource, f"on_{operation.method.lower()}", make_responder(runtime, operation))
    for path, resource in resources.items():
        for prefix in PREFIXES:
            app.add_route(prefix + path, resource)
    for path in {each.path for each in operations if each.key is RequiredKey.MANAGEMENT}:
        app.add_route(path, resources[path])
    add_pages(app, runtime, operations)
    return app
