"""Movers into an app of the test's own, and a store with an app that has everything."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.command import check_made, hubbub, making, options_of
from tests.conftest import NewSettings
from tests.live import LiveNode
from tests.moving.everything import fill
from tests.moving.mover import Mover
from tests.moving.moves import export
from tests.moving.rest_app import RestApp
from tests.world import Node, World

from hubbub.config import Settings


@dataclass(frozen=True, slots=True)
class Filled:
    """A store, its app, and an export of the whole app."""

    settings: Settings
    app: str
    exported: Path


@pytest.fixture(scope="session")
async def filled(new_settings: NewSettings, tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """The store and its export; tests must not change them."""
    settings = new_settings()
    app = await fill(settings)
    exported = tmp_path_factory.mktemp("export") / "all"
    done = await asyncio.to_thread(export, settings, app, exported)
    assert done.code == 0, done
    return Filled(settings, app, exported)


@pytest.fixture
def mover(node: Node, world: World, tmp_path: Path) -> Mover:
    """A mover into the app of the test."""
    return Mover(node, world, tmp_path)


@pytest.fixture(scope="module")
def app(new_settings: NewSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestApp]:
    """An app on a node in a process of its own."""
    settings = new_settings()
    key = check_made(hubbub(*making(), *options_of(settings)))
    with LiveNode(settings) as node, closing(RestApp(node, key, settings.data)) as app:
        yield app
