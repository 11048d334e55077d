"""Placeholders in templates: `{{dotted.path}}` stands for a value of the context.

`render(template, context)` returns the text, or None if a placeholder has no value: then the caller
takes its fallback. A value is written as it is: placeholders in it stay text, and nothing is
escaped (the sender of an e-mail escapes for HTML, where a value goes into HTML).

The work is linear in the template and the values, and a text has at most `LONGEST_TEXT` characters.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

Context = Mapping[str, Any]
"""JSON values by name: `message`, `senderDetails`, `groupDetails`, …"""
Path = tuple[str, ...]
Part = str | Path
"""A piece of a template: a text, or the path of a placeholder."""

LONGEST_TEXT = 4096
"""In characters; a push has room for no more than as many bytes."""
_ELLIPSIS = "…"
_LARGEST_INTEGER = 2**64
# Possessive: nothing is tried twice, whatever a template has between braces.
_PLACEHOLDER = re.compile(r"\{\{[ \t]*+([^\s{}]{1,256}+)[ \t]*+\}\}")
_MOST_CONTINUATIONS = 32
_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)


@lru_cache(maxsize=4096)
def parse(template: str) -> tuple[Part, ...]:
    """Return the pieces of a template: texts and paths, in order."""
    pieces = _PLACEHOLDER.split(template)  # texts and paths by turns
    return tuple(
        tuple(piece.split(".")) if index % 2 else piece
        for index, piece in enumerate(pieces)
        if piece
    )


def render(template: str, context: Context) -> str | None:
    """Return the text of a template; None if a placeholder has no value in the context."""
    texts = [_text_of(part, context) for part in parse(template)]
    if None in texts:
        return None
    return _joined([text for text in texts if text])


def render_with_gaps(template: str, context: Context) -> str:
    """Return the text of a template; a placeholder without a value is left out."""
    return _joined([text for part in parse(template) if (text := _text_of(part, context))])


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters; one that is cut ends with an ellipsis.

    It is cut between characters as readers see them: not before an accent, a skin tone or a part
    of a joined emoji.
    """
    if len(text) <= limit:
        return text
    end = limit - len(_ELLIPSIS)
    for _ in range(_MOST_CONTINUATIONS):
        if end <= 0 or not _continues(text, end):
            break
        end -= 1
    return text[: max(end, 0)] + _ELLIPSIS


def one_line(text: str) -> str:
    """Return a text without line breaks and control characters, for titles and subjects."""
    if text.isprintable():
        return text.strip()
    shown = "".join(each if unicodedata.category(each) != "Cc" else " " for each in text)
    return " ".join(shown.split())


def find_value(context: Context, path: Path) -> object:
    """Return the value at a path; None if there is none. `length` counts the items of a list."""
    found: object = context
    for key in path:
        if isinstance(found, Mapping):
            found = found.get(key)
        elif isinstance(found, list):
            found = _item(found, key)
        else:
            return None
    return found


def _item(items: Sequence[object], key: str) -> object:
    if key == "length":
        return len(items)
    is_index = key.isascii() and key.isdigit() and int(key) < len(items)
    return items[int(key)] if is_index else None


def _text_of(part: Part, context: Context) -> str | None:
    """Return the text of a piece of a template; None if it has no value that is a text."""
    if isinstance(part, str):
        return part
    value = find_value(context, part)
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST_INTEGER):
        return str(value)
    return None


def _joined(texts: Sequence[str]) -> str:
    """Return the texts in one, as far as there is room: the rest is not even put together."""
    kept: list[str] = []
    room = LONGEST_TEXT + 1
    for text in texts:
        kept.append(text)
        room -= len(text)
        if room <= 0:
            break
    return cut("".join(kept), LONGEST_TEXT)


def _continues(text: str, index: int) -> bool:
    """Return whether the character at an index belongs to the one before it."""
    after = text[index]
    return (
        after == _JOINER
        or text[index - 1] == _JOINER
        or unicodedata.category(after) in {"Mn", "Mc", "Me"}
        or ord(after) in _SKIN_TONES
    )
