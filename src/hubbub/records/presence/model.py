"""Sessions, what is counted of them, and the nodes that hold them."""

from dataclasses import dataclass
from enum import StrEnum

import msgspec

LATE_SECONDS = 15
"""A node whose last beat is so old counts as failed: its sessions are closed."""
CONNECTED, DISCONNECTED = "connected", "disconnected"
SessionKey = tuple[str, str]
"""The node and the id of a session."""


class NodeState(StrEnum):
    """What is known of the sessions of a node."""

    LIVE = "live"
    SWEPT = "swept"
    """Sessions of it were closed since its last beat, and others may still be there."""
    EMPTY = "empty"
    """It was swept, and no session was left."""


class StoredSession(msgspec.Struct, frozen=True, gc=False):
    """A row of `sessions`: an authenticated connection of a user to a node."""

    node: str
    id: str
    uid: str
    platform: str | None
    resource: str | None
    connected_at: int

    @property
    def key(self) -> SessionKey:
        """Return what tells the session from all others of the app."""
        return self.node, self.id


@dataclass(frozen=True, slots=True)
class PresenceCounts:
    """What is stored of an app and a node before sessions are opened or closed."""

    is_archived: bool
    sessions: int
    """The open sessions of all nodes."""
    online: int
    """The users who are available."""
    node_state: str | None
    """The state of the node that opens sessions; None if the node is not stored."""
    beat_at: int | None

    def may_be_swept(self, now: int) -> bool:
        """Return whether other nodes may be closing the sessions of the node, or are about to."""
        is_late = self.beat_at is None or self.beat_at <= now - LATE_SECONDS // 2
        return is_late or self.node_state != NodeState.LIVE
