"""Imports that are asked for by REST: run by the node, followed, cancelled."""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx2
import pytest
from tests.cli.command import check_made, hubbub, making, options_of
from tests.conftest import NewSettings
from tests.live import LiveNode
from tests.moving.mover import message, user

LONG_AGO = 1_700_000_000
PATIENCE_SECONDS = 120.0
PEOPLE = [user(uid, createdAt=LONG_AGO) for uid in ("anna", "ben")]
LINES = [*PEOPLE, message("m1", "anna", "ben", sentAt=LONG_AGO)]


class App:
    """The app `hikers` of a node, called over HTTP."""

    def __init__(self, node: LiveNode, key: str) -> None:
        self._client = httpx2.Client(
            base_url=f"{node.address}/v3", headers={"apikey": key}, trust_env=False, timeout=60
        )

    def close(self) -> None:
        self._client.close()

    def ask(self, method: str, path: str, status: int = 200, **content: Any) -> Any:
        answer = self._client.request(method, path, **content)
        assert answer.status_code == status, answer.text
        return answer.json()["data" if status == 200 else "error"]

    def import_lines(self, lines: list[Any], **fields: str) -> Any:
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        return self.ask(
            "POST", "/imports", files={"file": ("lines.jsonl", text.encode())}, data=fields
        )

    def end_of(self, run: Any) -> Any:
        """Return an import once it has ended."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while run["state"] in ("waiting", "running") and time.monotonic() < deadline:
            time.sleep(0.1)
            run = self.ask("GET", f"/imports/{run['id']}")
        return run


@pytest.fixture(scope="module")
def app(new_settings: NewSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app on a node in a process of its own."""
    settings = new_settings()
    key = check_made(hubbub(*making(), *options_of(settings)))
    with LiveNode(settings) as node, closing(App(node, key)) as app:
        yield app


def test_a_file_is_imported(app: App) -> None:
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


def test_a_rehearsal_stores_nothing(app: App) -> None:
    """With `dryRun`, the report comes, and the store stays as it is."""
    done = app.end_of(app.import_lines([user("dora", createdAt=LONG_AGO)], dryRun="true"))

    assert done["state"] == "done", done
    assert done["dryRun"]
    assert done["report"]["kinds"]["user"]["imported"] == 1
    app.ask("GET", "/users/dora", 404)


def test_a_source_that_can_not_be_read_fails(app: App) -> None:
    """An import fails with the reason if its source is unknown, or not to be reached."""
    picture = app.ask("POST", "/imports", files={"file": ("a.bin", b"\0\1\2")})
    fetched = app.ask("POST", "/imports", json={"url": "http://127.0.0.1:9/export.zip"})

    unknown, away = app.end_of(picture), app.end_of(fetched)

    assert (unknown["state"], away["state"]) == ("failed", "failed")
    assert "--from" in unknown["error"]
    assert "can't be connected to" in away["error"]


def test_an_import_can_be_cancelled(app: App) -> None:
    """An import ends where it is; what it has stored stays."""
    people = [user(f"u{number}", createdAt=LONG_AGO) for number in range(20_000)]
    asked = app.import_lines(people)

    cancelled = app.ask("DELETE", f"/imports/{asked['id']}")

    assert cancelled["state"] == "cancelled"
    assert app.end_of(app.import_lines(LINES))["state"] == "done"
    assert app.ask("GET", f"/imports/{asked['id']}")["state"] == "cancelled"
    assert app.ask("DELETE", f"/imports/{asked['id']}")["state"] == "cancelled"


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
def test_a_bad_order_is_refused(app: App, content: Any, field: str) -> None:
    """The field is named, and nothing is begun."""
    before = len(app.ask("GET", "/imports"))

    refused = app.ask("POST", "/imports", 400, **content)

    assert list(refused["details"]) == [field]
    assert len(app.ask("GET", "/imports")) == before


def test_an_import_of_another_app_is_not_found(app: App) -> None:
    """Ids lead to nothing but one's own imports."""
    assert app.ask("GET", "/imports/nothing", 404)["code"] == "ERR_IMPORT_NOT_FOUND"
