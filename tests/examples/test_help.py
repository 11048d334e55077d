"""The examples say how they are used."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_explains_its_arguments(example: Path) -> None:
    """`--help` names each argument, and needs no server."""
    done = subprocess.run(
        [sys.executable, example, "--help"], capture_output=True, text=True, check=False, timeout=60
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "usage:" in done.stdout
    assert len(done.stdout.splitlines()) > 8
