"""The registered events: their names, what is stated of them, and encoding."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

import hubbub
from hubbub.outbox.audience import NOBODY, participant_keys
from hubbub.outbox.registry import KINDS, NAMES, EventKind, decode, event
from hubbub.records import AREAS_WITH_EVENTS

RECEIPTS = {"message_delivery_receipt", "message_read_receipt"}
"""Names of webhook triggers that are not in the past tense."""
ACTORS = ("by", "sender", "uid")
"""The fields with who did it: the first of them that an event has."""
SENTENCE = re.compile(r"[A-Z].+\.")
PAST = re.compile(r".*ed|.*_(grown|left|read|reset|sent|unread)")
IDS = {
    *("uid", "uids", "by", "owner", "old_owner", "guid", "sender", "receiver", "of", "not_of"),
    *("blocked", "unblocked", "friends", "left_id", "right_id", "webhook", "role", "hashes"),
    "scheduled",
}
WORDS = {
    *("receiver_type", "type", "kind", "scope", "old_scope", "status", "action"),
    *("triggers", "permissions", "list_users", "restricted", "code"),
}
SAMPLES: dict[Any, Any] = {
    bool: True,
    int: 1_800_000_000,
    int | None: 7,
    str: 'Anna "é" \u0000',
    str | None: "ben",
    list[int]: [1, 2],
    list[str]: ["anna", "ben"],
    dict[str, str | list[str]]: {"createGroup": "deny", "listUsers.allowedRoles": ["staff"]},
}


def structs() -> Iterator[type]:
    """The event structs of all areas, without their base structs."""
    root = Path(hubbub.__file__).parent
    for path in sorted(root.glob("records/*/events.py")):
        module = import_module(f"hubbub.records.{path.parent.name}.events")
        found = [each for each in vars(module).values() if isinstance(each, type)]
        own = [each for each in found if issubclass(each, msgspec.Struct)]
        yield from (each for each in own if not each.__subclasses__())


EVENTS = list(structs())
OF_HUBBUB = {name: kind for name, kind in KINDS.items() if kind.struct in EVENTS}


def test_every_struct_is_registered() -> None:
    """Each struct of an area's `events.py` is registered under its own name in snake case."""
    assert {struct.__name__: NAMES.get(struct) for struct in EVENTS} == {
        struct.__name__: re.sub(r"(?<!^)([A-Z])", r"_\1", struct.__name__).lower()
        for struct in EVENTS
    }


def test_every_area_is_registered() -> None:
    """Whoever imports any record has the events of all areas, of which tables are made."""
    root = Path(hubbub.__file__).parent

    assert {path.parent.name for path in root.glob("records/*/events.py")} == {*AREAS_WITH_EVENTS}


def test_events_are_stated_whole() -> None:
    """A document says of each event what happened; internal ones are told to no client."""
    faults = {name for name, kind in OF_HUBBUB.items() if not is_stated_whole(kind)}

    assert faults == set()


def is_stated_whole(kind: EventKind) -> bool:
    """Return whether all is stated that follows from who is told of an event."""
    if kind.is_internal:
        return not kind.told.text and bool(kind.text) == bool(kind.trigger)
    sentences = {kind.text} | ({kind.trigger_text} if kind.trigger else set())
    return all(SENTENCE.fullmatch(each) for each in sentences)


def test_events_have_the_fields_that_are_named() -> None:
    """The actor is who the event names as the one who did it; messages are those that it names."""
    for kind in OF_HUBBUB.values():
        struct: Any = kind.struct
        fields = [field.name for field in msgspec.structs.fields(struct)]
        event = struct(**{name: name for name in fields})
        if kind.actor is not None:
            assert kind.actor(event) == next(each for each in ACTORS if each in fields)
        if kind.content is not None:
            content: Any = kind.content(event)
            assert content == ("on" if "on" in fields else "message")


def test_earlier_messages_may_be_hidden() -> None:
    """An event about a message, told to all participants, says which may be older than a member.

    So does that of a message that was held, and is delivered late.
    """
    about = {
        name
        for name, kind in OF_HUBBUB.items()
        if kind.told.keys is participant_keys and hasattr(kind.struct, "message")
    }

    about.add("message_sent")
    assert {name for name, kind in OF_HUBBUB.items() if kind.told.earlier is not None} == about


def test_names_say_what_happened() -> None:
    """Names are in snake case and in the past tense."""
    assert [name for name in OF_HUBBUB if not re.fullmatch(r"[a-z]+(_[a-z]+)+", name)] == []
    assert {name for name in OF_HUBBUB if not PAST.fullmatch(name)} == RECEIPTS


def test_events_hold_no_text() -> None:
    """Each field with text is an id or a word of Hubbub's, or is redacted with its author."""
    faults = {name: faults_of(kind) for name, kind in OF_HUBBUB.items()}

    assert {name: fields for name, fields in faults.items() if fields} == {}


def faults_of(kind: EventKind) -> set[str]:
    """Return the fields of an event that would keep text, or are redacted wrongly."""
    struct: Any = kind.struct
    fields = {each.name: each.type for each in msgspec.structs.fields(struct)}
    texts = {name for name, type_ in fields.items() if "str" in str(type_)}
    redacted, authors = kind.redacted.keys(), {*kind.authors}
    lone = redacted | authors if bool(redacted) != bool(authors) else set()
    return (texts - redacted - IDS - WORDS) | ((redacted | authors) - fields.keys()) | lone


def test_events_survive_encoding() -> None:
    """An event survives encoding and decoding; a field that a newer version added is dropped."""
    for kind in OF_HUBBUB.values():
        struct: Any = kind.struct
        fields = msgspec.structs.fields(struct)
        written = struct(**{each.name: SAMPLES[each.type] for each in fields})
        newer = msgspec.json.encode({**msgspec.to_builtins(written), "added": [1]})

        assert decode(kind.name, msgspec.json.encode(written).decode()) == [written]
        assert decode(kind.name, newer.decode()) == [written]


def test_a_name_is_given_once() -> None:
    """A second struct with the same name is refused when its module is imported."""
    with pytest.raises(ValueError, match="message_sent"):

        @event("message_sent", told=NOBODY, actor=None)
        class AnotherSent(msgspec.Struct):
            at: int


def test_an_unknown_name_is_refused() -> None:
    """Decoding an event whose name is not registered raises an error."""
    with pytest.raises(KeyError, match="event_of_a_newer_version"):
        decode("event_of_a_newer_version", '{"at": 1}')
