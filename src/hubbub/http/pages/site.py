"""The routes beside the operations: the OpenAPI document, the pages, the health checks."""

import asyncio
from collections.abc import Sequence

import msgspec
import structlog

from hubbub.http.answer import JSON, Answer
from hubbub.http.contract.openapi import build_document, make_document
from hubbub.http.operation import PREFIXES, Operation
from hubbub.http.pages.content import CompressedContent
from hubbub.http.pages.reference.page import FILES, landing_page, make_reference
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.kernel.errors import Unavailable
from hubbub.records.apps.store import has_management_key, store_probe
from hubbub.records.notifications.sending.store import list_failing_queues
from hubbub.records.webhooks.queues import has_failing_queues
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot
from hubbub.storage.measures import StoreFault

log = structlog.get_logger()

HTML = "text/html; charset=utf-8"
STORE_SECONDS = 5.0
"""The longest that the database may take to answer a health check."""
BUS_AWAY = "The bus is not reached. Events of other nodes arrive late, by the database."
MOST_FAILING = 1_000
PROVIDERS_FAIL = "Notifications wait for providers that fail: {}. hubbub doctor says since when."
WEBHOOKS_FAILING = "Webhooks are not reached, or paused for that: hubbub doctor counts them."
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_encode = msgspec.json.Encoder().encode


def add_site(routes: Routes, runtime: Runtime, operations: Sequence[Operation]) -> None:
    """Add the routes of the OpenAPI document, the pages and the health checks."""
    port = runtime.settings.port
    cors = {"Access-Control-Allow-Origin": "*"}
    document = CompressedContent(JSON, lambda: make_document(operations, port), headers=cors)
    for prefix in PREFIXES:
        routes.add(f"{prefix}/openapi.json", "GET", document)
    pages = {
        "/": CompressedContent(HTML, landing_page, headers=SECURITY_HEADERS),
        "/docs": CompressedContent(
            HTML,
            lambda: make_reference(build_document(operations, port)),
            headers=SECURITY_HEADERS,
        ),
        **{
            path: CompressedContent(file.content_type, file.read, headers=SECURITY_HEADERS)
            for path, file in FILES.items()
        },
    }
    for path, page in pages.items():
        routes.add(path, "GET", page)
    routes.add("/health/live", "GET", answer_live)
    routes.add("/health/ready", "GET", Ready(runtime))


async def answer_live(request: Request, values: Sequence[str]) -> Answer:
    """Answer the health check of the process."""
    return Answer(_encode({"status": "live"}))


class Ready:
    """The health check that the database answers; the bus may be away, which the answer says."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        problem = await self._problem()
        if problem is None:
            failing = await self._list_failing()
            return Answer(_encode({"status": "ready", **self._remarks(failing)}))
        answer = Answer(_encode({"status": "not ready", "reason": problem}), status=503)
        answer.set_header("Retry-After", "1")
        return answer

    async def _list_failing(self) -> list[str]:
        """Return the warnings about webhooks and providers of notifications, without names."""

        async def within(snapshot: Snapshot) -> list[str]:
            failing = await list_failing_queues(snapshot, limit=MOST_FAILING)
            kinds = ", ".join(sorted({each.kind for each in failing}))
            webhooks = [WEBHOOKS_FAILING] if await has_failing_queues(snapshot) else []
            return [*([PROVIDERS_FAIL.format(kinds)] if failing else []), *webhooks]

        try:
            async with asyncio.timeout(STORE_SECONDS):
                return await self._runtime.database.read(INSTALLATION, within)
        except (Unavailable, TimeoutError):
            return []

    def _remarks(self, failing: Sequence[str]) -> dict[str, object]:
        bus = self._runtime.bus
        warnings = [*self._runtime.settings.warnings, *failing]
        remarks: dict[str, object] = {}
        if bus.is_configured:
            remarks["bus"] = "connected" if bus.is_connected else "away"
        if not bus.is_connected:
            warnings = [*warnings, BUS_AWAY]
        return {**remarks, "warnings": warnings} if warnings else remarks

    async def _probe(self) -> None:
        """Write something: the disk may have room again, and no other write may come to show it."""
        value = self._runtime.ids.hexadecimal(8)
        await self._runtime.database.write(INSTALLATION, lambda tx: store_probe(tx, value))
        self._runtime.measures.note_writable()

    async def _problem(self) -> str | None:
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await self._runtime.database.read(INSTALLATION, has_management_key)
                if self._runtime.measures.fault is StoreFault.UNWRITABLE:
                    await self._probe()
        except Unavailable as failure:
            return str(self._runtime.measures.fault or failure.message)
        except TimeoutError:
            return f"The store did not answer within {STORE_SECONDS:g} seconds."
        if self._runtime.measures.fault is not None:
            return str(self._runtime.measures.fault)
        timekeeper = self._runtime.timekeeper
        return timekeeper.find_fault() if timekeeper is not None else None
