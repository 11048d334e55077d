"""The client in JavaScript, and its store, against what a client does."""

import sys
from pathlib import Path

import pytest
from tests.clients.js.package import run
from tests.documents.blocks import ROOT

from conformance.scenarios import SCENARIOS

pytestmark = pytest.mark.clients

OF_A_STORE = {"messages-by-their-ids", "queue-after-a-restart", "cursor-after-a-restart"}


@pytest.mark.parametrize(
    ("arguments", "skipped"), [((), OF_A_STORE), (("store",), set())], ids=["client", "store"]
)
def test_it_keeps_each_promise(built: Path, arguments: tuple[str, ...], skipped: set[str]) -> None:
    """Every scenario of the suite passes; without the store those of a store are skipped."""
    suite = (sys.executable, "clients/conformance", "--", "node", "clients/js/test/driver.mjs")

    printed = run(*suite, *arguments, folder=ROOT)

    kinds = [line.split()[:2] for line in printed.splitlines()]
    assert {
        name for kind, name in (each for each in kinds if len(each) == 2) if kind == "skipped"
    } == skipped
    assert f"{len(SCENARIOS) - len(skipped)} passed, 0 failed" in printed
