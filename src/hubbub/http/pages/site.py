"""The pages beside the operations: the OpenAPI document, the reference, the health checks."""

import asyncio
from collections.abc import Callable, Sequence
from functools import cache, partial

import msgspec
import structlog

from hubbub.http.answer import JSON, Answer
from hubbub.http.contract.openapi import build_document, make_document
from hubbub.http.contract.reference_page import ASSETS, landing_page, reference_page
from hubbub.http.operation import PREFIXES, Operation
from hubbub.http.request import Request
from hubbub.http.routes import Endpoint, Routes
from hubbub.kernel.errors import Unavailable
from hubbub.records.apps.store import has_management_key
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

log = structlog.get_logger()

HTML = "text/html; charset=utf-8"
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
_encode = msgspec.json.Encoder().encode


def add_site(routes: Routes, runtime: Runtime, operations: Sequence[Operation]) -> None:
    """Add the routes of the OpenAPI document, the pages and the health checks."""
    document = _page(JSON, lambda: make_document(operations), {"Access-Control-Allow-Origin": "*"})
    for prefix in PREFIXES:
        routes.add(f"{prefix}/openapi.json", "GET", document)
    routes.add("/", "GET", _page(HTML, lambda: landing_page().encode()))
    routes.add(
        "/docs",
        "GET",
        _page(HTML, lambda: reference_page(build_document(operations), operations).encode()),
    )
    for path, asset in ASSETS.items():
        routes.add(path, "GET", _page(asset.content_type, partial(getattr, asset, "content")))
    routes.add("/health/live", "GET", answer_live)
    routes.add("/health/ready", "GET", Ready(runtime))


def _page(
    content_type: str, make: Callable[[], bytes], headers: dict[str, str] = SECURITY_HEADERS
) -> Endpoint:
    """Return the endpoint of a page, which is made when it is first asked for."""
    made = cache(make)

    async def answer_page(request: Request, values: Sequence[str]) -> Answer:
        answer = Answer(made(), content_type=content_type)
        for name, text in headers.items():
            answer.set_header(name, text)
        return answer

    return answer_page


async def answer_live(request: Request, values: Sequence[str]) -> Answer:
    """Answer the health check of the process."""
    return Answer(_encode({"status": "live"}))


class Ready:
    """The health check that the database answers."""

    def __init__(self, runtime: Runtime) -> None:
        self._database = runtime.database
        warnings = runtime.settings.warnings
        self._warnings = {"warnings": warnings} if warnings else {}

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        problem = await self._problem()
        if problem is None:
            return Answer(_encode({"status": "ready", **self._warnings}))
        answer = Answer(_encode({"status": "not ready", "reason": problem}), status=503)
        answer.set_header("Retry-After", "1")
        return answer

    async def _problem(self) -> str | None:
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await self._database.read(INSTALLATION, has_management_key)
        except Unavailable as failure:
            return failure.message
        except TimeoutError:
            return f"The store did not answer within {STORE_SECONDS:g} seconds."
        return None
