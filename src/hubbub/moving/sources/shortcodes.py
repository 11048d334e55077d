"""Names of emoji, such as `:wave:`, as Unicode."""

import re
from functools import cache

import emoji

_TONE = re.compile(
    r"::?skin-tone-([2-6])$|_(light|medium_light|medium|medium_dark|dark)_skin_tone$"
)
_TONES = {
    "2": "\U0001f3fb",
    "3": "\U0001f3fc",
    "4": "\U0001f3fd",
    "5": "\U0001f3fe",
    "6": "\U0001f3ff",
    "light": "\U0001f3fb",
    "medium_light": "\U0001f3fc",
    "medium": "\U0001f3fd",
    "medium_dark": "\U0001f3fe",
    "dark": "\U0001f3ff",
}
_FLAG = re.compile(r"flag-([a-z])([a-z])$")
_FIRST_LETTER_OF_FLAGS = 0x1F1E6
_PRESENTATION = "\ufe0f"
_NAMED = re.compile(r"(?<![\w:]):([\w+-]+?)((?:::skin-tone-[2-6])?):(?!\w)")


@cache
def _by_name() -> dict[str, str]:
    found: dict[str, str] = {}
    for character, about in emoji.EMOJI_DATA.items():
        if about["status"] <= emoji.STATUS["fully_qualified"]:
            for name in (*about.get("alias", ()), about["en"]):
                found.setdefault(name.strip(":"), character)
    return found


def emoji_of(name: str) -> str | None:
    """Return the emoji with a name, such as `wave` or `+1::skin-tone-3`; None for custom ones."""
    if tone := _TONE.search(name):
        bare = emoji_of(name[: tone.start()])
        return bare and bare[0] + _TONES[tone[1] or tone[2]] + bare[1:].removeprefix(_PRESENTATION)
    known = _by_name()
    if found := known.get(name) or known.get(name.replace("-", "_")):
        return found
    if flag := _FLAG.match(name):
        return "".join(
            chr(_FIRST_LETTER_OF_FLAGS + ord(letter) - ord("a")) for letter in flag.groups()
        )
    return None


def with_emoji(text: str) -> str:
    """Return a text with emoji in place of their names between colons; other names stay."""
    if ":" not in text:
        return text
    return _NAMED.sub(lambda found: emoji_of(found[1] + found[2]) or found[0], text)
