"""`hubbub erase`: nothing of a person is left, and the report says what was."""

import asyncio
import json
from pathlib import Path

from tests.cli.command import hubbub, options_of
from tests.conftest import NewSettings
from tests.live import LiveNode
from tests.moving.everything import fill
from tests.moving.moves import export, lines_in, run

from hubbub.config import Settings


def test_nothing_of_a_person_is_left(new_settings: NewSettings, tmp_path: Path) -> None:
    """Their rows are removed and counted; an export names them only where others do."""
    settings = new_settings()
    app = asyncio.run(fill(settings))
    target = tmp_path / "report.json"
    done = run("erase", "--app", app, "Anna", "--report", str(target), *options_of(settings))
    assert done.code == 0, done
    report = json.loads(target.read_text())
    exported = export(settings, app, tmp_path / "after")
    assert exported.code == 0, exported
    lines = lines_in(tmp_path / "after")

    assert (report["uid"], report["isComplete"], report["left"]) == ("anna", True, {})
    assert report["removed"]["user"] == 1
    assert report["removed"]["files of these messages"] == 2
    assert report["removed"]["contact details"] == 1
    assert report["removed"]["friends"] == 2
    assert report["removed"]["messages in conversations of two"] > 10
    assert not [line for line in lines if line.get("uid") == "anna"]
    assert not [line for line in lines if "anna" in (line.get("sender"), line.get("receiver"))]
    files = settings.data / "files"
    assert not [path for path in files.rglob("*") if path.is_file()]
    where = {each["where"] for each in report["remains"]}
    backup = "pg_dump" if settings.database_url else "hubbub backup"
    assert f"folders or files of {backup}" in where
    assert max(each["until"] for each in report["remains"] if each["until"][0] == "2") >= "2026"


def test_who_does_not_exist_is_not_erased(new_settings: NewSettings) -> None:
    """An unknown uid is an error that says so, and a second erasure is one, too."""
    settings = new_settings()
    app = json.loads(run("app", "create", "--id", "a", "--json", *options_of(settings)).printed)
    done = hubbub("erase", "--app", app["id"], "nobody", *options_of(settings))

    assert "The user with UID nobody does not exist." in done.sentence


async def test_it_works_beside_a_node(tmp_path: Path) -> None:
    """The node that has the store open erases, and goes on to serve."""
    with LiveNode(Settings(data=tmp_path / "data")) as live:
        world = await live.world()
        await world.users("anna", "ben")
        body = {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}}
        await world.post("/messages", body, as_="anna")
        command = ("erase", "--app", world.app_id, "anna", "--json", "--data", str(live.data))
        done = await asyncio.to_thread(run, *command)

        assert done.code == 0, done
        assert done.json["removed"]["messages in conversations of two"] == 1
        assert await world.get("/messages") == []
        assert await world.uids("/users") == ["ben"]
