"""`hubbub export`: what is in it, what is not, and what is refused."""

import asyncio
import json
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import hubbub
from tests.live import LiveNode
from tests.moving.conftest import Filled
from tests.moving.everything import BEGINNING, PICTURE
from tests.moving.moves import export, import_, lines_in, make_app, run
from tests.postgres import free_port

from hubbub.config import Settings
from hubbub.moving.lines import KINDS

Lines = list[dict[str, Any]]


def of_kind(lines: Lines, kind: str) -> Lines:
    """Return the lines of a kind."""
    return [line for line in lines if line["type"] == kind]


def texts_of(lines: Lines) -> set[str]:
    """Return the texts of the messages."""
    return {line["data"]["text"] for line in lines if "text" in line.get("data", {})}


def test_lines_are_sorted(filled: Filled) -> None:
    """Lines stand by kind and key, messages by time, and the keys in them by name."""
    text = (filled.exported / "lines.jsonl").read_bytes()
    lines = lines_in(filled.exported)
    kinds = list(KINDS)

    places = [kinds.index(line["type"]) for line in lines]
    assert set(places) == set(range(len(kinds)))
    assert places == sorted(places)
    assert all(list(line) == sorted(line) for line in lines)
    users = [line["uid"] for line in of_kind(lines, "user")]
    assert users == sorted(users)
    times = [line["sentAt"] for line in of_kind(lines, "message")]
    assert times == sorted(times)
    assert text.endswith(b"}\n")
    assert b"\r" not in text


def test_what_was_erased_is_not_in_it(filled: Filled) -> None:
    """Neither messages deleted permanently are, nor a user, nor what they sent."""
    lines = lines_in(filled.exported)

    assert "erased" not in {line["uid"] for line in of_kind(lines, "user")}
    assert not {"Erased", "To be erased"} & texts_of(lines)
    assert "To what is erased then" in texts_of(lines)
    assert [line for line in lines if line.get("parentMuid") == "erased"] == []


def test_what_was_deleted_softly_is_in_it(filled: Filled) -> None:
    """A message and a user have the time of their deletion."""
    lines = lines_in(filled.exported)

    [message] = [line for line in of_kind(lines, "message") if "deletedAt" in line]
    assert message["data"]["text"] == "Deleted"
    assert [line["uid"] for line in of_kind(lines, "user") if "deletedAt" in line] == ["gone"]


def test_actions_are_in_it_and_notices_are_not(filled: Filled) -> None:
    """Actions on members are carried; notices of edits and deletions are only counted."""
    lines = lines_in(filled.exported)
    actions = [line for line in of_kind(lines, "message") if line["category"] == "action"]
    done = export(filled.settings, filled.app, filled.exported.with_name("counted"), "--json")

    assert {line["messageType"] for line in actions} == {"groupMember"}
    assert {"added", "joined", "left", "banned", "scopeChanged"} == {
        line["data"]["action"] for line in actions
    }
    assert done.json["dropped"]["notices of edits and deletions"] == 4
    assert done.json["dropped"]["submissions of forms"] == 1


def test_an_edited_attachment_keeps_its_file(filled: Filled) -> None:
    """A client that edits a message sends links back: the file is beside the lines all the same."""
    [message] = [
        line for line in of_kind(lines_in(filled.exported), "message") if "attachments" in str(line)
    ]
    [attachment] = message["data"]["attachments"]

    assert attachment["alt"] == "Green"
    path = attachment["url"].removeprefix("file:")
    assert (filled.exported / path).read_bytes() == PICTURE


def test_only_its_owner_may_read_it(filled: Filled) -> None:
    """All chats of an app are no business of other accounts of the machine."""
    modes = {
        stat.S_IMODE(path.stat().st_mode) & 0o077
        for path in (filled.exported, *filled.exported.rglob("*"))
    }

    assert modes == {0}


