"""HTML that is always escaped: text becomes markup only through `el`."""

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

VOID = frozenset({"input", "link", "meta"})
_CODE = re.compile(r"`([^`]+)`")


class Html(str):
    """Markup; any other text is escaped when it is inserted."""

    __slots__ = ()


Content: TypeAlias = "str | Iterable[Content] | None"


def el(element: str, /, *content: Content, **attributes: str | bool | None) -> Html:
    """Return an element; `class_` and `data_text` become `class` and `data-text`.

    An attribute that is True has no value; one that is None or False is left out.
    """
    tag = element + "".join(_attribute(key, value) for key, value in attributes.items())
    if element in VOID:
        return Html(f"<{tag}>")
    return Html(f"<{tag}>{join(content)}</{element}>")


def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    key = key.rstrip("_").replace("_", "-")
    return f" {key}" if value is True else f' {key}="{escape(value)}"'


def join(content: Content) -> Html:
    """Join pieces of content, and escape those that are text."""
    if content is None:
        return Html()
    if isinstance(content, Html):
        return content
    if isinstance(content, str):
        return Html(escape(content))
    return Html("".join(join(piece) for piece in content))


def prose(text: str) -> Html:
    """Return text as markup, with `words` between backticks as code."""
    pieces = _CODE.split(text)
    return join(el("code", piece) if number % 2 else piece for number, piece in enumerate(pieces))


def paragraphs(text: str) -> Html:
    """Return text as paragraphs, which are separated by empty lines."""
    return join(el("p", prose(part)) for part in text.split("\n\n") if part.strip())


def document(*, title: str, stylesheet: str, script: str, icon: str, body: Content) -> str:
    """Return a complete page."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        el("link", rel="icon", href=icon),
        el("link", rel="stylesheet", href=stylesheet),
        el("script", src=script, defer=True),
    )
    return f"<!doctype html>\n{el('html', head, el('body', body), lang='en')}\n"
