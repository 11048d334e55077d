"""What `hubbub restore` refuses: everything but a whole backup, a right key, an empty folder."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.backup.conftest import Original, restore, why_refused
from tests.cli.command import hubbub, new_folder
from tests.files.uploads import files_in

from hubbub.backup.manifest import digest_of


def edit_manifest(backup: Path, **changes: object) -> None:
    """Change the description of a backup."""
    path = backup / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def flip_byte(path: Path) -> None:
    """Change a byte in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def add_line(backup: Path, line: str) -> None:
    """Add a line to the checksums, as somebody would who also changes the manifest."""
    path = backup / "SHA256SUMS"
    path.write_text(path.read_text() + line + "\n")
    edit_manifest(backup, checksums=digest_of(path))


def a_file(backup: Path) -> Path:
    """Return one of the uploaded files of a backup."""
    return next(path for path in (backup / "files").rglob("*") if path.is_file())


def put_link(backup: Path) -> None:
    """Replace a file by a link to a secret one with the same content."""
    path = a_file(backup)
    path.rename(backup.parent / "elsewhere")
    path.symlink_to(backup.parent / "elsewhere")


OUTSIDE = f"{'0' * 64}  files/../../../stolen"
DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no manifest": (lambda backup: (backup / "manifest.json").unlink(), "no complete backup"),
    "no JSON": (lambda backup: (backup / "manifest.json").write_text("{"), "is damaged"),
    "nested deeply": (
        lambda backup: (backup / "manifest.json").write_text('{"x":' + "[" * 200_000),
        "is damaged",
    ),
    "not UTF-8": (lambda backup: (backup / "manifest.json").write_bytes(b"\xff"), "is damaged"),
    "another format": (lambda backup: edit_manifest(backup, format=9), "has the format 9"),
    "a newer schema": (
        lambda backup: edit_manifest(backup, schemaVersion=999),
        "A newer Hubbub made the backup",
    ),
    "no checksums": (lambda backup: (backup / "SHA256SUMS").unlink(), "its checksum is wrong"),
    "other checksums": (lambda backup: flip_byte(backup / "SHA256SUMS"), "checksum is wrong"),
    "a changed database": (
        lambda backup: flip_byte(backup / "hubbub.db"),
        "hubbub.db has another checksum",
    ),
    "a changed file": (lambda backup: flip_byte(a_file(backup)), "has another checksum"),
    "no database": (lambda backup: (backup / "hubbub.db").unlink(), "hubbub.db is missing"),
    "no file": (lambda backup: a_file(backup).unlink(), "is missing"),
    "a link": (put_link, "is missing"),
    "a path that leads outside": (lambda backup: add_line(backup, OUTSIDE), "is not valid"),
    "an absolute path": (lambda backup: add_line(backup, f"{'0' * 64}  /etc/x"), "is not valid"),
    "nonsense": (lambda backup: add_line(backup, "\0" * 9), "is not valid"),
}


@pytest.mark.parametrize("damaged", DAMAGES)
def test_a_damaged_backup(original: Original, backup: Path, tmp_path: Path, damaged: str) -> None:
    """A backup that is not whole is refused in a sentence, and nothing of it is left behind."""
    damage, said = DAMAGES[damaged]
    damage(backup)

    sentence = why_refused(backup, tmp_path / "new", original.key)
    assert said in sentence
    assert "\n" not in sentence
    assert not (tmp_path / "stolen").exists()
    assert files_in(tmp_path / "new") <= {"lock"}


def test_no_backup(original: Original, tmp_path: Path) -> None:
    """A folder that is no backup is refused: an empty one, none at all, or a data folder."""
    for folder in (tmp_path, tmp_path / "no", original.data):
        sentence = why_refused(folder, tmp_path / "new", original.key)
        assert f"There is no complete backup in {folder}" in sentence


def test_nothing_is_restored_over_a_store(original: Original, tmp_path: Path) -> None:
    """A folder with a store, or with anything else, is refused and stays as it is."""
    other = new_folder(tmp_path / "data")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("Dear Anna")
    key = ("--key", str(original.key))

    for folder in (Path(other[1]), tmp_path / "home", original.data):
        # The node of the original still writes into its database.
        before = {
            path: (folder / path).read_bytes()
            for path in files_in(folder)
            if folder != original.data or not str(path).startswith("hubbub.db")
        }
        assert before
        assert "is not empty" in restore(original.backup, folder, *key).sentence
        assert {path: (folder / path).read_bytes() for path in before} == before


