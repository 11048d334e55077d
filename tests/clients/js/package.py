"""The package `@hubbub/client`, and running the programs of Node.js in it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.documents.blocks import ROOT
from tests.documents.shell import NOTHING
from tests.live import environment

CLIENTS = ROOT / "clients"
PACKAGE = CLIENTS / "js"
MOST_SECONDS = 3_600
TSC = str(CLIENTS / "node_modules/.bin/tsc")


def run(*command: str, folder: Path = PACKAGE, settings: Mapping[str, str] = NOTHING) -> str:
    """Run a program to its end, in a folder; return what it prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"
    return done.stdout


def make(target: str) -> None:
    """Make a target of the Makefile."""
    run("make", "--no-print-directory", target, folder=ROOT)


def run_tests(*files: str, **settings: str) -> None:
    """Run tests of the package with Node.js; none of them is skipped."""
    printed = run(
        "node", "--test", "--test-force-exit", "--test-reporter=tap", *files, settings=settings
    )

    assert "\n# skipped 0\n" in printed, printed
    assert "\n# pass 0\n" not in printed, printed
