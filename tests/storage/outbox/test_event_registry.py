"""The registered events: their names, which are internal, and encoding."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

import hubbub
from hubbub.outbox.registry import KINDS, NAMES, EventKind, decode, event

FOR_CLIENTS = {
    "conversation_deleted",
    "conversation_read",
    "conversation_reset",
    "conversation_delivered",
    "conversation_unread",
    "conversation_updated",
    "group_created",
    "group_deleted",
    "group_member_added",
    "group_member_banned",
    "group_member_joined",
    "group_member_kicked",
    "group_member_left",
    "group_member_scope_changed",
    "group_member_unbanned",
    "group_owner_transferred",
    "group_updated",
    "interaction_goal_completed",
    "interactive_form_submitted",
    "message_deleted",
    "message_delivery_receipt",
    "message_edited",
    "message_interacted",
    "message_pinned",
    "message_reaction_added",
    "message_reaction_removed",
    "message_read_receipt",
    "message_sent",
    "message_unpinned",
    "messages_deleted",
    "user_blocked",
    "user_unblocked",
    "webhook_paused",
}
INTERNAL = {
    "auth_token_revoked",
    "bot_created",
    "friends_added",
    "friends_removed",
    "message_reaction_imported",
    "members_imported",
    "messages_imported",
    "role_permissions_changed",
    "user_connected",
    "user_connection_status_changed",
    "user_deleted",
    "user_role_changed",
    "users_deactivated",
    "users_reactivated",
    "webhook_changed",
    "webhook_tested",
}
RECEIPTS = {"message_delivery_receipt", "message_read_receipt"}
"""Names of webhook triggers that are not in the past tense."""
PAST = re.compile(r".*ed|.*_(left|read|reset|sent|unread)")
IDS = {
    *("uid", "uids", "by", "owner", "old_owner", "guid", "sender", "receiver", "of", "not_of"),
    *("blocked", "unblocked", "friends", "left_id", "right_id", "webhook", "role", "hashes"),
}
WORDS = {
    *("receiver_type", "type", "kind", "scope", "old_scope", "status", "action"),
    *("triggers", "permissions", "list_users", "restricted"),
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


def test_internal_events() -> None:
    """These events are shown to clients, and these are not: a change is made here, too."""
    internal = {name for name, kind in OF_HUBBUB.items() if kind.is_internal}

    assert internal == INTERNAL
    assert OF_HUBBUB.keys() - internal == FOR_CLIENTS


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

        @event("message_sent")
        class AnotherSent(msgspec.Struct):
            at: int


def test_an_unknown_name_is_refused() -> None:
    """Decoding an event whose name is not registered raises an error."""
    with pytest.raises(KeyError, match="event_of_a_newer_version"):
        decode("event_of_a_newer_version", '{"at": 1}')
