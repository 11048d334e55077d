"""Exports and imports as commands, run in this process, and what they wrote.

A process for each command would take ten times as long; `tests/cli` has those that test processes.
"""

import json
import re
from pathlib import Path
from typing import Any

from tests.cli.command import Done, options_of
from typer.testing import CliRunner

from hubbub.cli import make_command_line
from hubbub.cli.columns import printable
from hubbub.cli.expected import EXPECTED, exit_code
from hubbub.config import Settings

_FILE_ID = re.compile(r"files/[0-9a-f]{32}/")


def run(*arguments: str) -> Done:
    """Run a command to its end; not on the thread of an event loop."""
    line = make_command_line([arguments[0]])
    done = CliRunner().invoke(line, list(arguments), env={"COLUMNS": "200"})
    if isinstance(done.exception, EXPECTED):  # what `hubbub.cli.main` makes of it
        said = f"{done.stderr}hubbub: {printable(str(done.exception))}\n"
        return Done(exit_code(done.exception), done.stdout, said)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


def export(settings: Settings, app: str, target: Path, *options: str) -> Done:
    """Export an app of a store, or a part of it."""
    return run("export", "--app", app, str(target), *options, *options_of(settings))


def import_(settings: Settings, app: str, source: Path, *options: str) -> Done:
    """Import what an export wrote into an app."""
    return run("import", str(source), "--app", app, "--json", *options, *options_of(settings))


def make_app(settings: Settings, app: str) -> str:
    """Make an empty app in a store, and return its id."""
    done = run("app", "create", "--id", app, *options_of(settings))
    assert done.code == 0, done
    return app


def lines_in(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of an export in a folder."""
    return [json.loads(line) for line in (folder / "lines.jsonl").read_text().splitlines()]


def without_file_ids(folder: Path) -> str:
    """Return the lines of an export, with numbers in place of the ids that an import makes."""
    text = (folder / "lines.jsonl").read_text()
    names: dict[str, str] = {}
    body, _, _ = text.partition('{"path":')
    for found in _FILE_ID.findall(body):
        names.setdefault(found, f"files/{len(names)}/")
    return _FILE_ID.sub(lambda found: names.get(found[0], "files/?/"), body)


def contents_of(folder: Path) -> list[tuple[str, bytes]]:
    """Return the files of an export: their names and contents, without their ids."""
    paths = [path for path in (folder / "files").rglob("*") if path.is_file()]
    return sorted((path.name, path.read_bytes()) for path in paths)