def test_an_archive_has_the_same(filled: Filled, tmp_path: Path) -> None:
    """A `.zip` has the same names and contents, and the same bytes each time."""
    targets = [tmp_path / "one.zip", tmp_path / "two.zip"]
    for target in targets:
        assert export(filled.settings, filled.app, target).code == 0

    with zipfile.ZipFile(targets[0]) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    files = [path for path in filled.exported.rglob("*") if path.is_file()]
    assert found == {str(path.relative_to(filled.exported)): path.read_bytes() for path in files}
    assert targets[0].read_bytes() == targets[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == targets


def test_times_bound_the_messages(filled: Filled, tmp_path: Path) -> None:
    """Messages from since on and before until are in it; reactions and positions are of these."""
    options = ("--since", str(BEGINNING + 183), "--until", "2023-11-14T22:16:38")
    done = export(filled.settings, filled.app, tmp_path / "some", *options)
    lines = lines_in(tmp_path / "some")

    assert done.code == 0, done
    times = [line["sentAt"] for line in of_kind(lines, "message")]
    assert (min(times), max(times)) == (BEGINNING + 183, BEGINNING + 189)
    assert {line["muid"] for line in of_kind(lines, "reaction")} == {"hubbub-30"}
    muids = {line["muid"] for line in of_kind(lines, "message")}
    assert {line["readUpTo"] for line in of_kind(lines, "receipt")} <= muids
    assert of_kind(lines, "receipt")
    assert len(of_kind(lines, "user")) == len(of_kind(lines_in(filled.exported), "user"))


def test_a_group_comes_with_its_people(filled: Filled, tmp_path: Path) -> None:
    """Of one group there are its members, messages, reactions, positions, and whom these name."""
    done = export(filled.settings, filled.app, tmp_path / "club", "--group", "Club")
    lines = lines_in(tmp_path / "club")

    assert done.code == 0, done
    assert [line["guid"] for line in of_kind(lines, "group")] == ["club"]
    assert {line["receiver"] for line in of_kind(lines, "message")} == {"club"}
    assert {line["uid"] for line in of_kind(lines, "user")} == {
        *("anna", "ben", "cora", "dora", "emil", "gone", "robo")
    }
    assert {line["guid"] for line in of_kind(lines, "member")} == {"club"}
    assert {line["receiver"] for line in of_kind(lines, "receipt")} == {"club"}
    assert len(of_kind(lines, "reaction")) == 3
    assert not of_kind(lines, "contact")


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_what_exists_is_not_overwritten(filled: Filled, tmp_path: Path, name: str) -> None:
    """A target that exists is refused as wrong usage, and stays as it is."""
    target = tmp_path / name
    target.write_text("Mine")
    done = export(filled.settings, filled.app, target)

    assert (done.code, done.printed) == (2, "")
    assert f"{target} exists" in done.complained
    assert target.read_text() == "Mine"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--since", "yesterday"), "neither seconds"),
        (("--user", "anna", "--group", "club"), "not both"),
        (("--user", "nobody"), "UID nobody does not exist"),
        (("--group", "nothing"), "nothing"),
    ],
)
def test_wrong_usage_says_why(
    filled: Filled, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    """Options that can't be followed end with 2, a reason, and nothing written."""
    done = export(filled.settings, filled.app, tmp_path / "out", *options)

    assert done.code == 2, done
    assert says in done.complained
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_app_is_refused(filled: Filled, tmp_path: Path) -> None:
    """An app that does not exist ends with 2."""
    done = export(filled.settings, "nothing", tmp_path / "out")

    assert done.code == 2, done
    assert list(tmp_path.iterdir()) == []


def test_without_a_store_nothing_is_made(tmp_path: Path) -> None:
    """Where there is no store, the command says so, and leaves nothing."""
    done = hubbub("export", "--app", "a", str(tmp_path / "out"), "--data", str(tmp_path / "data"))

    assert "There is no Hubbub" in done.sentence
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.unfinished").exists()


def test_a_database_that_is_away_ends_with_4(tmp_path: Path) -> None:
    """If PostgreSQL can't be reached, the exit code says that the same command may work later."""
    url = f"postgresql://postgres@127.0.0.1:{free_port()}/hubbub"
    folder = ("--data", str(tmp_path / "data"))
    done = run("export", "--app", "a", str(tmp_path / "out"), "--database", url, *folder)

    assert done.code == 4, done
    assert not (tmp_path / "out").exists()


def test_a_missing_file_is_told(filled: Filled, tmp_path: Path) -> None:
    """The export is made without it, names it, and ends with 1; its message can be imported."""
    away = ("--files", str(tmp_path / "elsewhere"))
    done = export(filled.settings, filled.app, tmp_path / "out", "--json", *away)
    lines = lines_in(tmp_path / "out")

    assert done.code == 1, done
    assert [path.rpartition("/")[2] for path in done.json["missing"]] == ["a hill.png"]
    assert not of_kind(lines, "file")
    assert "file:" not in (tmp_path / "out" / "lines.jsonl").read_text()
    again = import_(filled.settings, make_app(filled.settings, "again"), tmp_path / "out")
    assert again.code == 0, again


async def test_a_node_goes_on_meanwhile(tmp_path: Path) -> None:
    """Beside a node that serves, an export has all that was answered before it."""
    with LiveNode(Settings(data=tmp_path / "data")) as live:
        world = await live.world()
        await world.users("anna", "ben")
        for number in range(3):
            body = {"receiver": "ben", "receiverType": "user", "data": {"text": f"No. {number}"}}
            await world.post("/messages", body, as_="anna")
        settings = Settings(data=live.data)
        done = await asyncio.to_thread(export, settings, world.app_id, tmp_path / "out")
        await world.post("/messages", body, as_="anna")

        assert done.code == 0, done
        assert texts_of(lines_in(tmp_path / "out")) == {"No. 0", "No. 1", "No. 2"}


def test_a_report_for_programs(filled: Filled, tmp_path: Path) -> None:
    """With --json the counts of what was written are printed as one object."""
    done = export(filled.settings, filled.app, tmp_path / "out", "--json")

    assert done.code == 0, done
    counted: dict[str, int] = {}
    for line in lines_in(tmp_path / "out"):
        counted[line["type"]] = counted.get(line["type"], 0) + 1
    assert json.loads(done.printed)["kinds"] == counted
    assert done.json["bytes"] == len(PICTURE)
