"""The dashboard for Grafana: every expression is about metrics that a real node has."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from tests.deploy.release import ROOT
from tests.monitoring.expressions import check_expression
from tests.monitoring.promtool import promtool
from tests.monitoring.scrape import scrape
from tests.world import Node

DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/hubbub.json").read_text())
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
NOT_SHOWN = {
    "hubbub_process_virtual_memory_bytes",  # says little: most of it is mapped files
    "hubbub_process_max_fds",  # a constant, in the alert about open files
    "hubbub_info",  # names the nodes to choose from
}


def expressions() -> Iterator[str]:
    """Yield all expressions, with the variables of Grafana filled in."""
    queries = [target["expr"] for panel in PANELS for target in panel.get("targets", [])]
    queries += [each["expr"] for each in DASHBOARD["annotations"]["list"]]
    for query in queries:
        yield query.replace("$__rate_interval", "5m").replace("$instance", ".*")


async def test_panels_are_about_metrics_that_exist(node: Node) -> None:
    """Every metric, label and operation that a panel asks for is one of a real node."""
    found = await scrape(node.sender)
    checked = list(expressions())
    for expression in checked:
        check_expression(expression, found)

    assert len(checked) > 30


async def test_every_metric_is_shown(node: Node) -> None:
    """No family of the node is missing from the dashboard."""
    found = await scrape(node.sender)
    shown = " ".join(expressions())
    missing = {name for name in found.families if f"{name}" not in shown}

    assert missing == NOT_SHOWN


def test_prometheus_accepts_the_expressions(tmp_path: Path) -> None:
    """Prometheus' own tool can read every expression."""
    rules = [
        {"record": f"panel:{number}", "expr": expression}
        for number, expression in enumerate(expressions())
    ]
    path = tmp_path / "panels.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))

    assert f"{len(rules)} rules found" in promtool("check", "rules", path)


def test_panels_lie_side_by_side() -> None:
    """Panels have ids of their own and do not overlap; all ask the source that the reader chose."""
    cells = [cell for panel in PANELS for cell in cells_of(panel["gridPos"])]

    assert len(cells) == len(set(cells))
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    for panel in PANELS:
        for each in (panel, *panel["targets"]) if panel["type"] != "row" else ():
            assert each["datasource"] == SOURCE


def cells_of(place: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Yield the cells of the grid that a panel covers."""
    assert place["x"] + place["w"] <= 24
    columns = range(place["x"], place["x"] + place["w"])
    return itertools.product(columns, range(place["y"], place["y"] + place["h"]))
