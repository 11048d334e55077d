"""The building blocks of field tables: checks of single values, lists and objects.

A check takes any JSON value, reports what is wrong under its path, and never raises.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hubbub.domain.interactive_messages.faults import FieldPath

Check = Callable[[Any, FieldPath], None]
Rule = Callable[[Mapping[str, Any], FieldPath], None]


def must(holds: Callable[[Any], bool], sentence: str) -> Check:
    """Return a check that reports `sentence` for values that do not satisfy `holds`."""

    def check(value: Any, path: FieldPath) -> None:
        if not holds(value):
            path.report(sentence)

    return check


def one_of(words: Iterable[str]) -> Check:
    """Return a check that a value is one of the words."""
    known = tuple(words)
    return must(lambda value: value in known, f"This must be one of: {', '.join(known)}.")


def list_of(item: Check) -> Check:
    """Return a check that a value is a list, and that its items pass the check `item`."""

    def check(value: Any, path: FieldPath) -> None:
        if not isinstance(value, list):
            path.report("This must be a list.")
            return
        for index, each in enumerate(value):
            item(each, path.at(index))

    return check


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


string = must(lambda value: isinstance(value, str), "This must be a string.")
boolean = must(lambda value: isinstance(value, bool), "This must be true or false.")
integer = must(_is_integer, "This must be an integer.")
any_object = must(_is_object, "This must be an object.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectCheck:
    """The check of an object: its required fields, its optional fields, rules between them.

    Other fields are not checked. Rules run even if fields have faults, so they ignore values of the
    wrong type.
    """

    required: Mapping[str, Check] = field(default_factory=dict)
    optional: Mapping[str, Check] = field(default_factory=dict)
    rules: Sequence[Rule] = ()

    def __call__(self, value: Any, path: FieldPath) -> None:
        any_object(value, path)
        if not isinstance(value, Mapping):
            return
        self._check_fields(value, path)
        for rule in self.rules:
            rule(value, path)

    def _check_fields(self, value: Mapping[str, Any], path: FieldPath) -> None:
        for name, check in {**self.required, **self.optional}.items():
            if name in value:
                check(value[name], path.at(name))
            elif name in self.required:
                path.at(name).report("This is required.")


@dataclass(frozen=True, slots=True)
class KindCheck:
    """The check of an object whose field `key` selects the check for the rest of it.

    `shared` are the fields that every kind must have.
    """

    key: str
    kinds: Mapping[str, ObjectCheck]
    shared: Mapping[str, Check] = field(default_factory=dict)

    def __call__(self, value: Any, path: FieldPath) -> None:
        ObjectCheck(required={self.key: one_of(self.kinds), **self.shared})(value, path)
        kind = value.get(self.key) if isinstance(value, Mapping) else None
        if isinstance(kind, str) and kind in self.kinds:
            self.kinds[kind](value, path)
