"""What is served beside the interface: its document, its reference page, the health checks."""

from typing import Any

import falcon.asgi

from hubbub.rest.openapi import make_document
from hubbub.runtime import Runtime


def add_pages(app: Any, runtime: Runtime) -> None:
    """Serve the OpenAPI document and the pages around it."""
    document = Document()
    for path in ("/v3/openapi.json", "/v3.0/openapi.json"):
        app.add_route(path, document)
    app.add_route("/health/live", Live())


class Document:
    """The OpenAPI document, made once."""

    def __init__(self) -> None:
        self._text: bytes | None = None

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        if self._text is None:
            self._text = make_document()
        resp.content_type = "application/json"
        resp.data = self._text
        resp.set_header("Access-Control-Allow-Origin", "*")


class Live:
    """Whether the process answers."""

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        resp.media = {"status": "live"}
