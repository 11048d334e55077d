"""Forms of providers that an app has at most one of, from the fields that their setups declare."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from hubbub.http.contract.schemas import ANY, description_of
from hubbub.http.decoding.decode import convert_body
from hubbub.kernel.fields import Field, FieldMark, fields_of, mask
from hubbub.records.notifications.setups import CHANNEL_KINDS, ChannelSetup, PushSetup
from hubbub.rest.wire.derived import given_fields, saved_fields
from hubbub.rest.wire.shapes import Shape

TRUTHS = {"true": True, "false": False}
_SAVED: Mapping[type[ChannelSetup], type[Struct]] = {
    kind: msgspec.defstruct(
        f"Saved{kind.__name__}", saved_fields(kind), bases=(Shape,), kw_only=True
    )
    for kind in CHANNEL_KINDS.values()
}
"""What the interface accepts for each kind."""


@dataclass(frozen=True, slots=True)
class ChannelField:
    """A field of a form."""

    name: str
    about: str
    value: str
    is_secret: bool
    is_required: bool
    options: Sequence[tuple[str, str]]
    """Pairs of value and label, if there are few values."""


def channel_fields(kind: type[ChannelSetup], stored: ChannelSetup | None) -> Iterator[ChannelField]:
    """Yield the fields of a form with what is stored; secrets as the mark that keeps them."""
    shown = None if stored is None else mask(stored)
    for field in fields_of(kind):
        if field.is_given:
            yield ChannelField(
                name=field.wire_name,
                about=_about(field),
                value=_value(field, shown),
                is_secret=field.is_secret,
                is_required=field.absent is None and not _may_be_empty(field),
                options=_options(field),
            )


def read_channel(kind: type[ChannelSetup], entered: Mapping[str, str]) -> ChannelSetup:
    """Return the setup that a form has, by the limits of the interface.

    Raises:
        BadInput: a value is missing or does not fit.
    """
    given = {}
    for field in fields_of(kind):
        text = entered.get(field.wire_name)
        if field.is_given and text is not None and (text or field.absent is None):
            given[field.wire_name] = _read(field, text)
    return kind(**given_fields(convert_body(given, _SAVED[kind]), kind))


def shown_setup(setup: ChannelSetup | PushSetup) -> dict[str, Any]:
    """Return the fields of a setup by name, with a mark in the place of secrets."""
    shown = mask(setup)
    return {
        field.wire_name: msgspec.to_builtins(value)
        for field in fields_of(type(setup))
        if FieldMark.INTERNAL not in field.marks
        and (value := getattr(shown, field.name)) not in (None, "")
    }


def _about(field: Field) -> str:
    notes = get_args(field.given_type)
    said = [each.description for each in notes if isinstance(each, Meta) and each.description]
    return field.about or next(iter(said), "") or description_of(ANY, field.wire_name) or ""


def _value(field: Field, shown: ChannelSetup | None) -> str:
    value = getattr(shown, field.name, None)
    if value is None and field.absent is not None:
        value = field.absent.means
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _options(field: Field) -> Sequence[tuple[str, str]]:
    if field.plain_type is bool:
        return [("true", "yes"), ("false", "no")]
    if get_origin(field.plain_type) is Literal:
        return [(each, each) for each in get_args(field.plain_type)]
    return ()


def _may_be_empty(field: Field) -> bool:
    """Return whether the interface accepts an empty text."""
    try:
        msgspec.convert("", field.given_type)
    except msgspec.ValidationError:
        return False
    return True


def _read(field: Field, text: str) -> Any:
    """Return the value that a text means; the text itself if it means none."""
    if field.plain_type is bool:
        return TRUTHS.get(text, text)
    if field.plain_type is int and text.isascii() and text.isdecimal():
        return int(text)
    return text
