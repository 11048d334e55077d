"""Files of lines of text, and names within their limits."""

from collections.abc import Iterator

from hubbub.moving.sources.interface import Reading
from hubbub.moving.sources.rows import LONGEST_NAME
from hubbub.moving.tree import DAMAGED, Tree

FLAWED = "bytes that are not UTF-8 (lines with replaced characters)"
LONGEST_LINE = 1024 * 1024


class TextEnds(Exception):
    """A file can't be read from here on; the message says why."""


def beginning_of(tree: Tree, name: str, size: int = 4096) -> str:
    """Return the beginning of a file; of one that can't be read an empty text."""
    with tree.open(name) as file:
        try:
            return file.read(size).decode("utf-8-sig", "replace")
        except DAMAGED:
            return ""


def raw_lines(tree: Tree, name: str) -> Iterator[bytes | None]:
    """Yield the lines of a file without their ends; None for one that is too long.

    Raises:
        TextEnds: the file can't be read from here on.
    """
    with tree.open(name) as file:
        try:
            while line := file.readline(LONGEST_LINE + 1):
                if len(line) <= LONGEST_LINE:
                    yield line.removesuffix(b"\n")
                    continue
                while line and not line.endswith(b"\n"):
                    line = file.readline(LONGEST_LINE)
                yield None
        except DAMAGED as fault:
            raise TextEnds(f"The rest of the file is damaged: {str(fault)[:200]}") from None


def decode(raw: bytes, reading: Reading) -> str:
    """Return a text; bytes that are not UTF-8 become U+FFFD, and the line is counted."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        reading.drop(FLAWED)
        return raw.decode("utf-8", "replace")


def fit_name(name: str, otherwise: str) -> str:
    """Return a name within the limits of names; `otherwise` if there is nothing to see."""
    fitting = name.replace("\0", "\N{REPLACEMENT CHARACTER}")[:LONGEST_NAME]
    return fitting if fitting.strip() else otherwise
