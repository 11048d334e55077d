"""Tell sessions whose presence has changed, and check who may be told."""

from collections.abc import Sequence

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import check_verb
from hubbub.domain.presence.batch import Presence
from hubbub.records.presence.signals import UserPresenceChanged
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


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


async def check_subscriber(
    runtime: Runtime, app_id: str, actor: Actor, *, lists_users: bool
) -> None:
    """Check that a user may be told of the presence of others, or of friends only.

    Raises:
        AuthTokenUnknown: the token was revoked.
        FeatureRestricted, RoleForbids: the user's role may not list users.
    """

    async def within(snapshot: Snapshot) -> None:
        person = await access_actor(snapshot, actor if lists_users else actor.using())
        if lists_users:
            check_verb(person.rules, "listUsers")

    await runtime.database.read(app_id, within, is_short=True)
