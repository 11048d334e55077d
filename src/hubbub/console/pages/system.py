"""The installation: its nodes, what its checks find, figures of this node, the last errors."""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hubbub.console import page
from hubbub.console.page import ADMINS, PageShown, show
from hubbub.console.visit import Visit
from hubbub.doctor.certificate import check_certificate
from hubbub.doctor.configuration import check_configuration
from hubbub.doctor.disk import check_disks
from hubbub.doctor.finding import Finding
from hubbub.http.pages.metrics.node import NodeCollector
from hubbub.http.pages.metrics.store import StoreState
from hubbub.kernel.pages import PageRequest
from hubbub.outbox.set_aside import SetAside, count_all_set_aside, list_set_aside
from hubbub.records.presence.model import LATE_SECONDS
from hubbub.records.presence.store import list_nodes
from hubbub.storage.interface import INSTALLATION

SYSTEM = "/system"
MOST_NODES = 100
MOST_APPS = 20
OF_AN_APP = PageRequest(1, 10)
SHOWN = ("gauge", "counter")
"""The types of metrics that are one figure, or one for each label."""


@dataclass(frozen=True, slots=True)
class SeenNode:
    """A node, and whether it has said lately that it runs."""

    id: str
    beat_at: int
    is_late: bool
    is_this: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric of this node, as Prometheus gets it."""

    name: str
    about: str
    values: Sequence[tuple[str, float]]
    """By label; the label is empty if there is one value."""


@page.get(SYSTEM, title="System", roles=ADMINS, for_all_apps=True)
async def show_system(visit: Visit) -> PageShown:
    """Show how the installation is."""
    findings = await asyncio.to_thread(lambda: list(_findings(visit)))
    return show(
        "system.html",
        findings=sorted(findings, key=lambda each: each.state == "ok"),
        errors=await _errors(visit),
        **await _figures(visit),
    )


@page.get(SYSTEM + "/figures", title="Figures", roles=ADMINS, for_all_apps=True, is_live=True)
async def show_figures(visit: Visit) -> PageShown:
    """Show nodes and figures as a part that an open page asks for."""
    return show("system_figures.html", **await _figures(visit))


def _findings(visit: Visit) -> Iterator[Finding]:
    """Yield the checks of the doctor that are quick, and need no store of their own."""
    settings = visit.runtime.settings
    yield from check_configuration(settings, os.environ)
    yield check_certificate(settings, visit.runtime.clock.now())
    yield from check_disks(settings)


async def _figures(visit: Visit) -> Mapping[str, Any]:
    runtime = visit.runtime
    state = StoreState(runtime.database)
    await state.ask()
    found = await runtime.database.read(
        INSTALLATION, lambda snapshot: list_nodes(snapshot, limit=MOST_NODES)
    )
    earliest = runtime.clock.now() - LATE_SECONDS
    return {
        "nodes": [SeenNode(id_, at, at <= earliest, id_ == runtime.node) for id_, at in found],
        "figures": [
            Figure(
                family.name,
                family.documentation,
                [(" ".join(each.labels.values()), each.value) for each in family.samples],
            )
            for family in NodeCollector(runtime, state).collect()
            if family.type in SHOWN and family.samples
        ],
    }


async def _errors(visit: Visit) -> Sequence[tuple[str, SetAside]]:
    """Return the latest events that could not be processed, with their apps, the newest first."""
    database = visit.runtime.database
    counted = await database.read(INSTALLATION, count_all_set_aside)
    apps = list(dict.fromkeys(each.app_id for each in counted))[:MOST_APPS]
    found = [
        (app, event)
        for app in apps
        for event in (
            await database.read(app, lambda snapshot: list_set_aside(snapshot, OF_AN_APP))
        )[0]
    ]
    return sorted(found, key=lambda each: each[1].at, reverse=True)
