"""How mentions stand in texts."""

import re

from hubbub.kernel.text import ID_LENGTH, is_id

ALL = "@all"
"""What stands for everybody; no uid looks so."""
_TOKEN = re.compile(rf"<@(?:uid:([A-Za-z0-9_-]{{1,{ID_LENGTH}}})|(all))>")


def find_mentions(text: str) -> tuple[str, ...]:
    """Whom a text mentions, each once, in order."""
    if "<@" not in text:
        return ()
    found = (ALL if everybody else uid.lower() for uid, everybody in _TOKEN.findall(text))
    return tuple(dict.fromkeys(uid for uid in found if uid == ALL or is_id(uid)))
