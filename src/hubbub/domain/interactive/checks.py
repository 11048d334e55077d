"""The parts that tables of fields are made of: checks of one value, of lists and of objects.

A check looks at any JSON value, reports what is wrong at its place, and never raises.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hubbub.domain.interactive.faults import Place

Check = Callable[[Any, Place], None]
Rule = Callable[[Mapping[str, Any], Place], None]


def must(holds: Callable[[Any], bool], sentence: str) -> Check:
    """A check that says `sentence` about every value for which `holds` is false."""

    def check(value: Any, place: Place) -> None:
        if not holds(value):
            place.report(sentence)

    return check


def one_of(words: Iterable[str]) -> Check:
    """A check for one of a few words."""
    known = tuple(words)
    return must(lambda value: value in known, f"This must be one of: {', '.join(known)}.")


def list_of(item: Check) -> Check:
    """A check for a list, and of every item in it."""

    def check(value: Any, place: Place) -> None:
        if not isinstance(value, list):
            place.report("This must be a list.")
            return
        for index, each in enumerate(value):
            item(each, place.at(index))

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
class Shape:
    """The check of an object: fields it must have, fields it may have, rules between them.

    Fields that are not named here are nobody's business. Rules are run even when fields are
    faulty, so they pass over values of the wrong type.
    """

    required: Mapping[str, Check] = field(default_factory=dict)
    optional: Mapping[str, Check] = field(default_factory=dict)
    rules: Sequence[Rule] = ()

    def __call__(self, value: Any, place: Place) -> None:
        any_object(value, place)
        if not isinstance(value, Mapping):
            return
        self._check_fields(value, place)
        for rule in self.rules:
            rule(value, place)

    def _check_fields(self, value: Mapping[str, Any], place: Place) -> None:
        for name, check in {**self.required, **self.optional}.items():
            if name in value:
                check(value[name], place.at(name))
            elif name in self.required:
                place.at(name).report("This is required.")


@dataclass(frozen=True, slots=True)
class Kinds:
    """The check of an object that comes in kinds: the field `key` says which shape it has.

    `shared` are the fields that every kind must have.
    """

    key: str
    shapes: Mapping[str, Shape]
    shared: Mapping[str, Check] = field(default_factory=dict)

    def __call__(self, value: Any, place: Place) -> None:
        Shape(required={self.key: one_of(self.shapes), **self.shared})(value, place)
        kind = value.get(self.key) if isinstance(value, Mapping) else None
        if isinstance(kind, str) and kind in self.shapes:
            self.shapes[kind](value, place)
