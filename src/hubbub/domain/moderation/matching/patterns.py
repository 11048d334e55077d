"""Search many patterns in a text at once, by RE2: the time is linear in the length of the text.

RE2 has no look-around and no back-references, which is what makes that possible.
"""

import re
from collections.abc import Iterator, Sequence

import re2

from hubbub.domain.moderation.matching.folding import Span

MEMORY_OF_CONDITION = 2**18
"""The most bytes that the patterns of a condition take: an app has up to 250 conditions."""
MEMORY_OF_LIST = 2**22
"""The most bytes that the patterns of a list take; an app has few lists."""
LARGEST_PATTERN = MEMORY_OF_CONDITION
"""The most bytes that one of them takes."""
BYTES_OF_STEP = 64
"""About what a step of compiled patterns takes, with what is kept of searches."""
_QUOTED_OR_ESCAPED = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.", re.DOTALL)
_BYTE = r"\C"


class PatternsTooLarge(ValueError):
    """The patterns need more memory than they may."""


def find_fault(pattern: str) -> str | None:
    """Return what RE2 has against a pattern, or None if it is valid."""
    try:
        _compile(pattern)
    except re2.error as fault:
        reason = fault.args[0] if fault.args else ""
        return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
    if _BYTE in _QUOTED_OR_ESCAPED.findall(pattern):  # it may end within a character
        return f"{_BYTE} is a byte, and texts consist of characters"
    return None


def _compile(pattern: str) -> "re2._Regexp":
    return re2._Regexp(pattern, _options(LARGEST_PATTERN))  # `re2.compile` would keep it forever


def _options(memory: int) -> "re2.Options":
    options = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    return options


class PatternSet:
    """Patterns that are searched together; each is valid by itself.

    The engine says nothing when its memory does not suffice for a text, and finds none. So an empty
    pattern, which every text has, is one of them: if that is not found, each is searched alone.
    """

    def __init__(self, patterns: Sequence[str], memory: int) -> None:
        """Compile the patterns, for a search with so many bytes of memory.

        Raises:
            PatternsTooLarge: they need too much memory together.
        """
        self.patterns = patterns
        self.steps = sum(_compile(each).programsize for each in patterns)
        """The steps of all of them: in the worst case each is made for each character."""
        self._set = re2.Set.SearchSet(_options(memory))
        try:
            for each in ("", *patterns):
                self._set.Add(each)
            self._set.Compile()
        except re2.error:
            raise PatternsTooLarge from None

    def find(self, text: str) -> list[int]:
        """Return the indexes of the patterns that the text has."""
        found = self._set.Match(text)
        if not found or 0 not in found:
            every = range(len(self.patterns))
            return [each for each in every if _compile(self.patterns[each]).search(text)]
        return sorted(each - 1 for each in found if each)


def find_spans(pattern: str, text: str) -> Iterator[Span]:
    """Yield where a text has a pattern; places without characters are left out."""
    for match in _compile(pattern).finditer(text):
        if match.end() > match.start():
            yield match.span()
