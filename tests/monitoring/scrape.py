"""Scrape a node, and read the metrics with the parser of Prometheus' own library."""

from typing import Any

from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from tests.wire import Answer, Asked, Sender


async def ask(sender: Sender, method: str = "GET", **how: str) -> Answer:
    """Send a request for the metrics; `client` is its address, all else are headers."""
    client = how.pop("client", "127.0.0.1")
    headers = {name.replace("_", "-"): text for name, text in how.items()}
    return await sender.send(Asked(method, "/metrics", headers, client=client))


class Scrape:
    """The families and samples of one scrape."""

    def __init__(self, text: str) -> None:
        self.families: dict[str, Metric] = {
            family.name: family for family in text_string_to_metric_families(text)
        }
        self.values: dict[tuple[Any, ...], float] = {
            (sample.name, *sorted(sample.labels.items())): sample.value
            for family in self.families.values()
            for sample in family.samples
        }

    @property
    def names(self) -> set[str]:
        """Return the names of all samples."""
        return {key[0] for key in self.values}

    def value(self, name: str, **labels: str) -> float:
        """Return the value of a sample."""
        return self.values[name, *sorted(labels.items())]


async def scrape(sender: Sender) -> Scrape:
    """Return the metrics of a node."""
    answer = await ask(sender)
    assert answer.status == 200, answer
    return Scrape(answer.body.decode())
