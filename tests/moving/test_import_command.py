"""`hubbub import` as operators call it: beside a node or not, with its exit codes and files."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command import Done, make_store, options_of
from tests.conftest import NewSettings
from tests.live import HUBBUB, LiveNode, environment
from tests.moving.mover import message, user
from tests.moving.moves import make_app, run
from tests.world import Json

from hubbub.config import Settings


@pytest.fixture
def store(new_settings: NewSettings) -> Settings:
    """A store with the app `hikers`."""
    settings = new_settings()
    make_store(settings)
    make_app(settings, "hikers")
    return settings


@pytest.fixture(params=["alone", "served"])
def used(request: pytest.FixtureRequest, store: Settings) -> Iterator[Settings]:
    """A store that nobody else has open, or a node."""
    if request.param == "alone":
        yield store
        return
    with LiveNode(store):
        yield store


def write(path: Path, *lines: Json | str) -> Path:
    """Write lines into a file."""
    texts = (each if isinstance(each, str) else json.dumps(each) for each in lines)
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def moving(settings: Settings, *arguments: str | Path) -> Done:
    """Import into the app `hikers`."""
    given = map(str, arguments)
    return run("import", *given, "--app", "hikers", *options_of(settings))


LONG_AGO = 1_700_000_000
PEOPLE = (user("anna", createdAt=LONG_AGO), user("ben", createdAt=LONG_AGO))
LINES = (*PEOPLE, message("m1", "anna", "ben", sentAt=LONG_AGO))


def test_an_import_prints_what_became_of_the_rows(used: Settings, tmp_path: Path) -> None:
    """Beside a node or alone: counts, checksums, and exit code 0 if the store has everything."""
    done = moving(used, write(tmp_path / "a.jsonl", *LINES))

    assert done.code == 0, done
    assert "The store has all that the source has." in done.printed
    assert ["message", "1", "1", "0", "0", "0"] in [
        line.split() for line in done.printed.splitlines()
    ]
    again = moving(used, tmp_path / "a.jsonl", "--json")
    assert again.code == 0, again
    assert again.json["kinds"]["message"]["skipped"] == 1
    listed = moving(used, "--list")
    assert listed.printed.count("done") == 2
    assert moving(used, tmp_path / "a.jsonl", "--verify").code == 0


def test_refused_rows_are_written_and_fed_in_again(store: Settings, tmp_path: Path) -> None:
    """Exit code 1, a file of refused rows with reasons, and a report as a page."""
    source = write(tmp_path / "a.jsonl", *LINES, message("m2", "cora", "ben", sentAt=LONG_AGO), "{")
    done = moving(
        store,
        source,
        "--refused",
        tmp_path / "refused.jsonl",
        "--report",
        tmp_path / "report.html",
    )

    assert done.code == 1, done
    assert "a.jsonl, line 4: ERR_UID_NOT_FOUND" in done.printed
    refused = [json.loads(line) for line in (tmp_path / "refused.jsonl").read_text().splitlines()]
    assert [(row["source"], row["line"]) for row in refused] == [("a.jsonl", 5), ("a.jsonl", 4)]
    assert "ERR_UID_NOT_FOUND" in refused[1]["error"]
    assert "2 rows of the source are not in the store" in (tmp_path / "report.html").read_text()
    again = moving(store, tmp_path / "refused.jsonl", "--json")
    assert (again.code, again.json["origin"]) == (1, "lines"), again
    write(tmp_path / "refused.jsonl", refused[1])
    assert moving(store, write(tmp_path / "b.jsonl", user("cora", createdAt=LONG_AGO))).code == 0
    assert moving(store, tmp_path / "refused.jsonl").code == 0


def test_standard_input_is_a_source(store: Settings) -> None:
    """With - lines come from a pipe."""
    done = subprocess.run(
        [*HUBBUB, "import", "-", "--app", "hikers", *options_of(store), "--json"],
        input="".join(f"{json.dumps(line)}\n" for line in LINES).encode(),
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done
    assert json.loads(done.stdout)["kinds"]["user"]["imported"] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("no/such.zip",), 3, "no/such.zip"),
        (("a.jsonl", "--from", "smoke"), 2, "it must be one of"),
        (("a.jsonl", "--on-conflict", "fight"), 2, "skip, update or error"),
        (("a.jsonl", "--timezone", "Mars/Base"), 2, "there is no zone"),
        ((), 2, "name a file"),
        (("picture.bin",), 3, "no system that is known here"),
    ],
)
def test_wrong_use_says_what_to_do(
    store: Settings, tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    """Exit code 2 for wrong options, 3 for a source that can't be read; one clear sentence."""
    write(tmp_path / "a.jsonl", *LINES)
    (tmp_path / "picture.bin").write_bytes(b"\0\1\2")
    named = [str(tmp_path / each) if "." in each else each for each in arguments]

    done = moving(store, *named)

    assert done.code == code, done
    assert said in done.complained.replace("\n", " "), done
    assert "Traceback" not in done.complained


