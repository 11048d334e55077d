"""The import contracts of `pyproject.toml` hold, and no modules import each other in a circle."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from grimp import ImportGraph, build_graph

ROOT = Path(__file__).parents[1]
UPWARD = {
    "records to domain": ("records/users/store.py", "hubbub.domain.users.create"),
    "machinery to operations": ("http/app.py", "hubbub.rest.operations"),
    "domain to machinery": ("domain/messages/send.py", "hubbub.http.call"),
    "area of the domain to one that needs it": (
        "domain/members/add.py",
        "hubbub.domain.groups.create",
    ),
    "area of records to one that needs it": (
        "records/users/store.py",
        "hubbub.records.groups.store",
    ),
    "group to a higher group of operations": ("rest/people/users.py", "hubbub.rest.groups.groups"),
    "store to the log's consumer": ("storage/interface.py", "hubbub.outbox.log"),
    "feeds to sessions": ("realtime/feeds/feed.py", "hubbub.realtime.sessions.session"),
}


def broken_contracts(folder: Path) -> str:
    """Return the lines about broken contracts of the package in `folder`; empty: all are kept."""
    check = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", check, "--no-cache", "--config", str(folder / "pyproject.toml")],
        cwd=folder / "src",
        env={"PYTHONPATH": str(folder / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.endswith(" BROKEN")]
    assert bool(lines) == bool(done.returncode), done.stdout + done.stderr
    return "\n".join(lines)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with a copy of the package and its contracts."""
    shutil.copytree(ROOT / "src" / "hubbub", tmp_path / "src" / "hubbub")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_contracts_are_kept(copy: Path) -> None:
    """No module imports upwards."""
    assert broken_contracts(copy) == ""


@pytest.mark.parametrize(("importer", "imported"), UPWARD.values(), ids=UPWARD)
def test_planted_upward_import_is_caught(copy: Path, importer: str, imported: str) -> None:
    """An import upwards, or in a circle of areas, breaks a contract, also one for types alone."""
    with (copy / "src" / "hubbub" / importer).open("a") as module:
        module.write(f"\nif TYPE_CHECKING:\n    import {imported}\n")

    assert "import" in broken_contracts(copy)


@pytest.fixture
def imports() -> ImportGraph:
    """Return all imports between modules, also those for types alone."""
    return build_graph("hubbub", exclude_type_checking_imports=False, cache_dir=None)


def find_circle(imports: ImportGraph) -> Sequence[str]:
    """Return modules each of which imports the next, and the last one the first; empty: none do."""
    direct = {each: imports.find_modules_directly_imported_by(each) for each in imports.modules}
    try:
        TopologicalSorter(direct).prepare()
    except CycleError as error:
        return [*reversed(error.args[1])]
    return []


def test_no_circle(imports: ImportGraph) -> None:
    """No module needs itself, by whatever way."""
    assert find_circle(imports) == []


def test_planted_circle_is_found(imports: ImportGraph) -> None:
    """A circle of imports is found, with the modules that are in it."""
    imports.add_import(importer="hubbub.storage.record_cache", imported="hubbub.storage.interface")

    circle = find_circle(imports)

    assert {"hubbub.storage.record_cache", "hubbub.storage.interface"} <= set(circle)
