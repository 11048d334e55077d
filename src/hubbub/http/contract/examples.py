"""The examples of requests and answers, as the server gave them: `examples.json`.

`make examples` records them from the calls in `tests/api/http/example_story.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

FILE = Path(__file__).with_name("examples.json")


@dataclass(frozen=True, slots=True)
class Example:
    """A call of an operation, and its answer; `body` is None if it has none."""

    operation: str
    name: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    as_: str | None = None
    """The acting user."""
    body: Any = None
    answer: Any = None


def _load() -> dict[str, Sequence[Example]]:
    rows = msgspec.json.decode(FILE.read_bytes(), type=list[Example]) if FILE.exists() else []
    found: dict[str, list[Example]] = {}
    for row in rows:
        found.setdefault(row.operation, []).append(row)
    return dict(found)


EXAMPLES: Mapping[str, Sequence[Example]] = _load()
"""The examples by operation; the first of each is the usual one."""


def examples_of(operation: str, part: str) -> dict[str, Any]:
    """Return the keyword `examples` for the bodies or the answers of an operation."""
    found = {
        example.name: {"value": getattr(example, part)}
        for example in EXAMPLES.get(operation, ())
        if getattr(example, part) is not None
    }
    return {"examples": found} if found else {}
