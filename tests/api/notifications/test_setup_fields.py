"""Every field of a provider: its setup declares it, and bodies, answers and the store follow."""

from typing import Any

import msgspec
from msgspec import Struct
from tests.api.notifications.channel_samples import SAMPLES

from hubbub.kernel.fields import fields_of, mask
from hubbub.kernel.sealing import Sealer
from hubbub.kernel.text import MASK
from hubbub.records.notifications.setups import (
    CHANNEL_KINDS,
    PUSH_KINDS,
    TwilioSetup,
    open_setup,
    seal_setup,
)
from hubbub.rest.operations import OPERATIONS

KINDS: dict[str, type[Any]] = {**PUSH_KINDS, **CHANNEL_KINDS}


def test_bodies_and_answers_have_every_field() -> None:
    """The bodies and answers of a provider have all fields that clients write."""
    missing = []
    for operation in OPERATIONS:
        kind = operation.name.partition("_")[2].removesuffix("s").removesuffix("_provider")
        if kind in KINDS and operation.method != "DELETE":
            given = {field.wire_name for field in fields_of(KINDS[kind]) if field.is_given}
            type_ = operation.answer if operation.body is None else operation.body
            missing += [f"{operation.name}: {name}" for name in given - names_in(type_)]

    assert missing == []


def names_in(type_: Any) -> set[str]:
    """Return the names of the fields of a shape, or of the items of its list."""
    found: set[str] = set()
    for field in msgspec.structs.fields(type_):
        found.add(field.encode_name)
        items = getattr(field.type, "__args__", (None,))[0]
        if isinstance(items, type) and issubclass(items, Struct):
            found |= names_in(items)
    return found


def test_every_field_is_stored() -> None:
    """A setup with a value in each field is opened as it was sealed; no secret is in clear."""
    sealer = Sealer(bytes(32))
    for kind, setup in KINDS.items():
        value = full(setup)
        columns = seal_setup(sealer, value, "app", kind)
        assert open_setup(sealer, setup, columns["config"], columns["sealed"], "app", kind) == value
        assert "hush" not in columns["config"]
        assert "hush" not in str(mask(value))


def test_rows_of_other_versions_are_read() -> None:
    """A value that is stored as null, or under a name that is not declared, is not given."""
    sealer = Sealer(bytes(32))
    config = '{"account_sid":"AC1","sender_phone_number":null,"uses_stored_address":null}'
    sealed = sealer.seal('{"auth_token":"hush"}', "app", "twilio")
    setup = open_setup(sealer, TwilioSetup, config, sealed, "app", "twilio")

    assert setup == TwilioSetup(account_sid="AC1", auth_token="hush")


def full(struct: type[Any]) -> Any:
    """Return a struct whose secrets are `hush`, and whose other fields have a value, too."""
    values = {
        field.name: full(field.nested)
        if field.nested is not None
        else "hush"
        if field.is_secret
        else {bool: True, int: 7}.get(field.plain_type, f"some {field.name}")
        for field in fields_of(struct)
    }
    return struct(**values)


def test_the_samples_name_every_field() -> None:
    """A new field of a provider needs a value in its sample, or nothing tests what it is for."""
    for sample in SAMPLES:
        given = {field.wire_name for field in fields_of(sample.kind) if field.is_given}
        assert {*sample.body} == given
        assert MASK not in sample.body.values()
