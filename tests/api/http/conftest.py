"""Generates the requests of the campaign only where it is wanted: that takes half a minute."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the campaign of generated requests out of runs without campaigns."""
    is_left_out = "not campaign" in config.getoption("markexpr")
    is_campaign = collection_path.name == "test_schemathesis_campaign.py"
    return True if is_left_out and is_campaign else None
