"""Backups and restores that are killed at any step: a half one is never taken for a whole one."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.backup.conftest import Original, restore, why_refused
from tests.cli.command import LONGEST_SECONDS, hubbub, make_store
from tests.files.uploads import files_in
from tests.live import HUBBUB, environment

from hubbub.config import BadSetting, Settings

KILLED_AT = """
import os, signal, sys
from pathlib import Path
from hubbub.backup.make import back_up
from hubbub.backup.repository.add import add_backup
from hubbub.backup.repository.layout import choose_backup, open_repository
from hubbub.backup.repository.prune import prune
from hubbub.backup.repository.source import RepositorySource
from hubbub.backup.restore import FolderSource, RestoreOrder, restore
from hubbub.backup.snapshot import BackupOrder
from hubbub.config import Settings
from hubbub.files.places import open_place
from hubbub.kernel.clock import SystemClock

verb, backup, data, left = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])

def progress(step, done, total):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

settings = Settings(data=data)
order = BackupOrder(settings, SystemClock(), progress)
if verb == "backup":
    back_up(order, backup)
elif verb == "add":
    add_backup(order, open_place(str(backup)))
elif verb == "prune":
    prune(open_place(str(backup)), 1, progress)
else:
    if (backup / "repository.json").exists():
        opened = open_repository(open_place(str(backup)))
        source = RepositorySource(opened, choose_backup(opened, None, None))
    else:
        source = FolderSource(backup)
    restore(RestoreOrder(source, settings, progress, Path(sys.argv[5])))
"""
MOST_STEPS = 50


def is_killed(verb: str, backup: Path, data: Path, step: int, *more: str) -> bool:
    """Run a backup or restore that is killed at a step; return False if it has ended before."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT, verb, str(backup), str(data), str(step), *more],
        env=environment(),
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode != 0


def test_a_backup_that_is_killed(original: Original, tmp_path: Path) -> None:
    """A killed backup leaves nothing that can be restored; the next one to its place succeeds."""
    backup, steps = tmp_path / "b", 0
    while is_killed("backup", backup, original.data, steps + 1):
        steps += 1
        assert steps < MOST_STEPS
        assert not backup.exists()
        for left in tmp_path.iterdir():
            assert "no complete backup" in why_refused(left, tmp_path / "new", original.key)

    assert steps >= 5, "it must have been killed in the database, at each file, at the check"
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert files_in(backup) == files_in(original.backup)
    assert restore(backup, tmp_path / "new", "--key", str(original.key)).code == 0


def test_a_restore_that_is_killed(original: Original, tmp_path: Path) -> None:
    """After a killed restore no node starts a new store; the next restore succeeds."""
    data, key = tmp_path / "data", str(original.key)
    steps = 0
    while is_killed("restore", original.backup, data, steps + 1, key):
        steps += 1
        assert steps < MOST_STEPS
        with pytest.raises(BadSetting, match="Run hubbub restore again"):
            make_store(Settings(data=data))

    assert steps == 4, "it must have been killed at the database and at each file"
    assert original.world.key in hubbub("app", "list", "--data", str(data)).printed
    assert files_in(data / "files") == files_in(original.backup / "files")


def test_two_backups_at_once(original: Original, tmp_path: Path) -> None:
    """While a backup is being written, another one to the same place is refused."""
    from hubbub.backup.folder import new_folder

    with new_folder(tmp_path / "b"):
        done = hubbub("backup", str(tmp_path / "b"), "--data", str(original.data))

    assert "Another backup is being written" in done.sentence
    assert (tmp_path / "b").is_dir()


def test_a_disk_that_is_full(original: Original, tmp_path: Path) -> None:
    """A backup or restore that can't be written says so in a sentence, and leaves nothing."""
    backup = limited("backup", str(tmp_path / "b"), "--data", str(original.data))
    into = ("--data", str(tmp_path / "new"), "--key", str(original.key))
    restored = limited("restore", str(original.backup), *into)

    for done in (backup, restored):
        assert done.returncode == 1
        assert done.stderr.startswith("hubbub: ")
        assert done.stderr.count("\n") == 1
    assert "hubbub.db can't be read or copied" in backup.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert files_in(tmp_path / "new") == {"lock"}


def limited(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command that can't write files of more than 100 KiB."""
    return subprocess.run(
        ["bash", "-c", 'ulimit -f 100; exec "$@"', "-", *HUBBUB, *arguments],
        env=environment(),
        timeout=LONGEST_SECONDS,
        capture_output=True,
        text=True,
        check=False,
    )
