"""List who has voted in a poll, unless it is anonymous."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_actor
from hubbub.kernel.pages import Slice, SliceRequest, read_slice
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import erased_user
from hubbub.records.polls import store
from hubbub.records.polls.model import NotAPoll, Vote, VotesAreAnonymous
from hubbub.records.users.model import User
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class VoteView:
    """The votes of a user in a poll, with the user."""

    vote: Vote
    by: User


async def list_votes(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    message_id: int,
    request: SliceRequest[int],
    option: int | None = None,
) -> Slice[VoteView]:
    """List who has voted in a poll, or for one of its options, oldest first.

    The votes in a deleted message are shown to the app only.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
        GroupNotJoined, BannedMember: they have left the group.
        NotAPoll: the message is no poll.
        VotesAreAnonymous: nobody is told who has voted in it.
    """

    async def within(snapshot: Snapshot) -> Slice[VoteView]:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        if message.receiver_type == GROUP:
            await access_group_to_take_part(snapshot, person, message.receiver)
        poll = (await store.find_polls(snapshot, [message_id])).get(message_id)
        if poll is None:
            raise NotAPoll(message_id)
        if poll.is_anonymous:
            raise VotesAreAnonymous(message_id)
        if message.deleted_at is not None and not actor.is_app:
            return Slice([], request.limit)
        find = partial(store.list_votes, snapshot, message_id, option=option)
        found = await read_slice(request, find, attrgetter("number"))
        views = await _view_votes(snapshot, found.items)
        return Slice(views, found.limit, has_older=found.has_older, has_newer=found.has_newer)

    return await runtime.database.read(app_id, within, user=actor.uid)


async def _view_votes(snapshot: Snapshot, votes: Sequence[Vote]) -> list[VoteView]:
    users = await find_users(snapshot, {each.uid for each in votes})
    return [VoteView(each, users.get(each.uid) or erased_user(each.uid)) for each in votes]
