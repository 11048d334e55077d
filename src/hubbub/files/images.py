"""Dimensions of images and videos, and thumbnails of images: measured by a separate program."""

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import msgspec
import structlog

from hubbub.files.sniff import FileType

log = structlog.get_logger()

PROGRAM = Path(__file__).with_name("measure.py")
TIMEOUT_SECONDS = 20
UNCONFINED = 77
"""The exit code of the program if it could not give up its rights; nobody imports the program."""
LARGEST_PIXELS = 250_000_000
"""Larger images get no thumbnail."""
KEPT_VARIABLES = ("LD_LIBRARY_PATH", "PATH")
"""The only environment variables that the program gets; others may hold secrets."""


@dataclass(frozen=True, slots=True)
class ThumbnailImage:
    """A small WebP version of an image."""

    width: int
    height: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Measurement:
    """The dimensions of an image or video, and a thumbnail, as far as they could be read."""

    width: int | None = None
    height: int | None = None
    thumbnail: ThumbnailImage | None = None

    @property
    def pixels(self) -> int:
        return (self.width or 0) * (self.height or 0)


def measure(
    file: BinaryIO, type_: FileType, *, program: Path = PROGRAM, seconds: float = TIMEOUT_SECONDS
) -> Measurement:
    """Measure the image or video in `file`; blocks until that is done.

    What can't be read is left out: the file may be broken, or exceed the limits of the program.
    """
    kind = "image" if type_.is_image else "video"
    command = [sys.executable, "-I", str(program), kind, str(LARGEST_PIXELS)]
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603  # our own program, without input of clients in its arguments
            command,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=kept,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as timeout:
        return _parse(timeout.stdout or b"")
    if done.returncode == UNCONFINED:
        _warn_once()
    return _parse(done.stdout)


@lru_cache(maxsize=1)
def _warn_once() -> None:
    reason = "Linux 5.13 or newer is needed, with Landlock, or a start by root"
    log.warning("pictures_not_confined", reason=reason)


def _parse(output: bytes) -> Measurement:
    """Parse the output of the program, which may have ended too early."""
    first, second, content = (*output.split(b"\n", 2), b"", b"")[:3]
    size, small = _parse_numbers(first), _parse_numbers(second)
    if len(size) != 2:
        return Measurement()
    if len(small) != 3 or len(content) != small[2]:
        return Measurement(size[0], size[1])
    return Measurement(size[0], size[1], ThumbnailImage(small[0], small[1], content))


def _parse_numbers(line: bytes) -> list[int]:
    try:
        return msgspec.json.decode(line, type=list[int])
    except msgspec.MsgspecError:
        return []
