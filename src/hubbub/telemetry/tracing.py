"""The traces of a node: its runtime and its app traced, the spans sent to the collector."""

import asyncio
import threading

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

import hubbub
from hubbub.http.server.exchange import Dispatcher
from hubbub.runtime import Runtime
from hubbub.telemetry.batches import TracedBatches
from hubbub.telemetry.requests import TracedApp
from hubbub.telemetry.spans import Spans
from hubbub.telemetry.store import TracedDatabase

END_SECONDS = 5.0
"""How long a node that stops waits for a collector that does not answer."""


class Tracing:
    """Traces a runtime from now on. The SDK reads its variables from the environment itself."""

    def __init__(self, runtime: Runtime) -> None:
        self._provider = TracerProvider(resource=_describe_node(), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._spans = Spans(self._provider.get_tracer("hubbub", hubbub.__version__))
        runtime.database = TracedDatabase(runtime.database, self._spans)
        runtime.batches = TracedBatches(runtime.database, runtime.clock, self._spans)
        runtime.begin_span = self._spans.begin

    def trace_app(self, app: Dispatcher) -> Dispatcher:
        """Return the app with spans for its requests."""
        return TracedApp(app, self._spans)

    async def end(self) -> None:
        """Send what is left, and stop."""
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        """Wait for the SDK for a while only: it tries for half a minute."""
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(END_SECONDS)


def _describe_node() -> Resource:
    """Return what identifies the node; variables such as OTEL_SERVICE_NAME take precedence."""
    own = {"service.name": "hubbub", "service.version": hubbub.__version__}
    return Resource.create({**own, **OTELResourceDetector().detect().attributes})
