"""The endpoint of the metrics: who may read them, and the text of those of requests."""

from collections.abc import Iterator, Sequence
from hmac import compare_digest

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from hubbub.config import Settings
from hubbub.http.answer import Answer
from hubbub.http.errors import error_answer
from hubbub.http.measures import OperationMeasures, RequestMeasures
from hubbub.http.pages.metrics.node import NodeCollector
from hubbub.http.pages.metrics.store import StoreState
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.http.rules import METRICS, is_loopback
from hubbub.outbound.addresses import parse_rule
from hubbub.runtime import Runtime

CODE = "AUTH_ERR_NO_ACCESS"
FORWARDED = (
    b"x-forwarded-for",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"x-real-ip",
    b"forwarded",
    b"via",
)
"""Headers of requests that came through a proxy, whose address says nothing about the reader."""
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


def add_metrics(routes: Routes, runtime: Runtime, measures: RequestMeasures) -> None:
    """Add the route of the metrics.

    Raises:
        BadSetting: the networks that may read them are none.
    """
    routes.add_private(METRICS.decode(), "GET", MetricsPage(runtime, measures))


class MetricsPage:
    """All metrics, in the text format of Prometheus."""

    def __init__(self, runtime: Runtime, measures: RequestMeasures) -> None:
        self._access = MetricsAccess(runtime.settings)
        self._requests = RequestText(measures)
        self._store = StoreState(runtime.database)
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(NodeCollector(runtime, self._store))
        ProcessCollector(namespace="hubbub", registry=self._registry)

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        """Answer with the metrics, to those who may read them."""
        refused = self._access.refuse(request)
        if refused is not None:
            return refused
        await self._store.ask()
        text = self._requests.write().encode() + generate_latest(self._registry)
        answer = Answer(text, content_type=CONTENT_TYPE_PLAIN_0_0_4)
        answer.set_header("Cache-Control", "no-store")
        return answer


class MetricsAccess:
    """The rule, as the settings of the node have it.

    Raises:
        BadSetting: the networks that may read the metrics are none.
    """

    def __init__(self, settings: Settings) -> None:
        self._networks = parse_rule(settings.metrics_allow, "HUBBUB_METRICS_ALLOW")
        self._token = settings.metrics_token.encode()

    def refuse(self, request: Request) -> Answer | None:
        """Return the answer to a reader who may not read the metrics, or None."""
        client = request.client
        if not (is_loopback(client) or self._networks.is_allowed(client)):
            message = "Metrics are read from this machine, and from HUBBUB_METRICS_ALLOW."
            return error_answer(403, CODE, message)
        if self._token:
            return None if self._has_token(request) else _ask_for_token()
        if any(name in request.headers for name in FORWARDED):
            message = "Metrics are read through a proxy only if HUBBUB_METRICS_TOKEN is set."
            return error_answer(403, CODE, message)
        return None

    def _has_token(self, request: Request) -> bool:
        scheme, _, token = request.headers.get(b"authorization", b"").partition(b" ")
        return compare_digest(token.strip(), self._token) and scheme.lower() == b"bearer"


def _ask_for_token() -> Answer:
    message = "Metrics are read with HUBBUB_METRICS_TOKEN: Authorization: Bearer <token>."
    answer = error_answer(401, CODE, message)
    answer.set_header("WWW-Authenticate", 'Bearer realm="metrics"')
    return answer


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
