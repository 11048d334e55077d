"""The commands of docs/guides/moving-in.md, run as they are shown."""

import json
import zipfile
from pathlib import Path

from tests.cli.command import check_made, hubbub, making, new_folder
from tests.documents.blocks import take
from tests.documents.shell import run
from tests.live import LiveNode

from hubbub.config import Settings

GUIDE = "docs/guides/moving-in.md"
COMMANDS = take(GUIDE, "## Try it")
LINES = take(GUIDE, "## Lines", "json")
BY_REST = take(GUIDE, "## By REST")


def make_store(folder: Path) -> tuple[Settings, str]:
    """Return a store with the app `demo` in a folder, and its key."""
    options = new_folder(folder / "hubbub-data")
    key = check_made(hubbub(*making("demo"), *options), "demo")
    return Settings(data=folder / "hubbub-data"), key


def test_a_rehearsal_an_import_and_a_comparison(tmp_path: Path) -> None:
    """The lines of the guide are imported as an archive, with the file that they name."""
    make_store(tmp_path)
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("lines.jsonl", LINES)
        archive.writestr("maps/route.txt", "Over the hill")

    printed = run(COMMANDS, tmp_path)

    assert "Nothing was stored" in printed
    assert printed.count("The store has all that the source has.") == 2
    assert (tmp_path / "refused.jsonl").read_text() == ""
    assert "Over" not in (tmp_path / "report.html").read_text()


def test_an_import_by_rest(tmp_path: Path) -> None:
    """The call of the guide begins an import."""
    settings, key = make_store(tmp_path)
    (tmp_path / "lines.jsonl").write_text(LINES)
    with LiveNode(settings) as node:
        call = BY_REST.replace("http://127.0.0.1:8080", node.address)
        answered = json.loads(run(call, tmp_path, {"KEY": key}))

    assert answered["data"]["state"] in {"waiting", "running"}
