"""The form of mentions in texts."""

import re

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
