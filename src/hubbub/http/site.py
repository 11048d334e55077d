"""The pages beside the operations: the OpenAPI document, the reference, the health checks."""

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import Any

import falcon.asgi
import structlog

from hubbub.http.contract.openapi import build_document, make_document
from hubbub.http.contract.reference_page import ASSETS, Asset, landing_page, reference_page
from hubbub.http.downloads import add_downloads
from hubbub.http.operation import PREFIXES, Operation
from hubbub.kernel.errors import Unavailable
from hubbub.records.apps.store import has_management_key
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

log = structlog.get_logger()

Request = falcon.asgi.Request
Response = falcon.asgi.Response

STORE_SECONDS = 5.0
"""The longest that the database may take to answer a health check."""
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def add_site(app: Any, runtime: Runtime, operations: Sequence[Operation]) -> None:
    """Add the routes of the OpenAPI document, the pages, the health checks and the downloads."""
    document = Document(operations)
    for prefix in PREFIXES:
        app.add_route(f"{prefix}/openapi.json", document)
    app.add_route("/", Landing())
    app.add_route("/docs", Reference(operations))
    for path, asset in ASSETS.items():
        app.add_route(path, AssetFile(asset))
    app.add_route("/health/live", Live())
    app.add_route("/health/ready", Ready(runtime))
    add_downloads(app, runtime)


class Document:
    """The OpenAPI document."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._document = cache(lambda: make_document(operations))

    async def on_get(self, req: Request, resp: Response) -> None:
        resp.content_type = "application/json"
        resp.data = self._document()
        resp.set_header("Access-Control-Allow-Origin", "*")


class Landing:
    """The page at `/`."""

    async def on_get(self, req: Request, resp: Response) -> None:
        _answer_page(resp, falcon.MEDIA_HTML, landing_page().encode())


class Reference:
    """The reference page at `/docs`."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._page = cache(lambda: reference_page(build_document(operations), operations).encode())

    async def on_get(self, req: Request, resp: Response) -> None:
        _answer_page(resp, falcon.MEDIA_HTML, self._page())


class AssetFile:
    """A stylesheet, script or icon of the pages."""

    def __init__(self, asset: Asset) -> None:
        self._asset = asset

    async def on_get(self, req: Request, resp: Response) -> None:
        _answer_page(resp, self._asset.content_type, self._asset.content)


def _answer_page(resp: Response, content_type: str, content: bytes) -> None:
    resp.content_type = content_type
    resp.data = content
    for name, value in SECURITY_HEADERS.items():
        resp.set_header(name, value)


class Live:
    """The health check that the process answers."""

    async def on_get(self, req: Request, resp: Response) -> None:
        resp.media = {"status": "live"}


class Ready:
    """The health check that the database answers."""

    def __init__(self, runtime: Runtime) -> None:
        self._database = runtime.database

    async def on_get(self, req: Request, resp: Response) -> None:
        problem = await self._problem()
        if problem is None:
            resp.media = {"status": "ready"}
            return
        log.warning("not_ready", reason=problem)
        resp.status = 503
        resp.set_header("Retry-After", "1")
        resp.media = {"status": "not ready", "reason": problem}

    async def _problem(self) -> str | None:
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await self._database.read(INSTALLATION, has_management_key)
        except Unavailable as failure:
            return failure.message
        except TimeoutError:
            return f"The store did not answer within {STORE_SECONDS:g} seconds."
        return None
