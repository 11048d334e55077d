"""The endpoint of the metrics."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from hubbub.http.answer import Answer
from hubbub.http.measures import RequestMeasures
from hubbub.http.pages.metrics.access import MetricsAccess
from hubbub.http.pages.metrics.node import NodeCollector
from hubbub.http.pages.metrics.requests import RequestText
from hubbub.http.pages.metrics.store import StoreState
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.http.rules import METRICS
from hubbub.runtime import Runtime


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
