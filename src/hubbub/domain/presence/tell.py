"""Tell sessions whose presence has changed."""

from collections.abc import Sequence

from hubbub.domain.presence.batch import Presence
from hubbub.records.presence.signals import UserPresenceChanged
from hubbub.runtime import Runtime


async def tell_changes(runtime: Runtime, app_id: str, changes: Sequence[Presence]) -> None:
    """Tell the sessions of an app of users who are available now, or offline."""
    for change in changes:
        user = change.user
        if change.is_told and user is not None:
            runtime.signals.send(
                app_id,
                UserPresenceChanged(
                    user.uid,
                    user.name,
                    user.role,
                    user.status,
                    user.last_active_at,
                    runtime.clock.now(),
                ),
            )
