"""List the reactions to a message, with the users who gave them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import scopes_shown
from hubbub.domain.views.users import UserView, view_users
from hubbub.kernel.pages import Slice, SliceRequest, read_slice
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import Message, erased_user
from hubbub.records.reactions import store
from hubbub.records.reactions.model import Reaction
from hubbub.records.reactions.store import ReactionFilter
from hubbub.records.users.model import Person
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class ReactionView:
    """A reaction with the user who gave it."""

    reaction: Reaction
    by: UserView


async def list_reactions(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    message_id: int,
    request: SliceRequest[int],
    reaction: str | None = None,
) -> Slice[ReactionView]:
    """List the reactions to a message, oldest first.

    The reactions to a deleted message are shown to the app only. In groups, permissions may hide
    reactions of members of some scopes.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
        ScopeForbids: their scope in the group may not list reactions.
    """

    async def within(snapshot: Snapshot) -> Slice[ReactionView]:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        scopes = await _scopes_shown(snapshot, person, message)
        if message.deleted_at is not None and not actor.is_app:
            return Slice([], request.limit)
        wanted = ReactionFilter(message_id, message.conversation, reaction, scopes)
        return await _read_views(snapshot, actor, wanted, request)

    return await runtime.database.read(app_id, within, user=actor.uid)


async def _scopes_shown(snapshot: Snapshot, person: Person, message: Message) -> Sequence[str]:
    """Return the scopes of members whose reactions are shown; empty shows all."""
    if message.receiver_type != GROUP:
        return ()
    guid = message.receiver
    standing = await access_group_to_take_part(snapshot, person, guid, "listReactions")
    if standing.member is None:
        return ()
    allowed = scopes_shown(standing.group, standing.member.scope, "listReactions.allowedScopes")
    return sorted(allowed)


async def _read_views(
    snapshot: Snapshot, actor: Actor, wanted: ReactionFilter, request: SliceRequest[int]
) -> Slice[ReactionView]:
    found = await read_slice(
        request, partial(store.list_reactions, snapshot, wanted), attrgetter("number")
    )
    views = await _view_reactions(snapshot, actor, found.items)
    return Slice(views, found.limit, has_older=found.has_older, has_newer=found.has_newer)


async def _view_reactions(
    snapshot: Snapshot, actor: Actor, reactions: Sequence[Reaction]
) -> list[ReactionView]:
    uids = {each.uid for each in reactions}
    users = await find_users(snapshot, uids)
    views = await view_users(
        snapshot, actor.uid, [users.get(uid) or erased_user(uid) for uid in uids]
    )
    by_uid = {each.user.uid: each for each in views}
    return [ReactionView(each, by_uid[each.uid]) for each in reactions]
