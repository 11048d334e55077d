"""`hubbub backup --to`: many backups in one place, of which each adds what has changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.backup.conftest import Original, restore
from tests.backup.test_killed_backups import MOST_STEPS, is_killed
from tests.cli.command import Done, hubbub, new_folder
from tests.files.s3 import S3
from tests.files.uploads import files_in

from hubbub.config import Settings
from hubbub.files.places import LOCKS, PlaceInUse, open_place

ROWS = 40_000
COUNTED = "SELECT count(*), sum(length(content)) FROM filling"


class Store:
    """A store of some MB that no node serves, and a place for its backups."""

    def __init__(self, folder: Path) -> None:
        self.data, self.place = folder / "data", folder / "place"
        self.options = new_folder(self.data)
        with self._connection() as connection:
            connection.execute("CREATE TABLE filling (id INTEGER PRIMARY KEY, content)").fetchall()
        self.fill(ROWS)

    def _connection(self) -> apsw.Connection:
        return apsw.Connection(str(self.data / "hubbub.db"))

    def fill(self, rows: int) -> None:
        """Add rows of 200 random bytes."""
        with self._connection() as connection:
            values = ((None,) for _ in range(rows))
            insert = "INSERT INTO filling (id, content) VALUES (?, randomblob(200))"
            connection.executemany(insert, values).fetchall()

    def back_up(self, *options: str) -> Done:
        done = hubbub("backup", "--to", str(self.place), *options, *self.options)
        assert done.code == 0, done
        return done

    def backups(self) -> list[Any]:
        listed: list[Any] = hubbub("backup", "--to", str(self.place), "--list", "--json").json
        return listed

    def restored(self, into: Path, *options: str) -> tuple[Any, ...]:
        """Restore a backup; return what the table has there."""
        done = restore(self.place, into, "--key", f"{self.data}/secret.key", *options)
        assert done.code == 0, done
        return state_of(into)

    def state(self) -> tuple[Any, ...]:
        return state_of(self.data)


def state_of(data: Path) -> tuple[Any, ...]:
    """Return what the table of a store has."""
    connection = apsw.Connection(str(data / "hubbub.db"))
    found = tuple(connection.execute(COUNTED).fetchall())
    connection.close()
    return found


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum((folder / path).stat().st_size for path in files_in(folder))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store of about 9 MB."""
    return Store(tmp_path)


