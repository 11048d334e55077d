"""The program that looks at one picture or film: its size, and a picture's thumbnail.

It runs in a process of its own with little memory, little time and no secrets, so that what was
made to overwhelm whoever opens it overwhelms nobody else. The file is its standard input; it
writes a line of JSON, and for a picture another one and the thumbnail. It knows nothing of ours.
"""

import io
import json
import os
import resource
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MEMORY_BYTES = 512 * 1024 * 1024
PROCESSOR_SECONDS = 5
LARGEST_EDGE = 400
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "ICO")
ORIENTATION = 0x0112
"""The tag of EXIF that says how a picture is to be turned."""
TURNS = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}
"""Pillow's words for its values."""
PALETTES = ("1", "P", "PA")
"""Modes whose numbers are no colours that could be mixed."""
SIDEWAYS = (2, 4, 5, 6)
"""Those of Pillow's words that make the width the height."""


def main(kind: str, most_pixels: int) -> None:
    """Look at the file that is the standard input, an `image` or a `video`."""
    os.nice(10)
    _limit(resource.RLIMIT_AS, MEMORY_BYTES)
    _limit(resource.RLIMIT_CPU, PROCESSOR_SECONDS)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    with open(0, "rb", closefd=False) as file:
        if kind == "video" or not _look_at_picture(file, most_pixels):
            file.seek(0)
            _look_at_film(file)


def _limit(what: int, most: int) -> None:
    resource.setrlimit(what, (most, most))


def _look_at_picture(file: io.BufferedReader, most_pixels: int) -> bool:
    """Tell a picture's size and make its thumbnail; false when it can't be read."""
    from PIL import Image  # noqa: PLC0415  # not before the limits hold

    Image.MAX_IMAGE_PIXELS = None  # what is too large is told, not guessed
    try:
        picture = Image.open(file, formats=FORMATS)
        # Of a PNG it would be known only after all of it is in memory.
        exif = {} if picture.format == "PNG" else picture.getexif()
        turn = TURNS.get(exif.get(ORIENTATION, 1))
    except (OSError, SyntaxError, ValueError):
        return False
    width, height = picture.size
    _tell(*((height, width) if turn in SIDEWAYS else (width, height)))
    if width * height <= most_pixels:
        small = _shrunk(picture)
        _tell_thumbnail(small if turn is None else small.transpose(Image.Transpose(turn)))
    return True


def _shrunk(picture: "Picture") -> "Picture":
    """The picture, small, in colours that WebP has."""
    colours = "RGBA" if "A" in picture.mode or "transparency" in picture.info else "RGB"
    if picture.mode in PALETTES:
        picture = picture.convert(colours)
    picture.thumbnail((LARGEST_EDGE, LARGEST_EDGE))
    picture = picture.convert(colours)
    picture.info.clear()  # where it was taken, and with what
    return picture


def _tell_thumbnail(small: "Picture") -> None:
    content = io.BytesIO()
    small.save(content, "WEBP", quality=80)
    _tell(*small.size, content.tell())
    sys.stdout.buffer.write(content.getvalue())


def _look_at_film(file: io.BufferedReader) -> None:
    from pymediainfo import MediaInfo  # noqa: PLC0415  # within the limits

    for track in MediaInfo.parse(file).tracks:
        if track.width and track.height:
            is_turned = round(float(track.rotation or 0)) % 180 == 90
            _tell(*((track.height, track.width) if is_turned else (track.width, track.height)))
            return


def _tell(*numbers: int) -> None:
    print(json.dumps(numbers), flush=True)  # noqa: T201  # it is read by who started us


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
