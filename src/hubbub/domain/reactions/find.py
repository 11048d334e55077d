"""Find the reactions to a message, with those who gave them."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import scopes_shown
from hubbub.domain.views.users import UserView, view_users
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
class Stretch:
    """Which stretch of a message's reactions is asked for: how many, and from which id."""

    limit: int
    is_before: bool = False
    id: int | None = None


@dataclass(frozen=True, slots=True)
class ReactionView:
    """A reaction with who gave it."""

    reaction: Reaction
    by: UserView


@dataclass(frozen=True, slots=True)
class Reactions:
    """A stretch of reactions, ascending, and whether there is more on either side."""

    items: Sequence[ReactionView]
    limit: int
    has_older: bool
    has_newer: bool


async def list_reactions(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    message_id: int,
    stretch: Stretch,
    reaction: str | None = None,
) -> Reactions:
    """The reactions to a message, in the order in which they were given.

    A message that was deleted shows users none. In groups, permissions may show less.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or does not see it.
        ScopeForbids: his scope in the group may not.
    """

    async def within(snapshot: Snapshot) -> Reactions:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        scopes = await _scopes_shown(snapshot, person, message)
        if message.deleted_at is not None and not actor.is_app:
            return Reactions([], stretch.limit, has_older=False, has_newer=False)
        wanted = ReactionFilter(message_id, message.conversation, reaction, scopes)
        return await _list(snapshot, actor, wanted, stretch)

    return await runtime.database.read(app_id, within)


async def _scopes_shown(snapshot: Snapshot, person: Person, message: Message) -> Sequence[str]:
    """The scopes of those whose reactions are shown; empty: all."""
    if message.receiver_type != GROUP:
        return ()
    guid = message.receiver
    standing = await access_group_to_take_part(snapshot, person, guid, "listReactions")
    if standing.member is None:
        return ()
    allowed = scopes_shown(standing.group, standing.member.scope, "listReactions.allowedScopes")
    return sorted(allowed)


async def _list(
    snapshot: Snapshot, actor: Actor, wanted: ReactionFilter, stretch: Stretch
) -> Reactions:
    found = await store.list_reactions(
        snapshot, wanted, stretch.id, is_before=stretch.is_before, limit=stretch.limit + 1
    )
    has_more = len(found) > stretch.limit
    if has_more:
        found = found[1:] if stretch.is_before else found[:-1]
    has_other = await _has_beyond(snapshot, wanted, found, stretch)
    return Reactions(
        await _see(snapshot, actor, found),
        stretch.limit,
        has_older=has_more if stretch.is_before else has_other,
        has_newer=has_other if stretch.is_before else has_more,
    )


async def _has_beyond(
    snapshot: Snapshot, wanted: ReactionFilter, found: Sequence[Reaction], stretch: Stretch
) -> bool:
    """Whether there is a reaction on the side that the stretch came from."""
    if stretch.id is None or not found:
        return False
    edge = found[-1] if stretch.is_before else found[0]
    other = await store.list_reactions(
        snapshot, wanted, edge.number, is_before=not stretch.is_before, limit=1
    )
    return bool(other)


async def _see(
    snapshot: Snapshot, actor: Actor, reactions: Sequence[Reaction]
) -> list[ReactionView]:
    uids = {each.uid for each in reactions}
    users = await find_users(snapshot, uids)
    seen = await view_users(
        snapshot, actor.uid, [users.get(uid) or erased_user(uid) for uid in uids]
    )
    by_uid = {each.user.uid: each for each in seen}
    return [ReactionView(each, by_uid[each.uid]) for each in reactions]
