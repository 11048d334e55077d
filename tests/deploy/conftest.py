"""A release, built once, and a Debian to install it in."""

from pathlib import Path

import pytest
from tests.deploy.debian import install_debian, skip_without
from tests.deploy.release import Release


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release of this checkout."""
    return Release.build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a new Debian; tests copy them."""
    skip_without(["debootstrap"])
    folder = tmp_path_factory.mktemp("debian") / "files"
    install_debian(folder)
    return folder