def test_only_changes_are_written(store: Store, tmp_path: Path) -> None:
    """After 1 % of changes a backup writes less than 5 %; each of three restores its own state."""
    states, sizes = [], []
    for rows in (ROWS // 100, ROWS // 100, 0):
        store.back_up()
        states.append(store.state())
        sizes.append(size_of(store.place))
        store.fill(rows)
    first, second, third = store.backups()

    assert sizes[0] > ROWS * 200
    assert sizes[1] - sizes[0] < sizes[0] * 0.05
    assert sizes[2] - sizes[1] < sizes[0] * 0.05
    assert len(set(states)) == 3
    assert store.restored(tmp_path / "1", "--id", first["id"]) == states[0]
    assert store.restored(tmp_path / "2", "--at", second["takenAt"]) == states[1]
    assert store.restored(tmp_path / "3") == states[2]
    assert third["takenAt"] > second["takenAt"]


def test_prune_keeps_what_others_need(store: Store, tmp_path: Path) -> None:
    """The oldest backups are removed with what only they had; those that are kept are restored."""
    store.back_up()
    with apsw.Connection(str(store.data / "hubbub.db")) as connection:
        connection.execute("UPDATE filling SET content = randomblob(200)").fetchall()
    for _ in range(2):
        store.back_up()
        store.fill(ROWS // 100)
    store.back_up()
    before = size_of(store.place)
    done = hubbub("backup", "--to", str(store.place), "--prune", "--keep", "1")

    assert "Removed 3 of 4 backups" in done.printed
    assert len(store.backups()) == 1
    assert size_of(store.place) < before * 0.6
    assert store.restored(tmp_path / "new") == store.state()
    store.fill(100)
    store.back_up()
    assert store.restored(tmp_path / "next") == store.state()


def test_damages_are_named(store: Store, tmp_path: Path) -> None:
    """A backup of which a pack, a map or a list is damaged or missing is refused by its name."""
    store.back_up()
    key = ("--key", f"{store.data}/secret.key")
    paths = [path for path in files_in(store.place) if path.endswith(("-000001", "/files"))]
    paths += [path for path in files_in(store.place) if path.startswith("maps/")]
    assert len(paths) == 3
    for path in paths:
        file = store.place / path
        content = file.read_bytes()
        flipped = bytearray(content)
        flipped[len(content) // 3] ^= 1
        file.write_bytes(flipped)
        assert path in restore(store.place, tmp_path / "new", *key).sentence
        file.unlink()
        assert f"{path} is missing" in restore(store.place, tmp_path / "new", *key).sentence
        file.write_bytes(content)

    assert files_in(tmp_path / "new") <= {"lock"}
    assert store.restored(tmp_path / "new") == store.state()


def test_a_lost_pack_is_written_again(store: Store, tmp_path: Path) -> None:
    """A backup does not build on a pack that is gone."""
    store.back_up()
    next((store.place / "packs").iterdir()).unlink()
    store.back_up()

    assert store.restored(tmp_path / "new") == store.state()


def test_files_are_copied_once(original: Original, tmp_path: Path) -> None:
    """Uploaded files are in the place once, private, and come back; a damaged one is named."""
    place, command = tmp_path / "place", ("--to", str(tmp_path / "place"))
    for _ in range(2):
        done = hubbub("backup", *command, "--with-key", "--data", str(original.data))
        assert done.code == 0, done
    stored = {path for path in files_in(place) if path.startswith("files/")}

    assert stored == {f"files/{path}" for path in files_in(original.data / "files")}
    assert "whoever has the backup can open every secret" in done.printed
    for path in place.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
    assert restore(place, tmp_path / "new").code == 0, "the key is in it"
    assert files_in(tmp_path / "new/files") == files_in(original.backup / "files")
    damaged = min(stored)
    (place / damaged).write_bytes((place / damaged).read_bytes()[::-1])
    assert damaged in restore(place, tmp_path / "other").sentence
    hubbub("backup", *command, "--prune", "--keep", "1")
    assert stored <= files_in(place)


def test_killed_at_any_step(original: Original, tmp_path: Path) -> None:
    """A killed backup is none; the next one succeeds, as do a killed prune and restore."""
    place, steps = tmp_path / "place", 0
    while is_killed("add", place, original.data, steps + 1):
        steps += 1
        assert steps < MOST_STEPS
        listed = hubbub("backup", "--to", str(place), "--list")
        assert listed.code == 1 or listed.printed.count("\n") == 1

    assert steps >= 5
    assert len(hubbub("backup", "--to", str(place), "--list", "--json").json) == 1
    is_killed("prune", place, original.data, 1)
    assert hubbub("backup", "--to", str(place), "--prune", "--keep", "1").code == 0
    assert is_killed("restore", place, tmp_path / "new", 2, str(original.key))
    assert restore(place, tmp_path / "new", "--key", str(original.key)).code == 0
    assert files_in(tmp_path / "new/files") == files_in(original.backup / "files")


def test_a_killed_backup_is_gone_on_with(store: Store, tmp_path: Path) -> None:
    """Pages that a killed backup has written are not written again."""
    store.back_up()
    for path in files_in(store.place):
        if path.startswith(("backups/", "maps/")):
            (store.place / path).unlink()
    before = size_of(store.place / "packs")
    store.back_up()

    assert size_of(store.place / "packs") < before * 1.05
    assert store.restored(tmp_path / "new") == store.state()


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    """A running S3."""
    with S3() as server:
        yield server


def test_a_place_in_a_bucket(store: Store, s3: S3, tmp_path: Path) -> None:
    """In S3 backups are added, listed, pruned and restored, and the secret is not printed."""
    to = ("--to", s3.address)
    states = []
    for _ in range(2):
        done = hubbub("backup", *to, *store.options)
        assert done.code == 0, done
        assert "secret" not in done.printed.replace("secret.key", "")
        states.append(store.state())
        store.fill(ROWS // 100)
    first, second = hubbub("backup", *to, "--list", "--json").json
    key = ("--key", f"{store.data}/secret.key")

    assert restore_from(s3, tmp_path / "1", "--id", first["id"], *key) == states[0]
    pruned = hubbub("backup", *to, "--prune", "--keep", "1", "--json").json
    assert (pruned["removed"], pruned["kept"]) == ([first["id"]], [second["id"]])
    assert restore_from(s3, tmp_path / "2", *key) == states[1]
    assert not [path for path in s3.objects() if LOCKS in path]


def restore_from(s3: S3, into: Path, *options: str) -> tuple[Any, ...]:
    """Restore from the bucket; return what the table has there."""
    done = hubbub("restore", s3.address, "--data", str(into), *options)
    assert done.code == 0, done
    return state_of(into)


@pytest.mark.parametrize("is_remote", [False, True])
def test_pruning_and_backups_exclude_each_other(store: Store, s3: S3, *, is_remote: bool) -> None:
    """Nothing is pruned beside a running backup, nor backed up while it is pruned."""
    address = s3.address.replace("/chat?", "/locked?") if is_remote else str(store.place)
    assert hubbub("backup", "--to", address, *store.options).code == 0
    place = open_place(address)

    with place.lock(alone=False):
        assert hubbub("backup", "--to", address, *store.options).code == 0
        pruned = hubbub("backup", "--to", address, "--prune", "--keep", "1")
    with place.lock(alone=True):
        added = hubbub("backup", "--to", address, *store.options)
        with pytest.raises(PlaceInUse), place.lock(alone=True):
            pass
    assert "Another backup runs in" in pruned.sentence
    assert "being pruned there" in added.sentence
    assert hubbub("backup", "--to", address, "--prune", "--keep", "1").code == 0


def test_what_is_refused(store: Store, tmp_path: Path) -> None:
    """A place with other things, none at all, and unknown ids or times are named."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/letter.txt").write_text("Dear Anna")
    store.back_up()
    data = Settings(data=tmp_path / "new").data

    home = hubbub("backup", "--to", str(tmp_path / "home"), *store.options).sentence
    assert "is not empty" in home
    assert files_in(tmp_path / "home") == {"letter.txt"}
    assert "There are no backups in" in hubbub("backup", "--to", str(data), "--list").sentence
    assert "no backup 'x'" in restore(store.place, data, "--id", "x").sentence
    old = restore(store.place, data, "--at", "2020-01-01").sentence
    assert "no complete backup as old as 2020-01-01" in old
    assert hubbub("backup", "--to", str(store.place), "--prune").code == 2
    assert hubbub("backup", str(data), "--to", str(store.place)).code == 2
    assert hubbub("backup", "--list").code == 2
