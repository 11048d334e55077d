"""Measuring pictures and videos, and the harm that hostile ones can do."""

import io
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.files.uploads import bomb, picture
from tests.files.videos import MP4, WEBM

from hubbub.files.images import LARGEST_PIXELS, TIMEOUT_SECONDS, Measurement, measure
from hubbub.files.sniff import sniff

RED, BLUE = (255, 0, 0), (0, 0, 255)


def look(content: bytes, **options: Any) -> Measurement:
    """Measure a file with that content."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        return measure(file, sniff(content[:8192], "a"), **options)


def thumbnail_of(seen: Measurement) -> Image.Image:
    """Return the opened thumbnail; check its declared size."""
    assert seen.thumbnail is not None
    small = Image.open(io.BytesIO(seen.thumbnail.content))
    assert small.size == (seen.thumbnail.width, seen.thumbnail.height)
    return small


@pytest.mark.parametrize("format_", ["PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "TIFF"])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_a_picture_is_seen(format_: str, mode: str) -> None:
    """Every common kind of picture has a size and a thumbnail."""
    seen = look(picture(1000, 600, format_, mode=mode))

    assert (seen.width, seen.height) == (1000, 600)
    assert thumbnail_of(seen).size == (400, 240)


@pytest.mark.parametrize(
    ("format_", "mode"), [("JPEG", "CMYK"), ("PNG", "P"), ("PNG", "1"), ("PNG", "I;16")]
)
def test_a_picture_in_other_colours_is_seen(format_: str, mode: str) -> None:
    """Colours that a thumbnail cannot have are converted."""
    seen = look(picture(100, 60, format_, mode=mode))

    assert thumbnail_of(seen).size == (100, 60)


@pytest.mark.parametrize(("format_", "mode"), [("PNG", "RGBA"), ("PNG", "LA"), ("WEBP", "RGBA")])
def test_a_picture_stays_clear(format_: str, mode: str) -> None:
    """Transparency is kept."""
    small = thumbnail_of(look(picture(10, 10, format_, mode=mode)))

    assert small.mode == "RGBA"
    assert small.getpixel((5, 5))[3] == 0  # type: ignore[index]  # it has four colours


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_as_its_camera_was(orientation: int) -> None:
    """Size and thumbnail are those of the picture as displayed, and other metadata is removed."""
    upright = Image.new("RGB", (400, 200), RED)
    upright.paste(BLUE, (0, 0, 200, 100))
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "A camera"
    back = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}  # Pillow's constants for the reverse rotation
    turned = upright
    if orientation in back:
        turned = upright.transpose(Image.Transpose(back[orientation]))
    content = io.BytesIO()
    turned.save(content, "JPEG", exif=exif)
    seen = look(content.getvalue())

    assert (seen.width, seen.height) == (400, 200)
    small = thumbnail_of(seen)
    red, _, blue = small.getpixel((100, 50))  # type: ignore[misc]  # it has three colours
    assert blue > 200 > 50 > red
    assert not small.getexif()


@pytest.mark.parametrize("content", [MP4, WEBM])
def test_a_film_is_seen(content: bytes) -> None:
    """A video has a size."""
    assert look(content) == Measurement(64, 48)


@pytest.mark.parametrize(
    "content",
    [
        picture(10, 10)[:30],
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"GIF89a",
        b"\xff\xd8\xff\xe0" + bytes(100),
        MP4[:40],
        b"\x1a\x45\xdf\xa3\xff" * 100,
    ],
)
def test_a_broken_file_has_no_size(content: bytes) -> None:
    """A file that cannot be read has no size."""
    assert look(content) == Measurement()


def test_a_picture_without_its_end_has_a_size() -> None:
    """The size is at the beginning; without the rest there is no thumbnail."""
    assert look(picture(1000, 600, compress_level=0)[:5000]) == Measurement(1000, 600)


# Hostile files


@pytest.mark.parametrize(
    ("width", "height"), [(100_000, 100_000), (50_000, 5_001), (2**31 - 1, 2**31 - 1)]
)
def test_a_bomb_is_not_opened(width: int, height: int) -> None:
    """A file that declares a size over the limit is not opened."""
    started = time.monotonic()
    seen = look(bomb(width, height))

    assert (seen.width, seen.height, seen.thumbnail) == (width, height, None)
    assert seen.pixels > LARGEST_PIXELS
    assert time.monotonic() - started < TIMEOUT_SECONDS


def test_a_picture_may_take_some_memory_only() -> None:
    """A picture that would need too much memory has no thumbnail."""
    assert look(bomb(14_000, 14_000, is_whole=True)) == Measurement(14_000, 14_000)
    assert look(bomb(7_000, 7_000, is_whole=True)).thumbnail is not None


def test_the_program_may_take_some_time_only(tmp_path: Path) -> None:
    """A program that does not end is killed, and its output so far is used."""
    endless = tmp_path / "endless.py"
    endless.write_text("print('[1, 2]', flush=True)\nwhile True: pass\n")

    assert look(picture(1, 1), program=endless, seconds=1) == Measurement(1, 2)


@pytest.mark.parametrize("told", ["", "x", "[1]", "[1, 2, 3]", '"ab"', "[1, 2]\\n[1, 2, 9]\\nab"])
def test_the_program_is_not_trusted(tmp_path: Path, told: str) -> None:
    """Any output of the program is read with care."""
    strange = tmp_path / "strange.py"
    strange.write_text(f"print('{told}')")

    assert look(picture(1, 1), program=strange) in (Measurement(), Measurement(1, 2))


def test_the_program_knows_no_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program has neither the environment's secrets nor other open files."""
    prying = tmp_path / "prying.py"
    said = tmp_path / "said"
    prying.write_text(
        "import os\n"
        f"open({str(said)!r}, 'w').write(repr((dict(os.environ), os.listdir('/proc/self/fd'))))"
    )
    monkeypatch.setenv("HUBBUB_SECRET_KEY", "edelweiss")
    with said.open("w") as other:
        os.set_inheritable(other.fileno(), True)
        look(picture(1, 1), program=prying)

    environment, files = eval(said.read_text())
    assert "edelweiss" not in environment.values()
    assert len(files) == 5  # the three standard ones, the directory itself, and the one written to
