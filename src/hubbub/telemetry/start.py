"""Turn traces on, if the standard environment variables ask for them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import structlog

from hubbub.http.server.exchange import Dispatcher
from hubbub.runtime import Runtime

if TYPE_CHECKING:
    from hubbub.telemetry.tracing import Tracing

log = structlog.get_logger()

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_NOT_INSTALLED = (
    "OTEL_EXPORTER_OTLP_ENDPOINT is set, but there are no traces without the extra telemetry:"
    " pip install 'hubbub-chat[telemetry]'."
)


class Untraced:
    """Leaves an app as it is."""

    def trace_app(self, app: Dispatcher) -> Dispatcher:
        """Return the app."""
        return app


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Return whether the environment says where traces go, and does not switch them off."""
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    if environment.get("OTEL_TRACES_EXPORTER", "otlp").strip().lower() == "none":
        return False
    return any(environment.get(name) for name in ENDPOINTS)


@asynccontextmanager
async def tracing(
    runtime: Runtime, environment: Mapping[str, str]
) -> AsyncIterator["Tracing | Untraced"]:
    """Trace the work of a runtime inside the block; its app is traced by what is returned."""
    if not is_wanted(environment):
        yield Untraced()
        return
    try:
        from hubbub.telemetry.tracing import Tracing  # noqa: PLC0415  # it loads OpenTelemetry
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("opentelemetry"):
            raise
        log.warning("doubtful_setting", warning=_NOT_INSTALLED)
        yield Untraced()
        return
    traced = Tracing(runtime)
    try:
        yield traced
    finally:
        await traced.end()
