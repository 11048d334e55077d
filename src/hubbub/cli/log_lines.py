"""Bounds of log lines: whatever a client sends, a line of the log stays short."""

import traceback

from structlog.typing import EventDict, ExcInfo

MOST_FRAMES = 40
"""The innermost frames of a traceback that are logged; a defect of recursion has a thousand."""
LONGEST_TEXT = 16_000
"""The characters of a text in a line."""


def format_traceback(exc_info: ExcInfo) -> str:
    """Return a traceback with its innermost frames."""
    kind, error, frames = exc_info
    shown = traceback.TracebackException(kind, error, frames, limit=-MOST_FRAMES, compact=True)
    return "".join(shown.format()).rstrip("\n")


def shorten_texts(_logger: object, _method: str, line: EventDict) -> EventDict:
    """Cut the middle out of long texts: a traceback ends with its error."""
    for name, value in line.items():
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            half = LONGEST_TEXT // 2
            line[name] = f"{value[:half]} ... {value[-half:]}"
    return line
