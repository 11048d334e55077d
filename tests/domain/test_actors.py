"""Every event either names the user who caused it, or makes nobody active."""

from typing import Any

import msgspec
import pytest

from hubbub.domain.metrics.actors import ACTORS
from hubbub.outbox.registry import KINDS

OF_NOBODY = {
    "bot_created",
    "conversation_delivered",
    "friends_added",
    "friends_removed",
    "message_reaction_imported",
    "messages_deleted",
    "members_imported",
    "messages_imported",
    "role_permissions_changed",
    "user_connection_status_changed",
    "user_deleted",
    "user_role_changed",
    "users_deactivated",
    "users_reactivated",
    "webhook_changed",
    "webhook_paused",
    "webhook_tested",
}
"""What the app or the node does, and chunks of an erasure, whose request has its own event."""
OF_HUBBUB = {
    name: kind.struct for name, kind in KINDS.items() if kind.struct.__module__.startswith("hubbub")
}


def test_each_event_is_decided_about() -> None:
    """A new event is added to `ACTORS`, or here."""
    named = {name for name, struct in OF_HUBBUB.items() if struct in ACTORS}

    assert named | OF_NOBODY >= OF_HUBBUB.keys()
    assert not named & OF_NOBODY


@pytest.mark.parametrize("struct", ACTORS, ids=lambda struct: struct.__name__)
def test_the_actor_of_an_event(struct: Any) -> None:
    """The actor is the user whom the event names as the one who did it."""
    fields = [field.name for field in msgspec.structs.fields(struct)]
    event = struct(**{name: name for name in fields})
    expected = "by" if "by" in fields else "sender" if "sender" in fields else "uid"

    assert ACTORS[struct](event) == expected
