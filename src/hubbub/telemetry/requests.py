"""The spans of requests, which go on with the trace of their caller."""

from collections.abc import Mapping

from opentelemetry.propagators.textmap import Getter
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from hubbub.http.answer import Answer
from hubbub.http.request import Request
from hubbub.http.rules import HEALTH, METRICS
from hubbub.http.server.exchange import Dispatcher
from hubbub.telemetry.spans import Spans, note_error

UNTRACED = (HEALTH, METRICS)
"""What is asked for every few seconds by machines."""


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
