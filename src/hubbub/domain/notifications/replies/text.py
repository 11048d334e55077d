"""What a person has written in a reply: its text without the quoted mail and the signature.

There is no standard for this. The text ends before the first of these lines: a quoted one, with
the line that introduces it; the heading of a quoted mail; the mark of a signature.
"""

import html
import re
from collections.abc import Iterator, Sequence

from hubbub.providers.fit import cut
from hubbub.records.messages.model import LARGEST_DATA_BYTES

MOST_LINES_TO_INTRODUCE = 3
_QUOTE = ">"
_SIGNATURE = "--"
_ORIGINAL = re.compile(
    r"-{2,}+ ?(?:original message|ursprüngliche nachricht) ?-{2,}+", re.IGNORECASE
)
_RULE = "_"
_FROM = ("from:", "von:")
_SENT = ("sent:", "gesendet:", "date:", "datum:")
_INTRODUCES = ("wrote", "schrieb")
_BEGINS_TO_INTRODUCE = ("on ", "am ")
_BARE_DATA = len('{"text":""}')

# Possessive, and without `<` inside a tag: nothing is looked at twice. The parser of Python takes
# two minutes for 64 KB of `<a `.
_TAG = re.compile(r"<(/?+)([a-z!?][a-z0-9]*+)([^<>]*+)>", re.IGNORECASE)
_LONG_REFERENCE = re.compile(r"&#x?+[0-9a-f]{8,}+;?+", re.IGNORECASE)
_SPACE = re.compile(r"[\s\0]++")
_HIDDEN = frozenset({"head", "script", "style", "title"})
_LINES = frozenset({"address", "br", "div", "h1", "h2", "h3", "hr", "li", "p", "table", "tr"})
_QUOTES = re.compile(
    r"\b(?:gmail_quote|yahoo_quoted|moz-cite-prefix|appendonsend|divRplyFwdMsg)\b", re.IGNORECASE
)


def read_text(plain: str, markup: str, secret: str) -> str:
    """Return what was written, from the plain text of a mail or, without one, from its HTML.

    Lines from the one on that has `secret` are left out. The text is cut at the longest that a
    message may have; it is empty if nothing is left.
    """
    written = plain if plain.strip() else _read_markup(markup)
    lines = [_printable(line) for line in written.splitlines()]
    text = "\n".join(lines[: _find_end(lines, secret.lower())]).strip()
    return cut(text[:LARGEST_DATA_BYTES], LARGEST_DATA_BYTES - _BARE_DATA)


def _printable(line: str) -> str:
    if line.isprintable():
        return line.rstrip()
    return "".join(each for each in line if each == "\t" or " " <= each != "\x7f").rstrip()


def _find_end(lines: Sequence[str], secret: str) -> int:
    """Return the number of the lines before the quoted mail or the signature."""
    for at, line in enumerate(lines):
        if line.startswith(_QUOTE) or secret in line.lower():
            return _before_introduction(lines, at)
        if line == _SIGNATURE or _ORIGINAL.fullmatch(line.strip()) or _is_heading(lines, at):
            return at
    return len(lines)


def _is_heading(lines: Sequence[str], at: int) -> bool:
    """Return whether Outlook's heading of a quoted mail begins there, with or without a rule."""
    begin = at + 1 if lines[at] and not lines[at].strip(_RULE) else at
    first, *others = [each.lstrip("*").lower() for each in lines[begin : begin + 3]] or [""]
    return first.startswith(_FROM) and any(each.startswith(_SENT) for each in others)


def _before_introduction(lines: Sequence[str], quote: int) -> int:
    """Return where the line begins that introduces a quote, which may be wrapped."""
    end = quote
    while end and not lines[end - 1]:
        end -= 1
    if not end or not lines[end - 1].endswith(":"):
        return quote
    for begin in range(end - 1, max(-1, end - 1 - MOST_LINES_TO_INTRODUCE), -1):
        if lines[begin].lower().startswith(_BEGINS_TO_INTRODUCE):
            return begin if _introduces(lines[begin:end]) else quote
        if not lines[begin]:
            break
    return end - 1 if _introduces(lines[end - 1 : end]) else quote


def _introduces(lines: Sequence[str]) -> bool:
    return any(word in line for line in lines for word in _INTRODUCES)


def _read_markup(markup: str) -> str:
    """Return the text of HTML up to the first quote, in lines."""
    shown = _LONG_REFERENCE.sub("", "".join(_texts(_without_comments(markup))))
    return html.unescape(shown)


def _without_comments(markup: str) -> str:
    """Return HTML without its comments; one that does not end goes to the end."""
    first, *others = markup.split("<!--")
    return first + "".join(each.partition("-->")[2] for each in others)


def _texts(markup: str) -> Iterator[str]:
    """Yield pieces of text, and line breaks where elements make some."""
    at, hidden_by = 0, ""
    for tag in _TAG.finditer(markup):
        name = tag[2].lower()
        if not hidden_by:
            yield _SPACE.sub(" ", markup[at : tag.start()])
            if name == "blockquote" or _QUOTES.search(tag[3]):
                yield f"\n{_QUOTE}"
                return
            if name in _LINES:
                yield "\n"
            hidden_by = name if name in _HIDDEN and not tag[1] else ""
        elif tag[1] and name == hidden_by:
            hidden_by = ""
        at = tag.end()
    if not hidden_by:
        yield _SPACE.sub(" ", markup[at:])
