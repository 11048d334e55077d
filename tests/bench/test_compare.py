"""The commands that measure: each comparison runs through, on small stores and for a moment."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def compare(*arguments: str) -> str:
    """Run a comparison of one short round; return what it prints."""
    command = [sys.executable, "-m", "bench", "compare", "--rounds", "1", "--seconds", "0.2"]
    done = subprocess.run(
        [*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_versions() -> None:
    """Compare this checkout with its last commit."""
    printed = compare("--against", "HEAD", "--engine", "sqlite", "--scenario", "sends")
    assert "SQLite: 64 connections" in printed
    assert "this checkout" in printed


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_sizes(engine: str) -> None:
    """Compare stores of two sizes."""
    printed = compare("--sizes", "300", "600", "--engine", engine, "--scenario", "one")
    assert "300 messages" in printed
    assert "600 messages" in printed
