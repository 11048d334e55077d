"""Folders that are written under another name until they are complete."""

import fcntl
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".unfinished"


class TargetTaken(Exception):
    """What is to be made can't be made there; the message says why."""


@contextmanager
def unfinished_folder(target: Path, parts: Collection[str], *, what: str) -> Iterator[Path]:
    """Make a folder beside `target` for the block to write into, which moves it there at its end.

    If the block fails, nothing is left; if the process is killed, a folder with another name. The
    next call empties one that holds nothing but `parts`. `what` is made, such as a backup.

    Raises:
        TargetTaken: `target` exists, or another process makes it.
    """
    if target.exists() or target.is_symlink():
        raise TargetTaken(f"{target} exists. Name a new folder for the {what}.")
    folder = target.with_name(target.name + UNFINISHED)
    prepare_folder(folder, parts)
    with _locked(folder, what):
        empty_folder(folder)  # what was killed has left it
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def prepare_folder(folder: Path, parts: Collection[str]) -> None:
    """Make a folder for its owner only, unless an earlier command has left it.

    Raises:
        TargetTaken: it is a link, another account's, or holds something other than `parts`.
    """
    if not folder.is_symlink():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    is_own = not folder.is_symlink() and folder.stat().st_uid == os.getuid()
    if not is_own or {path.name for path in folder.iterdir()} - {*parts}:
        raise TargetTaken(f"{folder} is not what an interrupted command left: move it away.")
    folder.chmod(0o700)


def empty_folder(folder: Path) -> None:
    """Delete everything in a folder."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextmanager
def _locked(folder: Path, what: str) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise TargetTaken(f"Another {what} is being written to {folder}.") from None
    finally:
        os.close(descriptor)
