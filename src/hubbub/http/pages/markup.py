"""HTML of texts and tables, for the pages that people read; what comes in is escaped here."""

import re
from collections.abc import Iterator, Sequence
from html import escape

_CODE = re.compile(r"(`[^`]*`)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_STRESSED = re.compile(r"\*([^*]+)\*")


def inline(text: str) -> str:
    """Return a text of one line with its code in backticks as elements."""
    return "".join(_inline_parts(text, is_rich=False))


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, which has empty lines between them."""
    for each in filter(None, text.split("\n\n")):
        yield f"<p>{inline(each)}</p>"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already."""
    head = "".join(f"<th>{each}</th>" for each in headings)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{whole}</div>'


def anchor(heading: str) -> str:
    """Return the id of a heading."""
    return re.sub(r"\W+", "-", heading.lower()).strip("-")


def render_markdown(text: str) -> Iterator[str]:
    """Yield the blocks of our own Markdown: paragraphs, code, tables and links, no headings."""
    for block in re.split(r"\n\n(?=\S)", text.strip()):
        if block.startswith("```"):
            code = "\n".join(block.splitlines()[1:-1])
            yield f"<pre><code>{escape(code, quote=False)}</code></pre>"
        elif block.startswith("|"):
            head, _, *rows = [_cells(line) for line in block.splitlines()]
            yield table(head, rows)
        else:
            yield f"<p>{''.join(_inline_parts(block, is_rich=True))}</p>"


def _cells(line: str) -> list[str]:
    return ["".join(_inline_parts(cell.strip(), is_rich=True)) for cell in line.split("|")[1:-1]]


def _inline_parts(text: str, *, is_rich: bool) -> Iterator[str]:
    for part in _CODE.split(text):
        if part.startswith("`") and len(part) > 1:
            yield f"<code>{escape(part[1:-1], quote=False)}</code>"
            continue
        plain = escape(part, quote=False)
        if is_rich:
            plain = _LINK.sub(r'<a href="\2">\1</a>', plain)
            plain = _STRESSED.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", plain))
        yield plain
