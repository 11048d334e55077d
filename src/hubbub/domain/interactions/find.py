"""List the submissions of a form: for its sender, and for the app."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.records.interactions import store
from hubbub.records.interactions.model import Submission, SubmissionsNotShown
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Which stretch of a message's submissions is asked for: how many, and from where."""

    limit: int
    is_before: bool = False
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Submissions:
    """A stretch of submissions, ascending, and whether there are more on either side."""

    items: Sequence[Submission]
    limit: int
    has_older: bool
    has_newer: bool


async def list_submissions(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, stretch: Stretch
) -> Submissions:
    """List the submissions of a form, oldest first.

    The submissions of a deleted message are shown to the app only.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
        SubmissionsNotShown: the acting user did not send the message.
    """

    async def within(snapshot: Snapshot) -> Submissions:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        if not actor.is_app and message.sender != actor.uid:
            raise SubmissionsNotShown(actor.name, message_id)
        if not actor.is_app and message.deleted_at is not None:
            return Submissions([], stretch.limit, has_older=False, has_newer=False)
        return await _list(snapshot, message_id, stretch)

    return await runtime.database.read(app_id, within)


async def _list(snapshot: Snapshot, message_id: int, stretch: Stretch) -> Submissions:
    is_before = stretch.is_before
    found = await store.list_submissions(
        snapshot, message_id, stretch.id, is_before=is_before, limit=stretch.limit + 1
    )
    has_more = len(found) > stretch.limit
    if has_more:
        found = found[1:] if is_before else found[:-1]
    has_other = await _has_beyond(snapshot, message_id, found, stretch)
    return Submissions(
        found,
        stretch.limit,
        has_older=has_more if is_before else has_other,
        has_newer=has_other if is_before else has_more,
    )


async def _has_beyond(
    snapshot: Snapshot, message_id: int, found: Sequence[Submission], stretch: Stretch
) -> bool:
    """Whether there is a submission on the side that the stretch came from."""
    if stretch.id is None or not found:
        return False
    edge = found[-1] if stretch.is_before else found[0]
    other = await store.list_submissions(
        snapshot, message_id, edge.number, is_before=not stretch.is_before, limit=1
    )
    return bool(other)
