"""Look at a user as their operator does: in any state, with what they are signed in with."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.records.devices.model import PushDevice
from hubbub.records.devices.store import list_devices
from hubbub.records.presence.model import StoredSession
from hubbub.records.presence.store import list_all_sessions_of
from hubbub.records.tokens.model import TokenSession
from hubbub.records.tokens.store import list_sessions
from hubbub.records.users.model import UidNotFound, User
from hubbub.records.users.store import find_user
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

MOST_TOKENS = 100


@dataclass(frozen=True, slots=True)
class InspectedUser:
    """A user with their connections, push tokens and auth tokens, the newest first."""

    user: User
    sessions: Sequence[StoredSession]
    devices: Sequence[PushDevice]
    tokens: Sequence[TokenSession]


async def inspect_user(runtime: Runtime, app_id: str, uid: str) -> InspectedUser:
    """Return a user, deactivated and softly deleted ones too.

    Raises:
        UidNotFound: there is no such user.
    """
    now = runtime.clock.now()

    async def within(snapshot: Snapshot) -> InspectedUser:
        user = await find_user(snapshot, uid)
        if user is None:
            raise UidNotFound(uid)
        return InspectedUser(
            user,
            await list_all_sessions_of(snapshot, [uid]),
            await list_devices(snapshot, [uid]),
            await list_sessions(snapshot, uid, now=now, limit=MOST_TOKENS, offset=0),
        )

    return await runtime.database.read(app_id, within)
