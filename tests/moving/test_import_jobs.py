"""Imports that are asked for by REST: run by the node, followed, cancelled."""

from contextlib import closing
from typing import Any

import pytest
from tests.cli.command import check_made, hubbub, making
from tests.moving.mover import message, user
from tests.moving.rest_app import RestApp

LONG_AGO = 1_700_000_000
PEOPLE = [user(uid, createdAt=LONG_AGO) for uid in ("anna", "ben")]
LINES = [*PEOPLE, message("m1", "anna", "ben", sentAt=LONG_AGO)]


def test_a_file_is_imported(app: RestApp) -> None:
    """The import ends by itself, with the report of the command, and its refused rows."""
    bad = message("m2", "cora", "ben", sentAt=LONG_AGO)

    asked = app.import_lines([*LINES, bad])
    assert asked["state"] in {"waiting", "running"}
    assert asked["source"] == "lines.jsonl"
    done = app.end_of(asked)

    assert done["state"] == "done", done
    assert done["from"] == "lines"
    assert done["progress"] == {"read": 4, "total": 4}
    assert done["report"]["kinds"]["message"]["imported"] == 1
    assert done["report"]["comparison"]["kinds"]["message"] == {"source": 2, "store": 1}
    [refused] = app.ask("GET", f"/imports/{done['id']}/refused")
    assert (refused["line"], refused["row"]["muid"]) == (4, "m2")
    assert "ERR_UID_NOT_FOUND" in refused["error"]
    assert app.ask("GET", f"/imports/{done['id']}/refused?after={refused['place']}") == []
    assert done["id"] in [each["id"] for each in app.ask("GET", "/imports")]


def test_a_rehearsal_stores_nothing(app: RestApp) -> None:
    """With `dryRun`, the report comes, and the store stays as it is."""
    done = app.end_of(app.import_lines([user("dora", createdAt=LONG_AGO)], dryRun="true"))

    assert done["state"] == "done", done
    assert done["dryRun"]
    assert done["report"]["kinds"]["user"]["imported"] == 1
    app.ask("GET", "/users/dora", 404)


def test_what_is_done_with_stored_rows_can_be_said_in_a_form(app: RestApp) -> None:
    """With `onConflict` beside the file, what differs is replaced."""
    named = [user("eva", createdAt=LONG_AGO), user("eva", name="Eva Falk", createdAt=LONG_AGO)]
    assert app.end_of(app.import_lines(named[:1]))["state"] == "done"

    done = app.end_of(app.import_lines(named[1:], onConflict="update"))

    assert done["report"]["kinds"]["user"]["updated"] == 1
    assert app.ask("GET", "/users/eva")["name"] == "Eva Falk"


def test_a_source_that_can_not_be_read_fails(app: RestApp) -> None:
    """An import fails with the reason if its source is unknown, or not to be reached."""
    picture = app.ask("POST", "/imports", files={"file": ("a.bin", b"\0\1\2")})
    fetched = app.ask("POST", "/imports", json={"url": "http://127.0.0.1:9/export.zip"})

    unknown, away = app.end_of(picture), app.end_of(fetched)

    assert (unknown["state"], away["state"]) == ("failed", "failed")
    assert "--from" in unknown["error"]
    assert "can't be connected to" in away["error"]


def test_an_import_can_be_cancelled(app: RestApp) -> None:
    """An import ends where it is; what it has stored stays."""
    people = [user(f"u{number}", createdAt=LONG_AGO) for number in range(20_000)]
    asked = app.import_lines(people)

    cancelled = app.ask("DELETE", f"/imports/{asked['id']}")

    assert cancelled["state"] == "cancelled"
    assert app.end_of(app.import_lines(LINES))["state"] == "done"
    assert app.ask("GET", f"/imports/{asked['id']}")["state"] == "cancelled"
    assert app.ask("DELETE", f"/imports/{asked['id']}")["state"] == "cancelled"


def test_apps_take_turns(app: RestApp) -> None:
    """An app with one import does not wait for all that another app has asked for before."""
    key = check_made(hubbub(*making("birds"), "--data", str(app.folder)), "birds")
    mine = [app.import_lines(LINES) for _ in range(4)]
    with closing(RestApp(app.node, key, app.folder)) as other:
        theirs = other.end_of(other.import_lines(LINES))
        assert theirs["state"] == "done", theirs
    assert app.ask("GET", f"/imports/{mine[-1]['id']}")["state"] == "waiting"
    assert [app.end_of(run)["state"] for run in mine] == ["done"] * 4


def test_nothing_of_an_import_stays(app: RestApp) -> None:
    """Done, failed, cancelled at work or before: no source and no staged rows are left on disk."""
    failing = app.ask("POST", "/imports", files={"file": ("...", b"\0\1\2")})
    people = [user(f"v{number}", createdAt=LONG_AGO) for number in range(5_000)]
    runs = [app.import_lines(people) for _ in range(3)]
    for run in runs[1:]:
        app.ask("DELETE", f"/imports/{run['id']}")

    ended = [app.end_of(run)["state"] for run in (failing, *runs)]
    app.end_of(app.import_lines(LINES))

    assert ended == ["failed", "done", "cancelled", "cancelled"]
    ids = [run["id"] for run in (failing, *runs)]
    names = [path.name for path in app.folder.rglob("*")]
    assert [name for name in names if any(id_ in name for id_ in ids)] == []


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({"json": {}}, "url"),
        ({"json": {"url": "ftp://example.org/a.zip"}}, "url"),
        ({"json": {"url": "https://example.org/a.zip", "onConflict": "fight"}}, "onConflict"),
        ({"json": {"url": "https://example.org/a.zip", "dryRun": "yes"}}, "dryRun"),
        ({"files": [("file", ("a", b"1")), ("file", ("b", b"2"))]}, "url"),
    ],
)
def test_a_bad_order_is_refused(app: RestApp, content: Any, field: str) -> None:
    """The field is named, and nothing is begun."""
    before = len(app.ask("GET", "/imports"))

    refused = app.ask("POST", "/imports", 400, **content)

    assert list(refused["details"]) == [field]
    assert len(app.ask("GET", "/imports")) == before


def test_an_import_of_another_app_is_not_found(app: RestApp) -> None:
    """Ids lead to nothing but one's own imports."""
    assert app.ask("GET", "/imports/nothing", 404)["code"] == "ERR_IMPORT_NOT_FOUND"
