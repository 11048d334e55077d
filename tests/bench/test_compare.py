"""The commands that measure: each comparison runs through, on small stores and for a moment."""

import shlex
import subprocess
import sys

import pytest
from bench.__main__ import make_parser
from tests.documents.blocks import ROOT, blocks_of

DOCUMENTED = [
    line for block in blocks_of("docs/performance.md") for line in block.text.splitlines()
]


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


@pytest.mark.parametrize("line", DOCUMENTED)
def test_documented_commands_are_understood(line: str) -> None:
    """The commands of docs/performance.md, which take minutes to hours, have known options."""
    make, bench, *given = shlex.split(line, comments=True)
    options = shlex.split("".join(given).removeprefix("ARGS="))

    assert (make, bench) == ("make", "bench")
    if options != ["--help"]:
        make_parser().parse_args(options)
