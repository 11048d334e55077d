"""Types of files by content, and safe names."""

import io
import zipfile

import pytest
from tests.files.uploads import picture
from tests.files.videos import MP4, WEBM

from hubbub.files.names import extension_of, safe_name
from hubbub.files.sniff import INLINE_TYPES, sniff


def box(brand: bytes) -> bytes:
    """Return the beginning of a file of the MP4 family."""
    return b"\0\0\0\x20ftyp" + brand + b"\0\0\2\0isomiso2avc1mp41\0\0\0\x08free"


def archive(*names: str) -> bytes:
    """Return a zip with files of these names."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as written:
        for name in names:
            written.writestr(name, "x")
    return content.getvalue()


DOCUMENT = archive("[Content_Types].xml", "word/document.xml")
OGG = b"OggS\0\2" + bytes(20) + b"\x01\x13OpusHead"
ID3 = b"ID3\3\0\0\0\0\0\x21" + bytes(33) + b"\xff\xfb\x90\x64"


@pytest.mark.parametrize(
    ("head", "name", "mime_type", "extension"),
    [
        (picture(1, 1, "PNG"), "a", "image/png", "png"),
        (picture(1, 1, "JPEG"), "a", "image/jpeg", "jpg"),
        (picture(1, 1, "JPEG"), "a.jpeg", "image/jpeg", "jpg"),
        (picture(1, 1, "GIF"), "a", "image/gif", "gif"),
        (picture(1, 1, "WEBP"), "a.wav", "image/webp", "webp"),
        (picture(1, 1, "BMP"), "a", "image/bmp", "bmp"),
        (picture(1, 1, "TIFF"), "a", "image/tiff", "tiff"),
        (picture(64, 64, "AVIF"), "a", "image/avif", "avif"),
        (MP4, "a", "video/mp4", "mp4"),
        (WEBM, "a", "video/webm", "webm"),
        (box(b"qt  "), "a", "video/quicktime", "mov"),
        (box(b"M4A "), "a", "audio/mp4", "m4a"),
        (box(b"heic"), "a", "image/heic", "heic"),
        (box(b"dash"), "a.mov", "video/mp4", "mp4"),
        (box(b"3gp5"), "a", "video/3gpp", "3gp"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "a", "audio/wav", "wav"),
        (b"RIFF\x24\0\0\0AVI LIST", "a", "video/x-msvideo", "avi"),
        (ID3, "a", "audio/mpeg", "mp3"),
        (b"\xff\xfb\x90\x64" + bytes(400), "a", "audio/mpeg", "mp3"),
        (b"fLaC\0\0\0\x22", "a", "audio/flac", "flac"),
        (OGG, "a", "audio/ogg", "ogg"),
        (OGG, "a.ogv", "video/ogg", "ogv"),
        (b"#!AMR\n", "a", "audio/amr", "amr"),
        (b"%PDF-1.7\n", "a", "application/pdf", "pdf"),
        (archive("a.txt"), "a.txt", "application/zip", "zip"),
        (DOCUMENT, "a.zip", "application/zip", "zip"),
        (b"7z\xbc\xaf\x27\x1c", "a", "application/x-7z-compressed", "7z"),
        (b"MZ\x90\0\3\0\0\0\4\0\0\0\xff\xff", "a.png", "application/x-msdownload", "exe"),
        (b"\x7fELF\2\1\1\0", "a.png", "application/octet-stream", "png"),
        (b"<svg onload='x'/>", "a.png", "image/svg+xml", "svg"),
        (b"\xef\xbb\xbf <?xml?><!--x--><!DOCTYPE svg PUBLIC><s:svg/>", "a", "image/svg+xml", "svg"),
        (b"\n<HTML>", "a.txt", "text/html", "html"),
        (b"<?xml version='1.0'?><a/>", "a.txt", "application/xml", "xml"),
        ("<html>".encode("utf-16"), "a", "text/html", "html"),
        (b"# Title\n<b>x</b>", "a.md", "text/markdown", "md"),
        (b'{"a": 1}', "a.json", "application/json", "json"),
        ("é".encode() * 4096, "a.log", "text/plain", "log"),
        (b"x" + "é".encode() * 4096, "a", "text/plain", "txt"),
        (b"caf\xe9", "a.txt", "application/octet-stream", "txt"),
        (b"a\0b", "a.txt", "application/octet-stream", "txt"),
        (b"", "a.png", "application/octet-stream", "png"),
        (b"BMW is a car", "a.txt", "text/plain", "txt"),
        (b"GIF89a<?php exit() ?>", "a.gif", "text/plain", "gif"),
        (b"ID3 hello", "a.mp3", "text/plain", "mp3"),
    ],
)
def test_a_type_is_that_of_the_bytes(
    head: bytes, name: str, mime_type: str, extension: str
) -> None:
    """The first bytes decide the type; the name only where they are ambiguous."""
    found = sniff(head[:8192], name)

    assert (found.mime_type, found.extension) == (mime_type, extension)


def test_a_document_is_a_zip_of_that_name() -> None:
    """A zip with a document's name is a document."""
    assert sniff(DOCUMENT, "a.docx").mime_type.endswith("wordprocessingml.document")
    assert sniff(b"Hello", "a.docx").mime_type == "text/plain"


def test_nothing_that_is_shown_can_hold_a_script() -> None:
    """Browsers display images, sounds and videos only, and no vector graphics."""
    assert {each.partition("/")[0] for each in INLINE_TYPES} == {"image", "audio", "video"}
    assert not [each for each in INLINE_TYPES if "xml" in each]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a.txt", "a.txt"),
        ("a\0b\r\nc.txt", "abc.txt"),
        ("a\u200bb\u2066c.txt", "abc.txt"),
        ("a\u00a0b\u3000c", "a b c"),
        ("e\u0301.txt", "\u00e9.txt"),
        ("  .. a . ", "a"),
        ("/", "file"),
        ("a/", "file"),
        ("\\\\server\\share\\a.txt", "a.txt"),
        ("é" * 300, "é" * 100),
        ("x" * 300 + "." + "y" * 20, "x" * 200),
    ],
)
def test_a_name_is_harmless(given: str, name: str) -> None:
    """Folders, invisible characters and excess length are removed from a name."""
    assert safe_name(given) == name


def test_an_extension_is_a_word() -> None:
    """The extension is the last part of a name, in lower case."""
    assert [extension_of(name) for name in ("a.TXT", "a", "a.", "a.b c", "a.tar.gz")] == [
        "txt",
        "",
        "",
        "",
        "gz",
    ]
