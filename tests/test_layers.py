"""The import contracts of `pyproject.toml` hold, and catch an import that points upwards."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UPWARD = {
    "records to domain": ("records/users/store.py", "hubbub.domain.users.create"),
    "machinery to operations": ("http/app.py", "hubbub.rest.operations"),
    "domain to machinery": ("domain/messages/send.py", "hubbub.http.call"),
    "area to a higher area of the domain": ("domain/members/add.py", "hubbub.domain.groups.create"),
    "area to a higher area of records": ("records/users/store.py", "hubbub.records.groups.store"),
    "group to a higher group of operations": ("rest/people/users.py", "hubbub.rest.groups.groups"),
    "store to the log's consumer": ("storage/interface.py", "hubbub.outbox.log"),
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
    """An import of a higher layer or area breaks a contract."""
    with (copy / "src" / "hubbub" / importer).open("a") as module:
        module.write(f"\nimport {imported}\n")

    assert "import downwards BROKEN" in broken_contracts(copy)
