"""The code blocks of the documents. A test module takes, at its top, the blocks that its tests run.

`test_every_block.py` fails for a block that no module takes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SKIPPED = {".venv", ".git", ".pytest_cache", "node_modules", "site", "dist"}
DOCUMENTS = sorted(
    str(path.relative_to(ROOT))
    for path in ROOT.rglob("*.md")
    if SKIPPED.isdisjoint(path.relative_to(ROOT).parts)
)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^\s*(```|~~~)", re.MULTILINE)
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A code block, with the heading that it stands below."""

    document: str
    heading: str
    language: str
    text: str


TAKEN: set[Block] = set()
"""The blocks that a test module of this process has taken."""


@cache
def blocks_of(document: str) -> tuple[Block, ...]:
    """Return the code blocks of a document, in order."""
    text = (ROOT / document).read_text()
    blocks = tuple(_blocks(document, text))
    assert len(_FENCE.findall(text)) == 2 * len(blocks), f"{document} has a block of another form"
    return blocks


def _blocks(document: str, text: str) -> Iterator[Block]:
    """Yield the blocks; a comment in one that looks like a heading begins no section."""
    heading, end = "", 0
    for found in _BLOCK.finditer(text):
        heading = (_HEADING.findall(text, end, found.start()) or [heading])[-1]
        end = found.end()
        yield Block(document, heading, *found.groups())


def take(document: str, heading: str, language: str = "sh", beginning: str = "") -> str:
    """Take the block of a language below a heading, which is the only one that begins so."""
    found = [
        block
        for block in blocks_of(document)
        if (block.heading, block.language) == (heading, language)
        and block.text.startswith(beginning)
    ]
    assert len(found) == 1, f"{document}: {len(found)} such blocks: {heading}, {language}"
    TAKEN.update(found)
    return found[0].text


def take_all(document: str, *languages: str) -> list[Block]:
    """Take all blocks of a document in these languages."""
    found = [block for block in blocks_of(document) if block.language in languages]
    assert found, f"{document} has no block in {languages}"
    TAKEN.update(found)
    return found
