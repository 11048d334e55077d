"""Exports that are asked for by REST: made by the node, downloaded by a link, deleted."""

import io
import zipfile

import pytest
from tests.moving.mover import group, message, user
from tests.moving.rest_app import RestApp

LONG_AGO = 1_700_000_000


@pytest.fixture(scope="module")
def filled(app: RestApp) -> RestApp:
    """The app with two people, a group and two messages."""
    lines = [
        *(user(uid, createdAt=LONG_AGO) for uid in ("anna", "ben")),
        group("walkers", "anna", createdAt=LONG_AGO),
        message("m1", "anna", "ben", sentAt=LONG_AGO),
        message("m2", "anna", "walkers", receiverType="group", sentAt=LONG_AGO + 9),
    ]
    assert app.end_of(app.import_lines(lines))["state"] == "done"
    return app


def test_an_export_is_downloaded_and_imported_again(filled: RestApp) -> None:
    """The file has the lines of the app; its link needs no key; the import reads it."""
    asked = filled.ask("POST", "/exports", json={})
    assert asked["state"] in {"waiting", "running"}
    done = filled.end_of(asked, "exports")

    assert done["state"] == "done", done
    assert done["report"]["kinds"]["message"] == 2
    content = filled.download(done["file"]["url"])
    assert len(content) == done["file"]["size"]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert b'"muid":"m2"' in archive.read("lines.jsonl")
    again = filled.end_of(filled.import_file("export.zip", content))
    assert again["report"]["kinds"]["message"]["skipped"] == 2
    assert done["id"] in [each["id"] for each in filled.ask("GET", "/exports")]


def test_a_deleted_export_can_not_be_downloaded(filled: RestApp) -> None:
    """With the export its file is gone, and its link leads to nothing."""
    order = {"group": "walkers", "since": LONG_AGO, "until": LONG_AGO + 10}
    done = filled.end_of(filled.ask("POST", "/exports", json=order), "exports")
    assert done["report"]["kinds"]["message"] == 1
    url = done["file"]["url"]
    filled.download(url.replace("signature=", "signature=0"), 404)

    filled.ask("DELETE", f"/exports/{done['id']}")

    filled.download(url, 404)
    filled.ask("GET", f"/exports/{done['id']}", 404)


@pytest.mark.parametrize(
    ("order", "status", "code"),
    [
        ({"user": "anna", "group": "walkers"}, 400, "ERR_BAD_REQUEST"),
        ({"user": "nobody"}, 404, "ERR_UID_NOT_FOUND"),
        ({"group": "nothing"}, 404, "ERR_GUID_NOT_FOUND"),
        ({"since": 10, "until": 10}, 400, "ERR_BAD_REQUEST"),
        ({"since": "yesterday"}, 400, "ERR_BAD_REQUEST"),
    ],
)
def test_a_bad_order_of_an_export_is_refused(
    filled: RestApp, order: dict[str, object], status: int, code: str
) -> None:
    """The refusal has its code, and nothing is begun."""
    before = len(filled.ask("GET", "/exports"))

    assert filled.ask("POST", "/exports", status, json=order)["code"] == code

    assert len(filled.ask("GET", "/exports")) == before


def test_an_app_has_at_most_twenty_exports(filled: RestApp) -> None:
    """Beyond the limit the next one is refused, until one is deleted."""
    while len(filled.ask("GET", "/exports")) < 20:
        filled.ask("POST", "/exports", json={})

    refused = filled.ask("POST", "/exports", 400, json={})

    assert refused["code"] == "ERR_LIMIT_EXCEEDED"
    for each in filled.ask("GET", "/exports"):
        filled.ask("DELETE", f"/exports/{each['id']}")
