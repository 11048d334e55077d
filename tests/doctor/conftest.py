"""Stores to examine, and what is found."""

import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import pytest
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.files.uploads import File, send_files
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.doctor.examine import examine
from hubbub.doctor.finding import Finding, Severity
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS


@dataclass(frozen=True, slots=True)
class Patient:
    """A node in this process on a store of its own, with an app."""

    node: Node
    world: World

    @property
    def settings(self) -> Settings:
        return self.node.runtime.settings


@pytest.fixture
async def patient(new_settings: NewSettings) -> AsyncIterator[Patient]:
    """A healthy node with a conversation, a group, and a file."""
    clock = ManualClock(int(time.time()))
    settings = new_settings(log_requests=False)
    async with open_runtime(settings, clock) as runtime:
        node = Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})
        world = await node.world()
        await world.users("anna", "ben")
        await send_files(world, File("plan.txt", b"The plan"))
        await world.post("/groups", {"guid": "hikers", "name": "H", "type": "public"}, as_="anna")
        yield Patient(node, world)


async def findings_of(
    settings: Settings,
    environment: Mapping[str, str] | None = None,
    *,
    clock: ManualClock | None = None,
) -> list[Finding]:
    """Examine an installation; return all that is found."""
    clock = clock or ManualClock(int(time.time()))
    return [finding async for finding in examine(settings, environment or {}, clock)]


async def faults_of(
    settings: Settings,
    environment: Mapping[str, str] | None = None,
    *,
    clock: ManualClock | None = None,
) -> list[Finding]:
    """Examine an installation; return what is not right, each with its remedy."""
    found = await findings_of(settings, environment, clock=clock)
    faults = [finding for finding in found if finding.state != Severity.OK]
    assert all(fault.remedy for fault in faults)
    return faults


async def the_fault(
    settings: Settings,
    environment: Mapping[str, str] | None = None,
    *,
    clock: ManualClock | None = None,
) -> tuple[str, str, str]:
    """Return check, state and sentence of the only thing that is not right."""
    [fault] = await faults_of(settings, environment, clock=clock)
    return fault.check, fault.state, fault.sentence
