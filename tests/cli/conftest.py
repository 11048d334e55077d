"""Stores for commands."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command import make_store, new_folder, options_of
from tests.conftest import NewSettings
from tests.live import LiveNode

from hubbub.config import Settings


@pytest.fixture
def settings(new_settings: NewSettings) -> Settings:
    """A new and empty store on each engine."""
    settings = new_settings()
    make_store(settings)
    return settings


@pytest.fixture
def store(settings: Settings) -> tuple[str, ...]:
    """The options that name the store."""
    return options_of(settings)


@pytest.fixture
def folder(tmp_path: Path) -> tuple[str, ...]:
    """The option that names a data folder with an empty store, where the engine does not matter."""
    return new_folder(tmp_path / "data")


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[LiveNode]:
    """A running node with its own folder."""
    with LiveNode(Settings(data=tmp_path / "data")) as live:
        yield live
