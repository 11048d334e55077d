"""List the submissions of a form: for its sender, and for the app."""

from functools import partial
from operator import attrgetter

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.kernel.pages import Slice, SliceRequest, read_slice
from hubbub.records.interactions import store
from hubbub.records.interactions.model import Submission, SubmissionsNotShown
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def list_submissions(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, request: SliceRequest[int]
) -> Slice[Submission]:
    """List the submissions of a form, oldest first.

    The submissions of a deleted message are shown to the app only.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
        SubmissionsNotShown: the acting user did not send the message.
    """

    async def within(snapshot: Snapshot) -> Slice[Submission]:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        if not actor.is_app and message.sender != actor.uid:
            raise SubmissionsNotShown(actor.name, message_id)
        if not actor.is_app and message.deleted_at is not None:
            return Slice([], request.limit)
        fetch = partial(store.list_submissions, snapshot, message_id)
        return await read_slice(request, fetch, attrgetter("number"))

    return await runtime.database.read(app_id, within, user=actor.uid)
