"""The lines to copy from the README, the guides and the reference, on a node with the demo app."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.documents.blocks import DOCUMENTS, Block, take_all
from tests.documents.shell import run
from tests.live import LiveNode, environment

from hubbub.config import Settings

GUIDES = [
    document
    for document in DOCUMENTS
    if document.startswith("docs/guides/") and "/moving-in" not in document
]
INTRODUCTION = "src/hubbub/http/pages/reference/introduction.md"
TO_COPY = {
    document: take_all(document, "sh", "json", "python")
    for document in (
        "README.md",
        "docs/getting-started.md",
        "docs/importing.md",
        *GUIDES,
        INTRODUCTION,
    )
}
WITH_ANSWERS = {"README.md", "docs/importing.md"}
_ASSIGNMENT = re.compile(r"(\w+)=\$\(curl ")


@dataclass
class Step:
    """Shell lines of a document, and the answer that it shows below them."""

    command: str
    shown: Any = field(default=None)


def steps_of(blocks: list[Block]) -> list[Step]:
    """Return the shell lines of a document, in order."""
    steps: list[Step] = []
    for block in blocks:
        if block.language == "sh":
            steps.append(Step(block.text))
        elif block.language == "json":
            steps[-1].shown = json.loads(block.text)
    return steps


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveNode]:
    """A running node as `make demo` starts it, in its own folder."""
    if not shutil.which("curl"):
        assert os.environ.get("CI") != "true", "the documents' lines need curl"
        pytest.skip("the documents' lines need curl")
    folder = tmp_path_factory.mktemp("demo")
    with LiveNode(Settings(data=folder / "hubbub-data"), "--demo") as node:
        yield node


@pytest.mark.parametrize("document", TO_COPY)
def test_lines_to_copy_do_what_is_said(demo: LiveNode, document: str) -> None:
    """The shell lines run one after the other, and answer as the document shows."""
    steps = steps_of(TO_COPY[document])
    assert sum("curl" in step.command for step in steps) > 2, "there must be lines to run"
    if document in WITH_ANSWERS:
        assert sum(step.shown is not None for step in steps) > 2, "there must be answers to compare"
    known, folder = "", demo.data.parent

    for step in steps:
        command = step.command.replace("http://127.0.0.1:8080", demo.address)
        if "curl" not in command:
            known += command
            continue
        command = command.replace("curl ", "curl -sS ")
        if assigned := _ASSIGNMENT.match(step.command):
            known += f"{assigned[1]}={run(f'{known}{command}echo ${assigned[1]}', folder)}"
            continue
        answer = json.loads(run(known + command, folder))
        if step.shown is None:
            assert "data" in answer, answer
            assert '"success": false' not in json.dumps(answer), answer
        else:
            assert alike(step.shown, answer), answer


def test_programs_to_copy_run(demo: LiveNode) -> None:
    """The programs in the documents run to their end."""
    blocks = [block for taken in TO_COPY.values() for block in taken if block.language == "python"]
    assert blocks, "there must be a program to run"

    for block in blocks:
        placed = block.text.replace("http://127.0.0.1:8080", demo.address)
        subprocess.run(
            [sys.executable, "-c", placed],
            cwd=demo.data.parent,
            env=environment(),
            check=True,
            timeout=60,
        )


def alike(shown: Any, answered: Any) -> bool:
    """Return whether both are equal, except for what differs by run, such as numbers and ids."""
    if isinstance(shown, dict) and isinstance(answered, dict):
        return shown.keys() == answered.keys() and all(
            name in {"authToken", "eventCursor", "id", "messageId"}
            or alike(shown[name], answered[name])
            for name in shown
        )
    if isinstance(shown, int) and isinstance(answered, int):
        return isinstance(shown, bool) == isinstance(answered, bool)
    return bool(shown == answered)
