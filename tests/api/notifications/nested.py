"""JSON objects within objects: a value at a path with dots."""

from typing import Any

from tests.world import Json


def at(document: Any, path: str) -> Any:
    """Return the value at a path."""
    for name in path.split("."):
        document = document[name]
    return document


def with_value(path: str, value: Any) -> Json:
    """Return an object that has only a value at a path."""
    for name in reversed(path.split(".")):
        value = {name: value}
    body: Json = value
    return body


def merged(before: Any, given: Any) -> Any:
    """Return what is there before and what is given, at every depth."""
    if not isinstance(given, dict):
        return given
    known = before or {}
    return {**known, **{name: merged(known.get(name), value) for name, value in given.items()}}