def test_a_manifest_does_not_move_the_cursor(
    original: Original, backup: Path, tmp_path: Path
) -> None:
    """Print what a backup says about itself without control characters."""
    edit_manifest(backup, takenAt="\x1b[2Jlong ago")
    done = restore(backup, tmp_path / "new", "--key", str(original.key))

    assert "as of ?[2Jlong ago" in done.printed


@pytest.mark.parametrize("changes", [{"format": 2}, {"schemaVersion": 10**6}])
def test_a_refused_manifest_does_not_move_the_cursor(
    original: Original, backup: Path, tmp_path: Path, changes: dict[str, int]
) -> None:
    """Errors print the version that a backup names without control characters, in one line."""
    edit_manifest(backup, hubbub="9\x1b[2J\n\u202e9", **changes)
    done = restore(backup, tmp_path / "new", "--key", str(original.key))

    assert "9?[2J??9" in done.sentence


def test_a_prepared_folder_is_not_used(original: Original, tmp_path: Path) -> None:
    """A link, or a folder with other things, in the place for unfinished work is left alone."""
    (tmp_path / "letters").mkdir()
    letter = tmp_path / "letters" / "letter.txt"
    letter.write_text("Dear Anna")
    (tmp_path / "linked.unfinished").symlink_to(tmp_path / "letters")
    (tmp_path / "letters").rename(tmp_path / "held.unfinished")
    (tmp_path / "letters").symlink_to(tmp_path / "held.unfinished")
    (tmp_path / "new").mkdir(mode=0o700)
    (tmp_path / "new" / "restoring").symlink_to(tmp_path / "letters")

    refusals = [
        *(
            hubbub("backup", str(tmp_path / name), "--data", str(original.data)).sentence
            for name in ("linked", "held")
        ),
        restore(original.backup, tmp_path / "new", "--key", str(original.key)).sentence,
    ]

    assert all("is not what an interrupted command left" in each for each in refusals), refusals
    assert (tmp_path / "held.unfinished" / "letter.txt").read_text() == "Dear Anna"


def test_a_folder_in_use(original: Original, tmp_path: Path) -> None:
    """A folder that a node has just taken is refused, although there is nothing in it yet."""
    from hubbub.admin.lock import FolderLock

    with FolderLock(tmp_path / "new"):
        done = restore(original.backup, tmp_path / "new", "--key", str(original.key))

    assert done.sentence == f"Another Hubbub runs on the data folder {tmp_path / 'new'}."


def test_the_master_key_is_needed(original: Original, tmp_path: Path) -> None:
    """Without the master key, or with another one, nothing is restored."""
    other = new_folder(tmp_path / "other")[1] + "/secret.key"
    (tmp_path / "text").write_text("no key")
    new = tmp_path / "new"

    assert "name its file with --key" in restore(original.backup, new).sentence
    assert not new.exists()
    assert "another master key" in restore(original.backup, new, "--key", other).sentence
    wrong = restore(original.backup, new, "--key", str(tmp_path / "text"))
    assert "must be 32 bytes" in wrong.sentence
    missing = restore(original.backup, new, "--key", str(tmp_path / "no")).sentence
    assert missing == f"There is no file {tmp_path / 'no'} with the master key."
    assert files_in(new) <= {"lock"}


def test_where_the_master_key_may_be(original: Original, tmp_path: Path) -> None:
    """The key may be in the data folder already, or in the environment, where it then stays."""
    key = original.key.read_text()
    placed, named = tmp_path / "placed", tmp_path / "named"
    placed.mkdir()
    (placed / "secret.key").write_text(key)

    assert restore(original.backup, placed).code == 0
    assert restore(original.backup, named, HUBBUB_SECRET_KEY=key).code == 0
    assert not (named / "secret.key").exists()
    listed = [
        hubbub("app", "list", "--data", str(placed)),
        hubbub("app", "list", "--data", str(named), HUBBUB_SECRET_KEY=key),
    ]
    assert all(original.world.key in done.printed for done in listed)


def test_the_place_of_files(original: Original, tmp_path: Path) -> None:
    """If the settings name another place for files, the operator is told to move them."""
    key = ("--key", str(original.key))
    done = restore(original.backup, tmp_path / "new", *key, HUBBUB_FILES_URL="/srv/files")

    assert f"The uploaded files are in {tmp_path / 'new' / 'files'}" in done.printed
