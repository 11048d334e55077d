"""Spans: how they begin, and what is noted of an error."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from hubbub.kernel.errors import Refusal
from hubbub.runtime import Attributes


class Spans:
    """Begins spans with a tracer; the tracer decides which are recorded."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def begin(
        self,
        name: str,
        attributes: Attributes | None = None,
        *,
        context: Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> Iterator[Span]:
        """Begin a span below that of a context, by default of the current one.

        A refusal is no error of the server: its code is noted. Of an error only the type is noted,
        since its text may have contents of messages.
        """
        with self._tracer.start_as_current_span(
            name,
            context,
            kind,
            attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except Refusal as refusal:
                span.set_attribute("hubbub.refusal", refusal.code)
                raise
            except Exception as defect:
                note_error(span, type(defect).__name__)
                raise


def note_error(span: Span, kind: str) -> None:
    """Note that what a span covers has failed, and with what kind of error."""
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))
