"""The type of a file, by its first bytes, never by its name or the claim of a client alone.

The name decides only if the bytes allow several types: a `.docx` is a zip with certain files in it.
"""

import re
from dataclasses import dataclass

import puremagic

from hubbub.files.names import extension_of

HEAD_BYTES = 8192
"""The number of bytes at the beginning that decide."""


@dataclass(frozen=True, slots=True)
class FileType:
    """A media type and its usual extension, which is empty if the type is unknown."""

    mime_type: str
    extension: str

    @property
    def is_image(self) -> bool:
        return self.mime_type.startswith("image/")

    @property
    def has_dimensions(self) -> bool:
        """Return whether a file of this type may have a width and a height."""
        return self.mime_type.startswith(("image/", "video/")) and self.mime_type != SVG


SVG = "image/svg+xml"
UNKNOWN = "application/octet-stream"
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
MIME_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "heic": "image/heic",
    "heif": "image/heif",
    "bmp": "image/bmp",
    "tiff": "image/tiff",
    "ico": "image/x-icon",
    "mp4": "video/mp4",
    "m4v": "video/x-m4v",
    "mov": "video/quicktime",
    "webm": "video/webm",
    "mkv": "video/x-matroska",
    "avi": "video/x-msvideo",
    "3gp": "video/3gpp",
    "ogv": "video/ogg",
    "wmv": "video/x-ms-wmv",
    "flv": "video/x-flv",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
    "aac": "audio/aac",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "wav": "audio/wav",
    "flac": "audio/flac",
    "amr": "audio/amr",
    "mid": "audio/midi",
    "pdf": "application/pdf",
    "rtf": "application/rtf",
    "zip": "application/zip",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "odt": f"{_OPEN}.text",
    "ods": f"{_OPEN}.spreadsheet",
    "odp": f"{_OPEN}.presentation",
    "epub": "application/epub+zip",
    "apk": "application/vnd.android.package-archive",
    "jar": "application/java-archive",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "7z": "application/x-7z-compressed",
    "rar": "application/vnd.rar",
    "gz": "application/gzip",
    "bz2": "application/x-bzip2",
    "xz": "application/x-xz",
    "tar": "application/x-tar",
    "exe": "application/x-msdownload",
}
"""The known types, by extension; all others are plain bytes, or text."""
ALIASES = {
    "jpeg": "jpg",
    "jpe": "jpg",
    "jfif": "jpg",
    "tif": "tiff",
    "mpga": "mp3",
    "3ga": "3gp",
    "midi": "mid",
}
TEXTS = {"csv": "text/csv", "json": "application/json", "md": "text/markdown"}
"""Types of text that only the name tells apart."""
INLINE_TYPES = frozenset(
    {
        *(MIME_TYPES[each] for each in ("png", "jpg", "gif", "webp", "avif", "bmp")),
        *(MIME_TYPES[each] for each in ("mp4", "m4v", "mov", "webm", "ogv", "3gp")),
        *(MIME_TYPES[each] for each in ("mp3", "m4a", "aac", "ogg", "wav", "flac", "amr")),
    }
)
"""The types that a browser may display: none of them can run a script."""
BRANDS = {
    b"qt  ": "mov",
    b"M4A ": "m4a",
    b"M4B ": "m4a",
    b"M4V ": "m4v",
    b"avif": "avif",
    b"avis": "avif",
    b"heic": "heic",
    b"heix": "heic",
    b"hevc": "heic",
    b"mif1": "heif",
    b"msf1": "heif",
    b"3gp4": "3gp",
    b"3gp5": "3gp",
    b"3gp6": "3gp",
    b"3g2a": "3gp",
}
"""Extensions of files of the MP4 family by their major brand; others are videos."""
_OPEN_CHOICE = ("zip", "ogg")
"""The choice if the bytes allow several types and the name is of none of them."""
_PROLOGUE = re.compile(
    r"(?:\s++|<\?.*?\?>|<!--.*?-->|<!doctype\s+svg[^>\[]*+(?:\[[^\]]*+\])?+[^>]*+>)*+",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP = re.compile(
    r"<(?:(?P<svg>(?:\w+:)?svg)|!doctype\s+html|html|head|body|script|iframe|img|style|meta|title|"
    r"table|div|span|object|embed|form|link|base|h1|br|a|b|i|p)\b",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")


def sniff(head: bytes, name: str) -> FileType:
    """Return the type of a file that begins with `head` and has the name `name`."""
    head = head[:HEAD_BYTES]
    found = _detect_mp4(head) or _detect_binary(head, extension_of(name))
    text = _decode_text(head)
    if found is not None and not (text and _is_binary(found)):
        return FileType(MIME_TYPES[found], found)
    if text is not None:
        return _text_type(text, extension_of(name))
    return FileType(UNKNOWN, extension_of(name))


def _is_binary(found: str) -> bool:
    """Return whether files of a type always have control characters: `BMW` begins no BMP."""
    return found != "amr" and MIME_TYPES[found].startswith(("image/", "audio/", "video/"))


def _detect_mp4(head: bytes) -> str | None:
    """Return the extension of a file of the MP4 family; puremagic knows only some of them."""
    return BRANDS.get(head[8:12], "mp4") if head[4:8] == b"ftyp" else None


def _detect_binary(head: bytes, named: str) -> str | None:
    if not head:
        return None
    try:
        matches = puremagic.magic_string(head)
    except (puremagic.PureError, ValueError):
        return None
    known = [(_known_extension(match.extension), match.confidence) for match in matches]
    best = max((confidence for each, confidence in known if each), default=0)
    likely = [each for each, confidence in known if each and confidence == best]
    if not likely:
        return None
    named = ALIASES.get(named, named)
    for choice in (named, *_OPEN_CHOICE):
        if choice in likely:
            return choice
    return likely[0]


def _known_extension(extension: str) -> str | None:
    bare = extension.removeprefix(".").lower()
    bare = ALIASES.get(bare, bare)
    return bare if bare in MIME_TYPES else None


def _decode_text(head: bytes) -> str | None:
    """Decode the beginning of a text; None if it is no text. Its last character may be cut off."""
    try:
        coding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
        text = head.decode(coding)
    except UnicodeDecodeError as fault:
        is_cut_off = len(head) == HEAD_BYTES and fault.start > len(head) - 4
        if not is_cut_off:
            return None
        text = head[: fault.start].decode(coding)
    return text if text and not _CONTROL.search(text) else None


def _text_type(text: str, named: str) -> FileType:
    prologue = _PROLOGUE.match(text)
    markup = _MARKUP.match(text, prologue.end() if prologue else 0)
    if markup is not None and markup["svg"]:
        return FileType(SVG, "svg")
    if text.lstrip().startswith("<?xml"):
        return FileType("application/xml", "xml")
    if markup is not None:
        return FileType("text/html", "html")
    return FileType(TEXTS.get(named, "text/plain"), named or "txt")
