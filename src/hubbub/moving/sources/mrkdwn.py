"""Slack's markup of texts, mrkdwn, as Markdown."""

import re
from collections.abc import Callable
from typing import Protocol

from hubbub.moving.sources.shortcodes import with_emoji

_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_TOKEN = re.compile(r"<([^<>\n]+)>")
_BOLD = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
_STRUCK = re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])")
_ESCAPES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_ESCAPE = re.compile("|".join(_ESCAPES))
_FIRST_MARK, _LAST_MARK = "\ue000", "\ue001"
"""Stand around the number of a part that is done: characters that no script uses."""
_DONE = re.compile(f"{_FIRST_MARK}(\\d+){_LAST_MARK}")
_EVERYBODY = {"!channel", "!here", "!everyone"}


class References(Protocol):
    """What the ids in texts stand for."""

    def user(self, id_: str, label: str) -> str:
        """Return the mention of a user."""
        ...

    def channel(self, id_: str, label: str) -> str:
        """Return the name of a channel."""
        ...


def to_markdown(text: str, references: References) -> str:
    """Return a text of Slack as Markdown, with the mentions of Hubbub."""
    done: list[str] = []

    def keep(part: str) -> str:
        done.append(part)
        return f"{_FIRST_MARK}{len(done) - 1}{_LAST_MARK}"

    text = text.replace(_FIRST_MARK, "").replace(_LAST_MARK, "")
    text = _CODE.sub(lambda found: keep(_plain_code(found[0])), text)
    text = _TOKEN.sub(lambda found: keep(_rendered(found[1], references)), text)
    text = with_emoji(with_double_marks(_unescape(text)))
    return _restore(text, done.__getitem__)


def with_double_marks(text: str) -> str:
    """Return a text in which what is bold or struck out has two marks, as Markdown has them."""
    return _STRUCK.sub(r"~~\1~~", _BOLD.sub(r"**\1**", text))


def _restore(text: str, part: Callable[[int], str]) -> str:
    return _DONE.sub(lambda found: _restore(part(int(found[1])), part), text)


def _rendered(token: str, references: References) -> str:
    """Return what stands between angle brackets: a mention, a channel, a date or a link."""
    target, _, label = token.partition("|")
    label = _unescape(label)
    if target in _EVERYBODY:
        return "<@all>"
    if target.startswith("@"):
        return references.user(target[1:], label)
    if target.startswith("#"):
        return "#" + references.channel(target[1:], label)
    if target.startswith("!"):
        return label or target[1:]
    return _link(_unescape(target), label)


def _link(target: str, label: str) -> str:
    bare = target.removeprefix("mailto:").removeprefix("tel:")
    if label in ("", target, bare):
        return bare
    return f"[{label}]({target})"


def _plain_code(code: str) -> str:
    """Return code, in which Slack marks links, too."""
    return _unescape(_TOKEN.sub(lambda found: found[1].rpartition("|")[2], code))


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], text)
