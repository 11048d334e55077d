"""Names of files, made harmless: whatever somebody calls a file, it is one name in one folder."""

import re
import unicodedata

LONGEST_NAME = 200
"""In bytes of UTF-8."""
UNNAMED = "file"
_FORBIDDEN = re.compile(r'[<>:"|?*]')  # what one of the usual systems has no name with
_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,16})$")


def safe_name(given: str) -> str:
    """The name of a file without folders, invisible characters, or what a system trips over."""
    name = re.split(r"[/\\]", unicodedata.normalize("NFC", given))[-1]
    # C: control characters, those that turn the direction of writing, and the like. Z: spaces.
    kinds = ((each, unicodedata.category(each)[0]) for each in name)
    visible = "".join(" " if kind == "Z" else each for each, kind in kinds if kind != "C")
    return _shortened(_FORBIDDEN.sub("_", visible).strip(" .")) or UNNAMED


def extension_of(name: str) -> str:
    """The extension of a name in lower case, without the dot; empty when there is none."""
    found = _EXTENSION.search(name)
    return found[1].lower() if found else ""


def _shortened(name: str) -> str:
    """So few bytes that every file system takes it; its extension stays."""
    extension = _EXTENSION.search(name)
    end = extension[0] if extension else ""
    stem = name.removesuffix(end).encode()[: LONGEST_NAME - len(end)]
    return stem.decode("utf-8", "ignore").rstrip(" .") + end
