"""Store which sessions of this node are open."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.presence.batch import CHANGE, Closing, Opening, Presence
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.presence.model import StoredSession
from hubbub.runtime import Runtime

AT_ONCE = 1_000
"""The changes that are stored together; others wait, so that users can connect meanwhile."""
LONGEST_DEVICE = 200
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")
"""What PostgreSQL does not store as text."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """An authenticated connection to this node; the id is given once."""

    id: str
    uid: str
    platform: str | None = None
    resource: str | None = None
    connected_at: int | None = None
    """When it was opened, if it is stored later or again; None is now."""


@dataclass(frozen=True, slots=True)
class EndedSession:
    """A connection to this node that has ended."""

    id: str
    uid: str


async def store_sessions(
    runtime: Runtime, app_id: str, changes: Sequence[NewSession | EndedSession]
) -> list[Presence | Refusal]:
    """Store which sessions are open, in order; return each one's user as they are then.

    A session that is open or ended already is no change. The refusals: `NotAuthenticated`, the app
    does not exist, or is deleted; `UidNotFound`, the user does not exist, or is not active;
    `Unavailable`, the store can't be reached, or too much is waiting.

    Raises:
        BadInput: the platform or the resource of a device is too long, or no text.
    """
    drafts = [
        _opening(runtime, each)
        if isinstance(each, NewSession)
        else Closing(runtime.node, each.id, each.uid)
        for each in changes
    ]
    outcomes: list[Presence | Refusal] = []
    for start in range(0, len(drafts), AT_ONCE):
        some = drafts[start : start + AT_ONCE]
        outcomes += await CHANGE.call_all(runtime.batches, app_id, some)
    return outcomes


def check_device(platform: str | None, resource: str | None) -> None:
    """Check how a client describes its device.

    Raises:
        BadInput: the platform or the resource is too long, or no text.
    """
    for field, text in (("platform", platform), ("resource", resource)):
        if text is not None and (len(text) > LONGEST_DEVICE or _NOT_TEXT.search(text)):
            raise BadInput.field(
                f"device.{field}", f"This must be text of at most {LONGEST_DEVICE} characters."
            )


def _opening(runtime: Runtime, session: NewSession) -> Opening:
    check_device(session.platform, session.resource)
    at = runtime.clock.now() if session.connected_at is None else session.connected_at
    return Opening(
        StoredSession(runtime.node, session.id, session.uid, session.platform, session.resource, at)
    )
