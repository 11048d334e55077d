"""A release, built once."""

import pytest
from tests.deploy.release import Release


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release of this checkout."""
    return Release.build(tmp_path_factory.mktemp("dist"))
