"""The form of mentions in texts."""

import re
from collections.abc import Mapping

from hubbub.kernel.text import ID_LENGTH, is_id

ALL = "@all"
"""Means all users of the conversation; it is not a valid uid."""
_TOKEN = re.compile(rf"<@(?:uid:([A-Za-z0-9_-]{{1,{ID_LENGTH}}})|(all))>")


def find_mentions(text: str) -> tuple[str, ...]:
    """Return the uids, or `ALL`, that a text mentions: each once, in order."""
    if "<@" not in text:
        return ()
    found = (ALL if is_all else uid.lower() for uid, is_all in _TOKEN.findall(text))
    return tuple(dict.fromkeys(uid for uid in found if uid == ALL or is_id(uid)))


def replace_mentions(text: str, names: Mapping[str, str]) -> str:
    """Return a text with `@name` in place of each mention, for reading; without a name, `@uid`."""
    if "<@" not in text:
        return text
    return _TOKEN.sub(lambda found: f"@{_name(found, names)}", text)


def _name(found: re.Match[str], names: Mapping[str, str]) -> str:
    uid: str | None = found[1]
    return "all" if uid is None else names.get(uid.lower(), uid)
