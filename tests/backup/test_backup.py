"""`hubbub backup`, run by an operator while a node serves, and what a restored node answers."""

import json
import os
import pty
import shutil
import subprocess
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.backup.conftest import PUBLIC, TEXT, Original, restore, say
from tests.cli.command import LONGEST_SECONDS, hubbub, new_folder
from tests.files.uploads import fetch, files_in
from tests.live import HUBBUB, LiveNode, environment

from hubbub.backup.manifest import read_manifest
from hubbub.cli.backup import missing_files
from hubbub.config import Settings


async def test_everything_is_there_after_a_restore(original: Original, tmp_path: Path) -> None:
    """A node on the restored folder gives the same answers, and goes on from there."""
    paths = ("/users", "/messages", "/apikeys", "/settings")
    before = [await original.world.get(path) for path in paths]
    done = restore(original.backup, tmp_path / "new", "--key", str(original.key))

    assert done.code == 0, done
    assert "2 users, 0 groups, 22 messages, 2 files" in done.printed
    with LiveNode(Settings(data=tmp_path / "new"), **PUBLIC) as live:
        world = original.world_at(live)
        assert [await world.get(path) for path in paths] == before
        links = [link for message in before[1] for link in links_of(message)]
        contents = [(await fetch(live, link)).body for link in links]
        await say(world, "We are back")
        assert (await world.get("/messages?limit=1&affix=prepend"))[0]["id"] == "23"
        assert "First keys" not in live.output
    assert len(contents) == 3, "two files and a thumbnail"
    assert TEXT in contents
    assert all(contents)


async def test_ids_of_events_are_new_after_a_restore(original: Original, tmp_path: Path) -> None:
    """Events that follow a restore have ids that the original can't give to others."""
    asked = "SELECT epoch FROM counters WHERE app_id = ?"
    with apsw.Connection(str(original.backup / "hubbub.db"), apsw.SQLITE_OPEN_READONLY) as backup:
        epoch = backup.execute(asked, (original.world.app_id,)).get
    restore(original.backup, tmp_path / "new", "--key", str(original.key))

    with LiveNode(Settings(data=tmp_path / "new")) as live:
        world = original.world_at(live)
        webhook = {"id": "hook", "name": "Hook", "webhookURL": "https://hubbub.invalid/"}
        await world.post("/webhooks", webhook)
        await world.post("/webhooks/hook/triggers", {"triggerIds": ["message_sent"]})
        queued = await world.post("/webhooks/hook/test")

    assert int(queued["deliveries"][0]["id"].split("-")[0]) > epoch


def links_of(message: dict[str, Any]) -> list[str]:
    """Return the links to files and thumbnails in a message."""
    found = message["data"].get("attachments", [])
    thumbnails = [each["thumbnail"] for each in found if "thumbnail" in each]
    return [each["url"] for each in (*found, *thumbnails)]


def test_what_is_in_a_backup(original: Original) -> None:
    """The database is one file, and with the uploaded files it can be checked with sha256sum."""
    stored = {f"files/{path}" for path in files_in(original.data / "files")}

    assert stored, "there must be files"
    assert files_in(original.backup) == {"hubbub.db", "SHA256SUMS", "manifest.json", *stored}
    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=original.backup, check=False
    )
    assert checked.returncode == 0
    assert len((original.backup / "SHA256SUMS").read_text().splitlines()) == 1 + len(stored)


def test_a_backup_is_private(original: Original) -> None:
    """Only the owner can read a backup."""
    assert original.backup.stat().st_mode & 0o777 == 0o700
    for path in original.backup.rglob("*"):
        assert path.is_dir() or path.stat().st_mode & 0o777 == 0o600, path


def test_the_master_key_is_kept_apart(original: Original) -> None:
    """The command says that the master key is not in the backup, and where it is."""
    assert f"Keep a copy of {original.key} apart" in original.done.printed
    key = original.key.read_text().strip().encode()
    assert not any(key in path.read_bytes() for path in original.backup.rglob("*.*"))


def test_a_backup_with_the_master_key(original: Original, tmp_path: Path) -> None:
    """With --with-key the backup is enough to restore, and the command says what that means."""
    done = hubbub("backup", str(tmp_path / "all"), "--with-key", "--data", str(original.data))

    assert "whoever has the backup can open every secret" in done.printed
    assert restore(tmp_path / "all", tmp_path / "new").code == 0
    restored = tmp_path / "new" / "secret.key"
    assert restored.read_text() == original.key.read_text()
    assert restored.stat().st_mode & 0o777 == 0o600


def test_a_backup_without_a_node(folder: tuple[str, ...], tmp_path: Path) -> None:
    """A store that no node serves is backed up as well; --json prints the manifest."""
    done = hubbub("backup", str(tmp_path / "new" / "backup"), "--json", *folder)

    assert done.code == 0, done
    assert done.json["counts"] == dict.fromkeys(("apps", "users", "groups", "messages", "files"), 0)


@pytest.fixture
def folder(tmp_path: Path) -> tuple[str, ...]:
    """The option that names a data folder with an empty store."""
    return new_folder(tmp_path / "data")


def test_what_exists_is_not_touched(original: Original, tmp_path: Path) -> None:
    """A folder that exists is refused, even if it is empty."""
    sentence = hubbub("backup", str(tmp_path), "--data", str(original.data)).sentence

    assert sentence == f"{tmp_path} exists. Name a new folder for the backup."


def test_a_place_that_is_not_writable(original: Original) -> None:
    """A place where no folder can be made is named in a sentence."""
    done = hubbub("backup", "/proc/nope/b", "--data", str(original.data))

    assert done.sentence == "/proc/nope: No such file or directory."


