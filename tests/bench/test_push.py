"""The measurement of pushes runs through, on a small group."""

import subprocess
import sys

import pytest
from tests.documents.blocks import ROOT


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_pushes(engine: str) -> None:
    """Measure messages to a group of 300, alike and with mixed preferences."""
    options = ["--quick", "--members", "300", "--seconds", "0.5", "--rounds", "1"]
    command = [sys.executable, "-m", "bench", "push", "--engine", engine, *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "a group of 300" in done.stdout
    assert ", mixed" in done.stdout
