"""The payload of the trigger about connections."""

from typing import Annotated

import msgspec

from hubbub.http.documented import documented_as
from hubbub.records.presence.events import UserConnectionStatusChanged
from hubbub.rest.payloads.areas.people import PayloadUser, payload_user
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import ANNA, NOW
from hubbub.rest.wire.enums import UserStatus
from hubbub.rest.wire.shapes import Json, Shape


class CurrentConnection(Shape, kw_only=True):
    """A connection of a user, and what happened to it; the time is in milliseconds."""

    action: str
    platform: str | None = None
    connected_at: int


class ConnectionPayload(Shape, kw_only=True):
    """The data of `user_connection_status_changed`; the time is in milliseconds.

    `userPresenceChanged` is false if the user has other connections.
    """

    timestamp: int
    user: PayloadUser
    status: Annotated[str, documented_as(UserStatus)]
    current_connection: CurrentConnection
    user_presence_changed: bool


def connection_changed(facts: Facts, event: UserConnectionStatusChanged) -> ConnectionPayload:
    """Return the data of `user_connection_status_changed`, with the status as it was then."""
    user = msgspec.structs.replace(facts.user(event.uid), status=event.status)
    return ConnectionPayload(
        timestamp=event.at * 1000,
        user=payload_user(user),
        status=event.status,
        current_connection=CurrentConnection(
            action=event.action, platform=event.platform, connected_at=event.connected_at * 1000
        ),
        user_presence_changed=event.presence_changed,
    )


def _add_ids(named: Named, event: UserConnectionStatusChanged) -> None:
    named.uids.add(event.uid)


PAYLOADS = (
    Payload((UserConnectionStatusChanged,), ConnectionPayload, connection_changed, _add_ids),
)

SAMPLES: dict[str, Json] = {
    "user_connection_status_changed": {
        "timestamp": NOW * 1000,
        "user": {**ANNA, "status": "available"},
        "status": "available",
        "currentConnection": {
            "action": "connected",
            "platform": "web",
            "connectedAt": NOW * 1000,
        },
        "userPresenceChanged": True,
    }
}
