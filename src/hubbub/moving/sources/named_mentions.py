"""Mentions by name, such as `@anna`, in texts that are Markdown otherwise."""

import re
from collections.abc import Callable

from hubbub.moving.sources.shortcodes import with_emoji

_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_MENTION = re.compile(r"(?<![\w@/.-])@([A-Za-z0-9][A-Za-z0-9._-]*)")
_EVERYBODY = {"all", "channel", "here"}
_ENDS_OF_SENTENCES = "._-"


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return a text that is changed everywhere but in code."""
    parts = _CODE.split(text)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def with_mentions(text: str, uid_of: Callable[[str], str | None]) -> str:
    """Return a text with mentions of the users whose uid is known by name, and with emoji."""

    def mention(found: re.Match[str]) -> str:
        name = found[1]
        while name:
            rest = found[1][len(name) :]
            if name.lower() in _EVERYBODY:
                return f"<@all>{rest}"
            if uid := uid_of(name):
                return f"<@uid:{uid}>{rest}"
            shorter = name.rstrip(_ENDS_OF_SENTENCES)
            if shorter == name:
                break
            name = shorter
        return found[0]

    return outside_code(text, lambda part: with_emoji(_MENTION.sub(mention, part)))