def test_files_in_a_remote_store_are_not_in_it(folder: tuple[str, ...], tmp_path: Path) -> None:
    """The command says where the files are that it leaves out, without the secret for them."""
    address = "s3://hiking/chat?region=eu-central-1&secret_access_key=hush"
    done = hubbub("backup", str(tmp_path / "b"), *folder, HUBBUB_FILES_URL=address)

    assert "Not in it: the uploaded files, which are in s3://hiking/chat." in done.printed
    assert "hush" not in done.printed
    restored = restore(tmp_path / "b", tmp_path / "new", "--key", f"{folder[1]}/secret.key")
    assert "The backup has no uploaded files" in restored.printed


def test_a_file_that_is_a_link(original: Original, tmp_path: Path) -> None:
    """A link in the place of a file counts as missing: it may lead anywhere."""
    files = tmp_path / "files"
    shutil.copytree(original.data / "files", files)
    file = files / min(files_in(files))
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    wrong = ("--files", str(files), "--data", str(original.data))

    assert "missing or not whole" in hubbub("backup", str(tmp_path / "b"), *wrong).sentence
    assert hubbub("backup", str(tmp_path / "b"), "--skip-missing", *wrong).code == 0


def test_missing_files(original: Original, tmp_path: Path) -> None:
    """A file that a message holds must be there, unless the operator leaves out what is missing."""
    wrong = ("--files", str(tmp_path), "--data", str(original.data))
    sentence = hubbub("backup", str(tmp_path / "b"), *wrong).sentence

    assert "which is missing or not whole. Is --files right?" in sentence
    assert not list(tmp_path.iterdir())
    assert hubbub("backup", str(tmp_path / "b"), "--skip-missing", *wrong).code == 0
    assert not files_in(tmp_path / "b") - {"hubbub.db", "SHA256SUMS", "manifest.json"}


def test_what_is_missing_is_named_and_not_counted(original: Original, tmp_path: Path) -> None:
    """Of two files one is missing: one is counted, the other named, also by a restore."""
    files = tmp_path / "files"
    shutil.copytree(original.data / "files", files)
    plan = next(path for path in files_in(files) if (files / path).stat().st_size == len(TEXT))
    (files / plan).unlink()
    given = ("--skip-missing", "--files", str(files), "--data", str(original.data))

    done = hubbub("backup", str(tmp_path / "b"), *given)
    restored = restore(tmp_path / "b", tmp_path / "new", "--key", str(original.key))

    named = f"Not in it: files that messages hold, but that are missing (1):\n  {plan}\n"
    for printed in (done.printed, restored.printed):
        assert ", 1 file." in printed
        assert named in printed
    manifest = json.loads((tmp_path / "b/manifest.json").read_text())
    assert (manifest["counts"]["files"], manifest["missingFiles"]) == (1, [plan])
    assert "2 files." in original.done.printed


def test_many_missing_files_are_not_all_printed(original: Original) -> None:
    """Ten paths are printed at most, without control characters."""
    manifest = read_manifest(original.backup)
    manifest.missing_files = [f"a\x1b{number}" for number in range(12)]

    _, *paths, rest = missing_files(manifest)

    assert paths == [f"  a?{number}" for number in range(10)]
    assert rest == "  and 2 more, which manifest.json names"


def test_a_damaged_store_is_not_backed_up(folder: tuple[str, ...], tmp_path: Path) -> None:
    """A backup of a damaged database is not kept; the command says so."""
    damage(Path(folder[1]) / "hubbub.db")
    sentence = hubbub("backup", str(tmp_path / "b"), *folder).sentence

    assert "damaged" in sentence
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def damage(path: Path) -> None:
    """Overwrite the pages of an index."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    query = "SELECT rootpage FROM sqlite_schema WHERE name = 'users_bots'"
    page, size = connection.execute(query).get, connection.execute("PRAGMA page_size").get
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x7f" * size)


def test_no_store(tmp_path: Path) -> None:
    """A folder without a store is named; nothing is made."""
    sentence = hubbub("backup", str(tmp_path / "b"), "--data", str(tmp_path / "no")).sentence

    assert f"There is no Hubbub in {tmp_path / 'no'}." in sentence
    assert not list(tmp_path.iterdir())


def test_postgresql_has_its_own_tools(tmp_path: Path) -> None:
    """For PostgreSQL the command names pg_dump, and what belongs beside its dump."""
    url = "postgresql://hubbub:hush@localhost/hubbub"
    options = ("--data", str(tmp_path), "--database", url)
    sentence = hubbub("backup", str(tmp_path / "b"), *options).sentence

    assert "Back up PostgreSQL with pg_dump" in sentence
    assert "HUBBUB_SECRET_KEY" in sentence
    assert "hush" not in sentence
    restored = restore(tmp_path / "b", tmp_path / "new", HUBBUB_DATABASE_URL=url).sentence
    assert "pg_restore" in restored


def test_progress_on_a_terminal(original: Original, tmp_path: Path) -> None:
    """On a terminal a bar shows the steps; elsewhere nothing but the result is printed."""
    ours, theirs = pty.openpty()
    command = [*HUBBUB, "backup", str(tmp_path / "b"), "--data", str(original.data)]
    done = subprocess.run(
        command, stderr=theirs, env=environment(), timeout=LONGEST_SECONDS, check=True
    )
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)

    assert done.returncode == 0
    assert all(step in shown for step in ("database   [#", "files      [#", "check"))
    assert original.done.complained == ""
