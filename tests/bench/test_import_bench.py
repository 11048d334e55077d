"""The measurement of imports runs through, on a small history."""

import subprocess
import sys

import pytest
from tests.documents.blocks import ROOT


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_imports(engine: str) -> None:
    """Import 500 messages alone and beside a node with live sends."""
    options = ["--engine", engine, "--messages", "500", "--seconds", "0.5"]
    command = [sys.executable, "-m", "bench", "import", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "500 messages" in done.stdout
    assert "beside a node" in done.stdout
