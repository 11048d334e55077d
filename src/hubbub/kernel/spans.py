"""Spans of traces, as work begins them that does not know whether traces are on."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

Attributes = Mapping[str, str | int | float | bool]


class BeginSpan(Protocol):
    """Begins a span: of the request under way, or else of a trace of its own."""

    def __call__(
        self, name: str, attributes: Attributes | None = None
    ) -> AbstractContextManager[object]:
        """Return a context whose block the span covers; an error in it is noted."""
        ...


def no_span(name: str, attributes: Attributes | None = None) -> AbstractContextManager[object]:
    """Return a context that records nothing: traces are off."""
    return _NOTHING


_NOTHING = nullcontext()
