"""The traces of a node: its runtime and its app traced, the spans sent to the collector."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagators.textmap import Getter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

import hubbub
from hubbub.http.answer import Answer
from hubbub.http.request import Request
from hubbub.http.rules import HEALTH, METRICS
from hubbub.http.server.exchange import Dispatcher
from hubbub.kernel.clock import Clock
from hubbub.runtime import Runtime
from hubbub.storage.batched import Batch, Batches
from hubbub.storage.interface import Database, Operation
from hubbub.telemetry.spans import Spans, note_error
from hubbub.telemetry.store import TracedDatabase

END_SECONDS = 5.0
"""How long a node that stops waits for a collector that does not answer."""
Outcome = TypeVar("Outcome")
UNTRACED = (HEALTH, METRICS)
"""What is asked for every few seconds by machines."""


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


class TracedBatches(Batches):
    """Batches with spans: each is below the first of its requests, and linked to the others."""

    def __init__(self, database: Database, clock: Clock, spans: Spans) -> None:
        super().__init__(database, clock)
        self._spans = spans
        self._waiting_spans: WeakKeyDictionary[asyncio.Future[Any], Span] = WeakKeyDictionary()

    def promise(self) -> asyncio.Future[Any]:
        future = super().promise()
        span = get_current_span()
        if span.is_recording():
            self._waiting_spans[future] = span
        return future

    async def write(
        self,
        app_id: str,
        operation: Operation[Outcome],
        batch: Batch[Any, Any],
        *,
        is_optimistic: bool,
    ) -> Outcome:
        first = next(iter(self._spans_of(batch)), None)
        if first is None:
            return await super().write(app_id, operation, batch, is_optimistic=is_optimistic)
        with self._spans.begin("batch", context=set_span_in_context(first)) as span:
            outcome = await super().write(app_id, operation, batch, is_optimistic=is_optimistic)
            span.set_attribute("hubbub.batch.drafts", len(batch))
            for other in self._spans_of(batch)[1:]:
                span.add_link(other.get_span_context())
        return outcome

    def _spans_of(self, batch: Batch[Any, Any]) -> list[Span]:
        spans = (self._waiting_spans.get(future) for _, future in batch)
        return [span for span in spans if span is not None]


class TracedApp:
    """An app whose requests have spans, named for their operation's path."""

    def __init__(self, app: Dispatcher, spans: Spans) -> None:
        self._app = app
        self._spans = spans
        self._propagator = TraceContextTextMapPropagator()

    async def answer(self, request: Request) -> Answer:
        """Return the answer of the app."""
        if request.path.startswith(UNTRACED):
            return await self._app.answer(request)
        context = self._propagator.extract(request.headers, getter=_headers)
        with self._spans.begin(request.method, context=context, kind=SpanKind.SERVER) as span:
            answer = await self._app.answer(request)
            if span.is_recording():
                _describe(span, request, answer)
        return answer


def _describe(span: Span, request: Request, answer: Answer) -> None:
    """Note the operation and its answer; not the path, which may hold ids, keys or tokens."""
    span.set_attribute("http.request.method", request.method)
    span.set_attribute("http.response.status_code", answer.status)
    span.set_attribute("hubbub.request_id", request.id)
    operation = request.operation
    if operation is not None:
        span.update_name(f"{request.method} {operation.path}")
        span.set_attribute("http.route", operation.path)
        span.set_attribute("hubbub.operation", operation.name)
    if answer.status >= 500:
        note_error(span, str(answer.status))


class _Headers(Getter[Mapping[bytes, bytes]]):
    """Reads headers for the propagator."""

    def get(self, carrier: Mapping[bytes, bytes], key: str) -> list[str] | None:
        found = carrier.get(key.encode())
        return None if found is None else [found.decode("latin-1")]

    def keys(self, carrier: Mapping[bytes, bytes]) -> list[str]:
        return [name.decode("latin-1") for name in carrier]


_headers = _Headers()
