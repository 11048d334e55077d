"""Values of JSON that others wrote: any of them may be missing or of another type."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

Object = Mapping[str, Any]

MILLISECONDS = 1000


def text_of(value: Any) -> str:
    """Return a text, or a number as text; else an empty text."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def object_of(value: Any) -> Object:
    """Return an object; else an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[Object]:
    """Return the objects of a list; else nothing."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def texts_of(value: Any) -> list[str]:
    """Return the texts of a list that are not empty; else nothing."""
    found = map(text_of, value) if isinstance(value, list) else ()
    return [text for text in found if text]


def whole_of(value: Any) -> int | None:
    """Return a whole number that is not negative; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        return None
    return int(value) if value < 2**63 else None


def seconds_of(value: Any, parts: int = 1) -> Any:
    """Return a number of `parts` of a second, or such digits, as whole seconds.

    What is no number stays as it is, so that the row is refused with its place and this value.
    """
    try:
        if isinstance(value, int) and not isinstance(value, bool):
            return value // parts
        return int(float(value) // parts)
    except (TypeError, ValueError, OverflowError):
        return _shown(value)


def seconds_of_date(value: Any, timezone: tzinfo) -> Any:
    """Return a date and time of ISO 8601 as whole seconds; without an offset it is of `timezone`.

    What is none stays as it is, so that the row is refused with its place and this value.
    """
    try:
        date = datetime.fromisoformat(value)
        return int((date if date.tzinfo else date.replace(tzinfo=timezone)).timestamp() // 1)
    except (TypeError, ValueError, OverflowError):
        return _shown(value)


def _shown(value: Any) -> Any:
    """Return a value that rows may have; None for a large one."""
    return value[:100] if isinstance(value, str) else None
