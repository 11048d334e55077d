"""The spans of batches, which belong to the requests that wait for them."""

import asyncio
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from opentelemetry.trace import Span, get_current_span, set_span_in_context

from hubbub.kernel.clock import Clock
from hubbub.storage.batched import Batch, Batches
from hubbub.storage.interface import Database, Operation
from hubbub.telemetry.spans import Spans

Outcome = TypeVar("Outcome")


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
