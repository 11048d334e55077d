"""The texts of a message that rules look at: its text, names of files, forms, and custom data."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

TEXT = "text"
ATTACHMENTS = "attachments"
NESTED = (
    "customData",
    "custom_data",
    "interactiveData",
    "formFields",
    "submitElement",
    "title",
    "question",
    "options",
)
"""The fields of data whose strings are looked at, however deep they are."""


class _Data(msgspec.Struct, rename={"custom_data_too": "custom_data"}):
    text: Any = None
    attachments: Any = None
    customData: Any = None  # noqa: N815  # as it is on the wire
    custom_data_too: Any = None
    interactiveData: Any = None  # noqa: N815  # the same
    formFields: Any = None  # noqa: N815  # the same
    submitElement: Any = None  # noqa: N815  # the same
    title: Any = None
    question: Any = None
    options: Any = None


_decode = msgspec.json.Decoder(_Data).decode
decode_data: Callable[[str], dict[str, Any]] = msgspec.json.Decoder(dict[str, Any]).decode


def texts_of(data: str) -> list[str]:
    """Return the texts of a message, whose data is JSON."""
    found = _decode(data)
    texts = [found.text] if isinstance(found.text, str) and found.text else []
    if found.attachments is not None:
        texts += _names(found.attachments)
    for nested in (
        found.customData,
        found.custom_data_too,
        found.interactiveData,
        found.formFields,
        found.submitElement,
        found.title,
        found.question,
        found.options,
    ):
        if nested is not None:
            texts += _strings(nested)
    return texts


def _names(attachments: Any) -> Iterator[str]:
    for each in attachments if isinstance(attachments, list) else ():
        name = each.get("name") if isinstance(each, dict) else None
        if isinstance(name, str) and name:
            yield name


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
        return
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _strings(part)


def with_changed_texts(data: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Return data whose texts are changed."""
    changed = dict(data)
    if isinstance(changed.get(TEXT), str):
        changed[TEXT] = change(changed[TEXT])
    if isinstance(changed.get(ATTACHMENTS), list):
        changed[ATTACHMENTS] = [_renamed(each, change) for each in changed[ATTACHMENTS]]
    for name in NESTED:
        if name in changed:
            changed[name] = _with_changed_strings(changed[name], change)
    return changed


def _renamed(attachment: Any, change: Callable[[str], str]) -> Any:
    if isinstance(attachment, dict) and isinstance(attachment.get("name"), str):
        return {**attachment, "name": change(attachment["name"])}
    return attachment


def _with_changed_strings(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _with_changed_strings(part, change) for name, part in value.items()}
    if isinstance(value, list):
        return [_with_changed_strings(part, change) for part in value]
    return value
