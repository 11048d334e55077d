"""`hubbub export --user`: all that is stored about a person, for them and for programs."""

import json
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.conftest import NewSettings
from tests.moving.conftest import Filled
from tests.moving.moves import export, import_, lines_in, make_app

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


class Page(HTMLParser):
    """The elements, links and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def annas(filled: Filled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Export what is stored about Anna."""
    target = tmp_path_factory.mktemp("person") / "anna"
    done = export(filled.settings, filled.app, target, "--user", "Anna")
    assert done.code == 0, done
    return target


def test_what_a_person_wrote_and_was_written(annas: Path) -> None:
    """There are their messages to all, and what they received alone; not what others said."""
    messages = [line for line in lines_in(annas) if line["type"] == "message"]
    texts = {line["data"].get("text") for line in messages if line.get("data")}

    assert {"One", "A reply", "Hello <@uid:ben> and <@all>", "The last one"} <= texts
    assert "From the app" in texts
    assert not {"Pinned", "I leave", "In the thread"} & texts
    assert all("anna" in (line["sender"], line["receiver"]) for line in messages)


def test_what_else_there_is_of_a_person(annas: Path) -> None:
    """Profile, relations and groups are lines; devices and the like are in further.json."""
    lines = lines_in(annas)
    further = json.loads((annas / "further.json").read_text())

    assert [line["uid"] for line in lines if line["type"] == "user"] == ["anna"]
    assert {line["guid"] for line in lines if line["type"] == "member"} == {"club", "team", "vault"}
    assert {line["friend"] for line in lines if line["type"] == "friend"} == {"ben", "cora"}
    assert [line["email"] for line in lines if line["type"] == "contact"] == ["anna@example.com"]
    assert [line["uid"] for line in lines if line["type"] == "receipt"] == ["anna"]
    assert len(further["authTokens"]) == 1


def test_no_secret_is_in_it(annas: Path) -> None:
    """Neither tokens nor hashes are, nor what other people keep about the person."""
    text = "".join(path.read_text() for path in annas.iterdir() if path.is_file())

    assert "sealed" not in text
    assert "$argon2" not in text
    assert "auth_hash" not in text


def test_the_page_shows_it_and_loads_nothing(annas: Path) -> None:
    """The page has the texts, and links only to files beside it."""
    page = Page((annas / "index.html").read_text())

    assert "The last one" in page.texts
    assert "Messages with ben" in page.texts
    assert "anna@example.com" in page.texts
    assert page.elements.isdisjoint({"script", "img", "iframe", "link", "form"})
    assert page.links == [
        str(path.relative_to(annas)).replace(" ", "%20")
        for path in (annas / "files").rglob("*")
        if path.is_file()
    ]


def test_submissions_and_reactions_are_theirs(filled: Filled, tmp_path: Path) -> None:
    """Forms that a person filled in are in further.json, and of reactions those that they gave."""
    done = export(filled.settings, filled.app, tmp_path / "ben", "--user", "ben")
    assert done.code == 0, done
    further = json.loads((tmp_path / "ben" / "further.json").read_text())
    lines = lines_in(tmp_path / "ben")

    assert further["submissions"][0]["formData"]["color"] == "red"
    assert {line["uid"] for line in lines if line["type"] == "reaction"} == {"ben"}
    assert [line["blocked"] for line in lines if line["type"] == "block"] == ["dora"]


def test_an_archive_has_the_page(filled: Filled, tmp_path: Path) -> None:
    """A `.zip` has the same documents."""
    done = export(filled.settings, filled.app, tmp_path / "anna.zip", "--user", "anna")
    assert done.code == 0, done

    with zipfile.ZipFile(tmp_path / "anna.zip") as archive:
        assert {"index.html", "further.json", "lines.jsonl"} <= set(archive.namelist())


def test_what_people_write_is_never_markup(new_settings: NewSettings, tmp_path: Path) -> None:
    """Names, texts, data and names of files that look like HTML are shown as they are."""
    settings = new_settings()
    app = make_app(settings, "hostile")
    source = tmp_path / "source"
    source.mkdir()
    (source / "a'\"<b>.txt").write_text("x")
    message = {"type": "message", "sender": "anna", "receiverType": "user", "receiver": "anna"}
    lines = [
        {"type": "user", "uid": "anna", "name": HOSTILE, "metadata": {HOSTILE: HOSTILE}},
        {**message, "muid": "1", "sentAt": 1, "data": {"text": HOSTILE, HOSTILE: HOSTILE}},
        {
            **message,
            "muid": "2",
            "sentAt": 2,
            "category": "custom",
            "messageType": HOSTILE,
            "data": {"customData": {"a": HOSTILE}, "attachments": HOSTILE},
        },
        {
            **message,
            "muid": "3",
            "sentAt": 3,
            "messageType": "file",
            "data": {
                "attachments": [
                    {"url": "file:a'\"<b>.txt", "name": HOSTILE},
                    {"url": 'https://example.com/"onclick=alert(1)'},
                ]
            },
        },
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (source / "lines.jsonl").write_text(text)
    made = import_(settings, app, source)
    assert made.code == 0, made
    done = export(settings, app, tmp_path / "anna", "--user", "anna")
    assert done.code == 0, done
    page = Page((tmp_path / "anna" / "index.html").read_text())

    assert HOSTILE in page.texts
    assert page.elements.isdisjoint({"script", "img", "b"})
    assert page.attributes.isdisjoint({"onerror", "onclick"})
    assert len(page.links) == 1
