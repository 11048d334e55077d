"""The metrics of requests, which are most of the text: only what has changed is written anew."""

from collections.abc import Iterator

from hubbub.http.measures import OperationMeasures, RequestMeasures

COUNTER = "hubbub_requests_total"
SECONDS = "hubbub_request_duration_seconds"
_COUNTER_HEAD = f"""\
# HELP {COUNTER} Requests to operations, by the status of their answer.
# TYPE {COUNTER} counter
"""
_SECONDS_HEAD = f"""\
# HELP {SECONDS} Time from a request to its answer.
# TYPE {SECONDS} histogram
"""


class RequestText:
    """The text of all operations, kept by operation.

    The library takes some 4 µs for a line. There are 1,500 lines, of which few change between two
    scrapes.
    """

    def __init__(self, measures: RequestMeasures) -> None:
        self._measures = measures
        self._kept: dict[str, tuple[int, str, str]] = {}
        """By operation: how many requests the text is about, the counters, the histogram."""

    def write(self) -> str:
        """Return the two families in the text format of Prometheus."""
        texts = [self._write(*each) for each in self._measures.by_operation.items()]
        counters = "".join(counter for _, counter, _ in texts)
        return f"{_COUNTER_HEAD}{counters}{_SECONDS_HEAD}{''.join(each for _, _, each in texts)}"

    def _write(self, name: str, measures: OperationMeasures) -> tuple[int, str, str]:
        count = sum(measures.statuses.values())
        kept = self._kept.get(name)
        if kept is None or kept[0] != count:
            lines = "".join(_counter_lines(name, measures)), "".join(_seconds_lines(name, measures))
            kept = self._kept[name] = (count, *lines)
        return kept


def _counter_lines(name: str, measures: OperationMeasures) -> Iterator[str]:
    for status, count in sorted(measures.statuses.items()):
        yield f'{COUNTER}{{operation="{name}",status="{status}"}} {count}\n'


def _seconds_lines(name: str, measures: OperationMeasures) -> Iterator[str]:
    histogram = measures.seconds
    counts = histogram.cumulate()
    for bound, count in zip((*histogram.bounds, "+Inf"), counts, strict=True):
        yield f'{SECONDS}_bucket{{operation="{name}",le="{bound}"}} {count}\n'
    yield f'{SECONDS}_count{{operation="{name}"}} {counts[-1]}\n'
    yield f'{SECONDS}_sum{{operation="{name}"}} {histogram.total!r}\n'
