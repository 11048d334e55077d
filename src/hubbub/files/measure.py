"""The program that measures one image or video, and creates the thumbnail of an image.

It runs in its own process with little memory, little time and no secrets, so a malicious file can
harm nothing else. Before it reads, it gives up the right to open files: as another account if it is
started by root, and by Landlock, which Linux has since 5.13. It reads the file from its standard
input, writes a line of JSON with width and height, and for an image another one (width, height,
bytes) and the thumbnail. It imports nothing of Hubbub.
"""

import ctypes
import importlib
import io
import json
import os
import resource
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MEMORY_BYTES = 512 * 1024 * 1024
PROCESSOR_SECONDS = 5
LARGEST_EDGE = 400
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "ICO")
ORIENTATION = 0x0112
"""The EXIF tag for how an image must be rotated or mirrored."""
PLUGINS = ("Bmp", "Gif", "Jpeg", "Png", "WebP", "Tiff", "Ico", "Avif")
"""The modules of Pillow for these formats."""
LATE_MODULES = ("copy",)
"""Modules that Pillow imports only while it decodes."""
NOBODY = 65_534
UNCONFINED = 77
"""The exit code of the program if it could not give up its rights; it has measured all the same."""
_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
# Of linux/landlock.h and linux/prctl.h; the numbers of the calls are those of all architectures.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG, _PATH_BENEATH, _SET_NO_NEW_PRIVS = 1, 1, 38
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_RIGHTS_OF_FILES = {1: 13, 2: 14, 3: 15, 4: 15}
"""The number of rights about files that each version knows; later ones know 16."""
_RIGHTS_OF_NETWORK, _SCOPES = 3, 3
TURNS = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}
"""Its values as constants of Pillow's `Transpose`."""
PALETTES = ("1", "P", "PA")
"""Modes whose pixels are indexes, which can't be interpolated."""
SIDEWAYS = (2, 4, 5, 6)
"""The constants of `Transpose` that swap width and height."""


def main(kind: str, most_pixels: int) -> None:
    """Measure the file on the standard input, an `image` or a `video`."""
    os.nice(10)
    _limit(resource.RLIMIT_AS, MEMORY_BYTES)
    _limit(resource.RLIMIT_CPU, PROCESSOR_SECONDS)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _load_programs(kind)
    is_confined = confine()
    with open(0, "rb", closefd=False) as file:
        if kind == "video" or not _measure_image(file, most_pixels):
            file.seek(0)
            _measure_video(file)
    if not is_confined:
        sys.exit(UNCONFINED)


def _load_programs(kind: str) -> None:
    """Load what another account may not be allowed to read."""
    if kind == "video":
        importlib.import_module("pymediainfo").MediaInfo.can_parse()
        return
    for module in (*LATE_MODULES, *(f"PIL.{plugin}ImagePlugin" for plugin in PLUGINS)):
        importlib.import_module(module)


def confine() -> bool:
    """Give up the right to open files; return whether that was possible in one way at least."""
    is_nobody = os.geteuid() == 0 and _become_nobody()
    return _restrict_by_landlock() or is_nobody


def _become_nobody() -> bool:
    with suppress(OSError):  # a container may know no such account
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        return True
    return False


def _restrict_by_landlock() -> bool:
    """Allow reading the folders of Python and the system's libraries, and nothing else."""
    system = ctypes.CDLL(None)
    version = system.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    if version < 1:
        return False
    files = (1 << _RIGHTS_OF_FILES.get(version, 16)) - 1
    handled = struct.pack("=Q", files)
    if version >= 4:
        handled += struct.pack("=Q", _RIGHTS_OF_NETWORK)
    if version >= 6:
        handled += struct.pack("=Q", _SCOPES)
    rules = system.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    if rules < 0:
        return False
    for folder in _list_readable():
        with suppress(OSError):
            beneath = struct.pack("=Qi", _READ_FILE | _READ_FOLDER, os.open(folder, os.O_PATH))
            system.syscall(_ADD_RULE, rules, _PATH_BENEATH, beneath, 0)
    if system.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(system.syscall(_RESTRICT_SELF, rules, 0) == 0)


def _list_readable() -> Iterator[str]:
    yield from filter(os.path.isdir, sys.path)
    yield from _SYSTEM_LIBRARIES


def _limit(what: int, most: int) -> None:
    resource.setrlimit(what, (most, most))


def _measure_image(file: io.BufferedReader, most_pixels: int) -> bool:
    """Write an image's size and its thumbnail; return False if it can't be read."""
    from PIL import Image  # noqa: PLC0415  # not before the limits are set

    Image.MAX_IMAGE_PIXELS = None  # report the size of a large image instead of refusing it
    try:
        picture = Image.open(file, formats=FORMATS)
        # For a PNG, Pillow would have to decode all of it to find the EXIF data.
        exif = {} if picture.format == "PNG" else picture.getexif()
        turn = TURNS.get(exif.get(ORIENTATION, 1))
    except (OSError, SyntaxError, ValueError):
        return False
    width, height = picture.size
    _write_numbers(*((height, width) if turn in SIDEWAYS else (width, height)))
    if width * height <= most_pixels:
        small = _shrink(picture)
        _write_thumbnail(small if turn is None else small.transpose(Image.Transpose(turn)))
    return True


def _shrink(picture: "Picture") -> "Picture":
    """Return a small copy of an image in a mode that WebP supports."""
    colours = "RGBA" if "A" in picture.mode or "transparency" in picture.info else "RGB"
    if picture.mode in PALETTES:
        picture = picture.convert(colours)
    picture.thumbnail((LARGEST_EDGE, LARGEST_EDGE))
    picture = picture.convert(colours)
    picture.info.clear()  # metadata, such as where it was taken
    return picture


def _write_thumbnail(small: "Picture") -> None:
    content = io.BytesIO()
    small.save(content, "WEBP", quality=80)
    _write_numbers(*small.size, content.tell())
    sys.stdout.buffer.write(content.getvalue())


def _measure_video(file: io.BufferedReader) -> None:
    from pymediainfo import MediaInfo  # noqa: PLC0415  # not before the limits are set

    for track in MediaInfo.parse(file).tracks:
        if track.width and track.height:
            is_turned = round(float(track.rotation or 0)) % 180 == 90
            size = (track.height, track.width) if is_turned else (track.width, track.height)
            _write_numbers(*size)
            return


def _write_numbers(*numbers: int) -> None:
    print(json.dumps(numbers), flush=True)  # noqa: T201  # the parent process reads it


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
