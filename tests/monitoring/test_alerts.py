"""The alert rules: known to Prometheus, about metrics that exist, each described, each tried."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deploy.release import ROOT
from tests.monitoring.expressions import check_expression
from tests.monitoring.promtool import promtool
from tests.monitoring.scrape import ask, scrape
from tests.world import Node

RULES = ROOT / "deploy/prometheus/alerts.yml"
OPERATING = (ROOT / "docs/operating.md").read_text()
NODE = 'job="hubbub", instance="a"'

Series = tuple[str, str]
CASES: dict[str, tuple[list[Series], list[Series]]] = {
    "HubbubDown": ([("up", "0x60")], [("up", "1x60")]),
    "HubbubStoreDown": ([("hubbub_store_up", "0x60")], [("hubbub_store_up", "1x60")]),
    "HubbubWritesFail": (
        [("hubbub_write_failures_total", "0x30 1+1x30")],
        [("hubbub_write_failures_total", "7x60")],
    ),
    "HubbubErrors": (
        [
            ('hubbub_requests_total{operation="send_message", status="200"}', "0+98x60"),
            ('hubbub_requests_total{operation="send_message", status="503"}', "0+2x60"),
        ],
        [
            ('hubbub_requests_total{operation="send_message", status="200"}', "0+500x60"),
            ('hubbub_requests_total{operation="send_message", status="503"}', "0+2x60"),
            ('hubbub_requests_total{operation="send_message", status="404"}', "0+500x60"),
        ],
    ),
    "HubbubDefect": (
        [('hubbub_requests_total{operation="get_user", status="500"}', "0x55 1x5")],
        [('hubbub_requests_total{operation="get_user", status="500"}', "0x10 1x50")],
    ),
    "HubbubSlowSends": (
        [
            ("hubbub_request_duration_seconds_bucket{operation=OP, le=L1}", "0+90x60"),
            ("hubbub_request_duration_seconds_bucket{operation=OP, le=L2}", "0+100x60"),
            ("hubbub_request_duration_seconds_bucket{operation=OP, le=L3}", "0+100x60"),
        ],
        [
            ("hubbub_request_duration_seconds_bucket{operation=OP, le=L1}", "0+100x60"),
            ("hubbub_request_duration_seconds_bucket{operation=OP, le=L2}", "0+100x60"),
            ("hubbub_request_duration_seconds_bucket{operation=OP, le=L3}", "0+100x60"),
        ],
    ),
    "HubbubSlowCommits": (
        [
            ('hubbub_commit_duration_seconds_bucket{le="0.25"}', "0+90x60"),
            ('hubbub_commit_duration_seconds_bucket{le="0.5"}', "0+100x60"),
            ('hubbub_commit_duration_seconds_bucket{le="+Inf"}', "0+100x60"),
        ],
        [
            ('hubbub_commit_duration_seconds_bucket{le="0.1"}', "0+100x60"),
            ('hubbub_commit_duration_seconds_bucket{le="+Inf"}', "0+100x60"),
        ],
    ),
    "HubbubWritesWait": (
        [('hubbub_waiting{queue="writes"}', "0x60"), ('hubbub_waiting{queue="drafts"}', "3000x60")],
        [
            ('hubbub_waiting{queue="writes"}', "900x60"),
            ('hubbub_waiting{queue="readers"}', "3000x60"),
        ],
    ),
    "HubbubConsumerBehind": (
        [('hubbub_consumer_lag_events{consumer="search"}', "20000+10x60")],
        [('hubbub_consumer_lag_events{consumer="search"}', "90000-900x60")],
    ),
    "HubbubEventsSetAside": (
        [('hubbub_events_set_aside_total{consumer="search"}', "0x50 1x10")],
        [('hubbub_events_set_aside_total{consumer="search"}', "2x60")],
    ),
    "HubbubWebhooksPaused": (
        [('hubbub_webhooks{state="paused"}', "0x20 2x40")],
        [('hubbub_webhooks{state="paused"}', "0x60"), ('hubbub_webhooks{state="failing"}', "5x60")],
    ),
    "HubbubDiskFull": (
        [("hubbub_disk_free_bytes", "900000000x60")],
        [("hubbub_disk_free_bytes", "90000000000x60")],
    ),
    "HubbubLogGrows": (
        [("hubbub_wal_bytes", "2000000000x60")],
        [("hubbub_wal_bytes", "200000000x60")],
    ),
    "HubbubBusLost": ([("hubbub_bus_connected", "0x60")], [("hubbub_bus_connected", "1x60")]),
    "HubbubOpenFiles": (
        [("hubbub_process_open_fds", "900x60"), ("hubbub_process_max_fds", "1000x60")],
        [("hubbub_process_open_fds", "500x60"), ("hubbub_process_max_fds", "1000x60")],
    ),
    "HubbubRestarts": (
        [("hubbub_process_start_time_seconds", "1x50 2 3 4 5x7")],
        [("hubbub_process_start_time_seconds", "1x50 2x10")],
    ),
}
"""Series by which an alert fires after an hour, and series by which it does not."""


def load_rules() -> list[dict[str, Any]]:
    """Return all alert rules."""
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


NAMES = [rule["alert"] for rule in load_rules()]


def test_prometheus_accepts_the_rules() -> None:
    """Prometheus' own tool finds no fault in rules and configuration."""
    assert f"{len(NAMES)} rules found" in promtool("check", "rules", RULES)
    assert "SUCCESS" in promtool("check", "config", RULES.with_name("prometheus.yml"))


