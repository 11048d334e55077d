"""Events of presence."""

import msgspec

from hubbub.outbox.audience import NOBODY
from hubbub.outbox.registry import event


@event("user_connected", told=NOBODY, actor="uid", internal=True)
class UserConnected(msgspec.Struct, frozen=True, gc=False):
    """The user connected for the first time on a day."""

    uid: str
    at: int


@event(
    "user_connection_status_changed",
    "A user connected or disconnected.",
    told=NOBODY,
    actor=None,
    trigger="user",
    internal=True,
    authors=("uid",),
    redacted={"platform": None},
)
class UserConnectionStatusChanged(msgspec.Struct, frozen=True, gc=False):
    """A session was opened or closed. Only written if a webhook is to be told."""

    uid: str
    status: str
    action: str
    platform: str | None
    connected_at: int
    presence_changed: bool
    at: int
