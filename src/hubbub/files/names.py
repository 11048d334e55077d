"""Safe names of files: any given name becomes one valid name without folders."""

import re
import unicodedata

LONGEST_NAME = 200
"""In bytes of UTF-8."""
UNNAMED = "file"
_FORBIDDEN = re.compile(r'[<>:"|?*]')  # characters that a common system does not allow in names
_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,16})$")


def safe_name(given: str) -> str:
    """Return a file name without folders, invisible characters and forbidden characters."""
    name = re.split(r"[/\\]", unicodedata.normalize("NFC", given))[-1]
    # C: control characters, changes of the writing direction, and the like. Z: spaces.
    kinds = ((each, unicodedata.category(each)[0]) for each in name)
    visible = "".join(" " if kind == "Z" else each for each, kind in kinds if kind != "C")
    return _shorten(_FORBIDDEN.sub("_", visible).strip(" .")) or UNNAMED


def extension_of(name: str) -> str:
    """Return the extension of a name in lower case, without the dot; empty if there is none."""
    found = _EXTENSION.search(name)
    return found[1].lower() if found else ""


def _shorten(name: str) -> str:
    """Cut a name to a length that every file system accepts, but keep its extension."""
    extension = _EXTENSION.search(name)
    end = extension[0] if extension else ""
    stem = name.removesuffix(end).encode()[: LONGEST_NAME - len(end)]
    return stem.decode("utf-8", "ignore").rstrip(" .") + end
