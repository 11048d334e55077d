"""Measures of the requests: by operation, how many were answered how, and how long it took."""

from bisect import bisect_left

from hubbub.http.operation import Operation
from hubbub.kernel.measures import Histogram

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class OperationMeasures:
    """The measures of one operation."""

    __slots__ = ("seconds", "statuses")

    def __init__(self) -> None:
        # The first defect must be seen as a rise, so 500 is there from the start. A plain
        # dictionary: a Counter takes twice as long.
        self.statuses = {200: 0, 500: 0}
        self.seconds = Histogram(SECONDS)


class RequestMeasures:
    """The measures of all operations, each there from the start; other requests have none."""

    def __init__(self) -> None:
        self.by_operation: dict[str, OperationMeasures] = {}

    def include(self, operation: Operation) -> None:
        """Keep measures of an operation."""
        self.by_operation[operation.name] = OperationMeasures()

    def add(self, operation: Operation, status: int, seconds: float) -> None:
        """Add a request that was answered; each request pays for this, so it is written out."""
        measures = self.by_operation[operation.name]
        statuses = measures.statuses
        statuses[status] = statuses[status] + 1 if status in statuses else 1
        histogram = measures.seconds
        histogram.counts[bisect_left(SECONDS, seconds)] += 1
        histogram.total += seconds
