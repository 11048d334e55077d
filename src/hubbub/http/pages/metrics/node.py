"""The metrics of the node besides its requests: batches, the engine, the log, the disk."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

import hubbub
from hubbub.domain.log.consumers import READERS
from hubbub.http.pages.metrics.store import StoreState
from hubbub.kernel.measures import Histogram
from hubbub.runtime import Runtime

CLOSE_CODES = ("1011", "1012", "1013", "4400", "4401", "4403", "4408", "4409", "4429")


class NodeCollector(Collector):
    """Makes the families from what is measured. A further area of metrics is a method here."""

    def __init__(self, runtime: Runtime, store: StoreState) -> None:
        self._runtime = runtime
        self._store = store

    def collect(self) -> Iterator[Metric]:
        """Yield all families."""
        yield from self._node()
        yield from self._batches()
        yield from self._engine()
        yield from self._queues()
        yield from self._log()
        yield from self._webhooks()
        yield from self._notifications()
        yield from self._sockets()

    def _node(self) -> Iterator[Metric]:
        engine = "postgresql" if self._runtime.settings.database_url else "sqlite"
        info = {"version": hubbub.__version__, "engine": engine}
        yield _gauge("info", "The version of Hubbub and its engine.", info, 1)
        free = _free_bytes(self._runtime.settings.data)
        yield _gauge("disk_free_bytes", "Free space where the data folder is.", {}, free)

        bus = self._runtime.bus.is_connected
        yield _gauge("bus_connected", "Whether the bus is reached, if there is one.", {}, int(bus))

    def _batches(self) -> Iterator[Metric]:
        batches = self._runtime.batches
        yield _histogram("batch_drafts", "How many drafts a stored batch had.", batches.sizes)
        running = len(batches.running)
        yield _gauge("batches_running", "Apps whose batches are being stored.", {}, running)

    def _engine(self) -> Iterator[Metric]:
        measures = self._runtime.measures
        for name, text, histogram in (
            ("commit_operations", "How many operations a commit has stored.", measures.operations),
            ("commit_duration_seconds", "Time of commits.", measures.commits),
            ("write_duration_seconds", "Time of stored transactions.", measures.writes),
            ("read_duration_seconds", "Time of readings, waiting included.", measures.reads),
            ("checkpoint_duration_seconds", "Time of SQLite's checkpoints.", measures.checkpoints),
        ):
            yield _histogram(name, text, histogram)
        yield _counter("write_failures", "Writes that the store failed.", measures.failures)
        yield _counter("write_retries", "Writes repeated after a conflict.", measures.retries)
        yield _gauge("wal_bytes", "SQLite's write-ahead log in use.", {}, measures.log_bytes)
        opened, idle = measures.count_connections()
        connections = GaugeMetricFamily(
            "hubbub_database_connections", "Connections to PostgreSQL.", labels=["state"]
        )
        connections.add_metric(["idle"], idle)
        connections.add_metric(["used"], opened - idle)
        yield connections

    def _queues(self) -> Iterator[Metric]:
        runtime = self._runtime
        pools = {
            "slow_threads": runtime.threads,
            "pictures": runtime.pictures,
            "files": runtime.files.threads,
        }
        depths = {
            "drafts": runtime.batches.waiting,
            "calls": runtime.outbound.calls.places.turns.waiting,
            **runtime.measures.count_waiting(),
            **{name: threads.places.turns.waiting for name, threads in pools.items()},
            **self._store.waiting,
        }
        waiting = GaugeMetricFamily("hubbub_waiting", "Depths of queues.", labels=["queue"])
        for queue, depth in depths.items():
            waiting.add_metric([queue], depth)
        yield waiting

    def _log(self) -> Iterator[Metric]:
        yield _gauge("store_up", "Whether the store answers.", {}, int(self._store.is_up))
        lag = GaugeMetricFamily(
            "hubbub_consumer_lag_events",
            "Events of all apps that a consumer of the log has not covered.",
            labels=["consumer"],
        )
        for name, count in self._store.lags.items():
            lag.add_metric([name], count)
        yield lag
        set_aside = CounterMetricFamily(
            "hubbub_events_set_aside",
            "Events that a reader of the log could not process.",
            labels=["consumer"],
        )
        for name in (*self._store.lags, *READERS):
            set_aside.add_metric([name], self._runtime.consumers[name].set_aside)
        yield set_aside

    def _webhooks(self) -> Iterator[Metric]:
        calls = self._runtime.webhook_calls
        attempts = CounterMetricFamily(
            "hubbub_webhook_attempts", "Attempts to make deliveries.", labels=["outcome"]
        )
        for outcome, count in calls.outcomes.items():
            attempts.add_metric([outcome], count)
        yield attempts
        yield _histogram("webhook_attempt_duration_seconds", "Time of them.", calls.durations)
        webhooks = GaugeMetricFamily("hubbub_webhooks", "Webhooks of all apps.", labels=["state"])
        for state, count in self._store.webhooks.items():
            webhooks.add_metric([state], count)
        yield webhooks

    def _notifications(self) -> Iterator[Metric]:
        answers = CounterMetricFamily(
            "hubbub_notifications",
            "Answers of providers to notifications.",
            labels=["provider", "outcome"],
        )
        for (provider, outcome), count in self._runtime.notifications.outcomes.items():
            answers.add_metric([provider, outcome], count)
        yield answers

    def _sockets(self) -> Iterator[Metric]:
        sockets = self._runtime.sockets
        by_state = GaugeMetricFamily("hubbub_sockets", "Open sockets.", labels=["state"])
        by_state.add_metric(["connected"], sockets.connected)
        by_state.add_metric(["connecting"], sockets.open - sockets.connected)
        yield by_state
        events, seconds = sockets.find_lag()
        yield _gauge("socket_lag_events", "Events not told yet, of the app with most.", {}, events)
        yield _gauge("socket_lag_seconds", "For how long an app's sockets lag.", {}, seconds)
        yield _counter("socket_events", "Events told, for each session.", sockets.told)
        resumes = CounterMetricFamily(
            "hubbub_socket_resumes", "Sessions that came back with a cursor.", labels=["outcome"]
        )
        resumes.add_metric(["resumed"], sockets.resumed)
        resumes.add_metric(["reloaded"], sockets.reloaded)
        yield resumes
        closes = CounterMetricFamily(
            "hubbub_socket_closes", "Sockets that the server has closed.", labels=["code"]
        )
        for code in CLOSE_CODES:
            closes.add_metric([code], sockets.closes[code])
        yield closes


def _free_bytes(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:  # somebody has removed it, or its disk is gone
        return 0


def _gauge(name: str, text: str, labels: dict[str, str], value: float) -> Metric:
    gauge = GaugeMetricFamily(f"hubbub_{name}", text, labels=list(labels))
    gauge.add_metric(list(labels.values()), value)
    return gauge


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"hubbub_{name}", text, value)


def _histogram(name: str, text: str, histogram: Histogram) -> Metric:
    counts = histogram.cumulate()
    bounds = [*(str(float(bound)) for bound in histogram.bounds), "+Inf"]
    buckets = list(zip(bounds, map(float, counts), strict=True))
    return HistogramMetricFamily(f"hubbub_{name}", text, buckets, histogram.total)