async def test_prometheus_accepts_the_metrics(node: Node) -> None:
    """Prometheus' own tool finds no fault in names, units and descriptions of the metrics."""
    text = (await ask(node.sender)).body.decode()

    assert promtool("check", "metrics", given=text) == ""


async def test_alerts_are_about_metrics_that_exist(node: Node) -> None:
    """Every metric and label of a rule is one of a real node."""
    metrics = await scrape(node.sender)

    for rule in load_rules():
        check_expression(rule["expr"], metrics)


def test_every_alert_has_its_paragraph() -> None:
    """An alert has a severity, a summary, and a paragraph that says what to do."""
    assert [rule["alert"] for rule in load_rules() if not is_explained(rule)] == []


def is_explained(rule: dict[str, Any]) -> bool:
    """Return whether a rule has a severity, a sentence and a paragraph."""
    name = rule["alert"]
    _, _, below = OPERATING.partition(f"\n#### {name}\n\n")
    return (
        rule["labels"]["severity"] in {"page", "ticket"}
        and rule["annotations"]["summary"].endswith(".")
        and rule["annotations"]["runbook"] == f"docs/operating.md#{name.lower()}"
        and len(below.partition("\n#")[0].strip()) > 100
    )


def test_no_paragraph_is_about_an_alert_that_is_gone() -> None:
    """The document describes the alerts in the order of the rules, and no others."""
    assert re.findall(r"^#### (Hubbub\w+)$", OPERATING, re.MULTILINE) == NAMES


@pytest.mark.parametrize("is_firing", [True, False], ids=["fires", "stays silent"])
@pytest.mark.parametrize("name", NAMES)
def test_alerts_fire_in_time(tmp_path: Path, name: str, is_firing: bool) -> None:
    """An alert fires by series in which its cause is there for long enough, and by no others."""
    series = CASES[name][0 if is_firing else 1]
    firing = f'count(ALERTS{{alertname="{name}", alertstate="firing"}})'
    expected = [{"labels": "{}", "value": 1}] if is_firing else []
    tried = {
        "rule_files": [str(RULES)],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [
                    {"series": _named(each), "values": values} for each, values in series
                ],
                "promql_expr_test": [{"expr": firing, "eval_time": "60m", "exp_samples": expected}],
            }
        ],
    }
    path = tmp_path / "tried.yml"
    path.write_text(yaml.safe_dump(tried))

    assert "SUCCESS" in promtool("test", "rules", path)


def _named(series: str) -> str:
    """Return a series with the labels of a node."""
    name, _, labels = series.partition("{")
    given = labels.rstrip("}").replace("OP", '"send_message"')
    given = given.replace("L1", '"1.0"').replace("L2", '"5.0"').replace("L3", '"+Inf"')
    return f"{name}{{{', '.join(filter(None, (NODE, given)))}}}"
