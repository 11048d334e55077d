"""The events that a log can hold: their names, and that each is read as it was written."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

import hubbub
from hubbub.outbox.registry import KINDS, EventKind, decode, event, name_of

FOR_CLIENTS = {
    "conversation_deleted",
    "conversation_read",
    "conversation_reset",
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
}
INTERNAL = {
    "auth_token_revoked",
    "friends_added",
    "friends_removed",
    "messages_imported",
    "user_deleted",
    "users_deactivated",
    "users_reactivated",
}
RECEIPTS = {"message_delivery_receipt", "message_read_receipt"}
"""Names that the interface has given: no past tense."""
PAST = re.compile(r".*ed|.*_(left|read|reset|sent|unread)")
SAMPLES: dict[Any, Any] = {
    bool: True,
    int: 1_800_000_000,
    int | None: 7,
    str: 'Anna "é" \u0000',
    str | None: "ben",
    list[int]: [1, 2],
    list[str]: ["anna", "ben"],
}


def structs() -> Iterator[type]:
    """The structs of all areas' events that no other struct is based on."""
    root = Path(hubbub.__file__).parent
    for path in sorted(root.glob("records/*/events.py")):
        module = import_module(f"hubbub.records.{path.parent.name}.events")
        found = [each for each in vars(module).values() if isinstance(each, type)]
        own = [each for each in found if issubclass(each, msgspec.Struct)]
        yield from (each for each in own if not each.__subclasses__())


EVENTS = list(structs())
OF_HUBBUB = {name: kind for name, kind in KINDS.items() if kind.struct in EVENTS}
every_kind = pytest.mark.parametrize("kind", OF_HUBBUB.values(), ids=OF_HUBBUB.keys())


@pytest.mark.parametrize("struct", EVENTS, ids=lambda each: each.__name__)
def test_every_struct_is_registered(struct: type) -> None:
    """What an area declares in `events.py` has a name: its own, in snake case."""
    assert name_of(struct) == re.sub(r"(?<!^)([A-Z])", r"_\1", struct.__name__).lower()


def test_what_is_internal() -> None:
    """Nothing is added to what clients are shown, or taken from it, without this list."""
    internal = {name for name, kind in OF_HUBBUB.items() if kind.is_internal}

    assert internal == INTERNAL
    assert OF_HUBBUB.keys() - internal == FOR_CLIENTS


@every_kind
def test_names_say_what_happened(kind: EventKind) -> None:
    """A name is in the past tense, in snake case."""
    assert re.fullmatch(r"[a-z]+(_[a-z]+)+", kind.name)
    assert PAST.fullmatch(kind.name) or kind.name in RECEIPTS


@every_kind
def test_it_is_read_as_it_was_written(kind: EventKind) -> None:
    """An event that is encoded and decoded is the same; what a newer version added is dropped."""
    struct: Any = kind.struct
    written = struct(**{each.name: SAMPLES[each.type] for each in msgspec.structs.fields(struct)})
    newer = msgspec.json.encode({**msgspec.to_builtins(written), "added": [1]})

    assert decode(kind.name, msgspec.json.encode(written).decode()) == written
    assert decode(kind.name, newer.decode()) == written


def test_a_name_is_given_once() -> None:
    """A second struct under a name is refused when its module is imported."""
    with pytest.raises(ValueError, match="message_sent"):

        @event("message_sent")
        class AnotherSent(msgspec.Struct):
            at: int


def test_an_unknown_name_is_no_event() -> None:
    """Whoever decodes an event by a name that nobody has registered is told so."""
    with pytest.raises(KeyError, match="poll_closed"):
        decode("poll_closed", '{"at": 1}')
