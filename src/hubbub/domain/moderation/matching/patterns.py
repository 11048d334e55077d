"""Search many patterns in a text at once, by RE2: the time is linear in the length of the text.

RE2 has no look-around and no back-references, which is what makes that possible.
"""

from collections.abc import Iterator, Sequence

import re2

MOST_MEMORY = 16 * 2**20
"""The most bytes that patterns take which are searched together."""
LARGEST_PATTERN = 2**20
"""The most bytes that one of them takes."""
Span = tuple[int, int]


class PatternsTooLarge(ValueError):
    """The patterns need more memory than they may."""


def find_fault(pattern: str) -> str | None:
    """Return what RE2 has against a pattern, or None if it is valid."""
    try:
        _compile(pattern)
    except re2.error as fault:
        reason = fault.args[0] if fault.args else ""
        return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
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

    def __init__(self, patterns: Sequence[str]) -> None:
        """Compile the patterns.

        Raises:
            PatternsTooLarge: they need too much memory together.
        """
        self.patterns = patterns
        self._set = re2.Set.SearchSet(_options(MOST_MEMORY))
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
