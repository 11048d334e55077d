"""How large pictures and films are, and the thumbnails of pictures: asked of a small program."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from hubbub.files.sniff import FileType

PROGRAM = Path(__file__).with_name("measure.py")
PATIENCE_SECONDS = 20
LARGEST_PIXELS = 250_000_000
"""Of what has more no thumbnail is tried."""
PASSED_ON = ("LD_LIBRARY_PATH", "PATH")
"""All of the environment that the program gets: secrets stand in other variables."""


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small WebP of a picture."""

    width: int
    height: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Look:
    """What could be seen of a picture or a film."""

    width: int | None = None
    height: int | None = None
    thumbnail: Thumbnail | None = None

    @property
    def pixels(self) -> int:
        return (self.width or 0) * (self.height or 0)


def look_at(file: BinaryIO, type_: FileType) -> Look:
    """See how large the picture or film in `file` is; blocks until that is known.

    What can't be seen, because the file is broken or more than the program may bear, is left out.
    """
    kind = "image" if type_.is_image else "video"
    command = [sys.executable, "-I", str(PROGRAM), kind, str(LARGEST_PIXELS)]
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603  # our own program, with nothing of the client's
            command,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=kept,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return _read(late.stdout or b"")
    return _read(done.stdout)


def _read(told: bytes) -> Look:
    """What the program told until it ended, perhaps too early."""
    first, second, content = (*told.split(b"\n", 2), b"", b"")[:3]
    size, small = _numbers(first), _numbers(second)
    if len(size) != 2:
        return Look()
    if len(small) != 3 or len(content) != small[2]:
        return Look(size[0], size[1])
    return Look(size[0], size[1], Thumbnail(small[0], small[1], content))


def _numbers(line: bytes) -> list[int]:
    try:
        return msgspec.json.decode(line, type=list[int])
    except msgspec.MsgspecError:
        return []