def test_an_unknown_app_is_refused(store: Settings, tmp_path: Path) -> None:
    """Nothing is imported into an app that does not exist."""
    source = write(tmp_path / "a.jsonl", *LINES)
    done = run("import", str(source), "--app", "climbers", *options_of(store))

    assert done.code == 1, done
    assert "climbers" in done.complained


def test_a_dry_run_reports_and_stores_nothing(used: Settings, tmp_path: Path) -> None:
    """The report is that of an import, also about rows that name what is stored already."""
    assert moving(used, write(tmp_path / "people.jsonl", *PEOPLE)).code == 0
    source = write(
        tmp_path / "a.jsonl",
        user("ben", name="Benedict", createdAt=LONG_AGO),
        message("m1", "anna", "ben", sentAt=LONG_AGO),
        message("m2", "cora", "ben", sentAt=LONG_AGO),
        message("m3", "ben", "anna", sentAt=LONG_AGO, parentMuid="m1", parentSender="anna"),
        message("m4", "ben", "anna", sentAt=LONG_AGO, quotedMuid="m3"),
        {"type": "reaction", "muid": "m1", "sender": "anna", "uid": "ben", "reaction": "👍"},
    )

    rehearsed = moving(used, source, "--dry-run", "--json")
    imported = moving(used, source, "--json")

    assert rehearsed.code == imported.code == 1
    said = [
        {name: done.json[name] for name in ("kinds", "dropped", "comparison")}
        for done in (rehearsed, imported)
    ]
    assert said[0] == said[1]
    assert imported.json["kinds"]["message"]["imported"] == 3
    assert imported.json["kinds"]["user"]["refused"] == 1


def test_a_refused_row_may_be_of_any_size(used: Settings, tmp_path: Path) -> None:
    """Also beside a node, to which as much of it goes as is kept; the other rows are imported."""
    rows = {"anna": {"uid": "anna", "name": "Anna"}, "ben": {"uid": "ben", "name": "x" * 5_000_000}}
    source = tmp_path / "users.json"
    source.write_text(json.dumps({"users": rows}))

    done = moving(used, source, "--json")

    assert done.code == 1, done
    counts = done.json["kinds"]["user"]
    assert (counts["imported"], counts["refused"]) == (1, 1)


def test_refused_rows_of_several_sources_are_in_one_file(store: Settings, tmp_path: Path) -> None:
    """Those of the first source stay when the second one is imported; what was there before not."""
    bad = write(tmp_path / "a.jsonl", user("anna"), "{")
    worse = write(tmp_path / "b.jsonl", user("ben"), "[")
    kept = write(tmp_path / "refused.jsonl", "what was there")

    assert moving(store, bad, worse, "--refused", kept).code == 1

    assert [json.loads(line)["source"] for line in kept.read_text().splitlines()] == [
        "a.jsonl",
        "b.jsonl",
    ]


@pytest.mark.parametrize("option", ["--refused", "--report"])
def test_a_file_that_can_not_be_written_is_said_before(
    store: Settings, tmp_path: Path, option: str
) -> None:
    """Nothing is imported if there is no folder for what it writes."""
    done = moving(store, write(tmp_path / "a.jsonl", *LINES), option, tmp_path / "no" / "a.json")

    assert done.code == 2, done
    assert "no file can be written" in done.complained.replace("\n", " ")
    assert "done" not in moving(store, "--list").printed


def test_a_rehearsal_leaves_nothing_behind(store: Settings, tmp_path: Path) -> None:
    """Neither staged rows nor the store that it was in, however it ends."""
    assert moving(store, write(tmp_path / "a.jsonl", *LINES), "--dry-run").code == 0
    empty = write(tmp_path / "b.json", "{}")
    assert moving(store, empty, "--from", "slack", "--dry-run").code == 3

    assert list((store.data / "imports").iterdir()) == []
