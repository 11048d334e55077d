"""Find messages: one by id, or a stretch of a history."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_conversation_id, access_message, is_shown
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_actor, access_user
from hubbub.domain.search.find import count_found, list_found
from hubbub.domain.views.messages import NO_INCLUDES, view_messages
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations import store as conversations_store
from hubbub.records.conversations.model import user_key
from hubbub.records.messages import store
from hubbub.records.messages.counts import MOST_COUNTS, Count, count_messages
from hubbub.records.messages.listing import MessageCursor, MessageFilter
from hubbub.records.messages.model import Includes, Message, MessageView
from hubbub.records.roles.model import RoleRules
from hubbub.records.search.model import normalise
from hubbub.records.users.store import find_person
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

NO_CATEGORY = "-"
"""What no message's category is: it stands for an empty choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Which stretch of a history is asked for: how many messages, and from where."""

    limit: int
    offset: int = 0
    is_before: bool = False
    id: int | None = None
    sent_at: int | None = None
    also: Includes = NO_INCLUDES
    is_count: bool = False
    """Whether only numbers are asked for: of all that the filter lets through, from anywhere."""

    @property
    def most(self) -> int:
        """How many rows there may be."""
        return MOST_COUNTS if self.is_count else self.limit


@dataclass(frozen=True, slots=True)
class History:
    """A stretch of a history, ascending."""

    messages: Sequence[MessageView]
    limit: int
    older: MessageCursor | None = None
    """From where it goes on, if there is more on that side."""
    newer: MessageCursor | None = None
    counts: Sequence[Count] | None = None
    """Numbers in the place of messages, if these are asked for."""


async def get_message(runtime: Runtime, app_id: str, actor: Actor, message_id: int) -> MessageView:
    """The message of that id.

    Raises:
        MessageIdNotFound: there is none, or none that the acting user may see.
        UidNotFound: there is no such acting user.
    """

    async def within(snapshot: Snapshot) -> MessageView:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        return (await view_messages(snapshot, [message], actor.uid))[0]

    return await runtime.database.read(app_id, within)


async def list_all(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    wanted: MessageFilter,
    stretch: Stretch,
    conversation_id: str | None = None,
) -> History:
    """The messages of the app; for an acting user, of the conversations that he takes part in.

    Raises:
        UidNotFound: there is no such acting user.
        ConversationNotAccessible: `conversation_id` names none that he takes part in.
        BadInput: it may mean several, and no user acts.
    """

    async def within(snapshot: Snapshot) -> History:
        person = await access_actor(snapshot, actor)
        scoped = replace(as_far_as_allowed(person.rules, wanted), viewer=actor.uid)
        if conversation_id is not None:
            number = await access_conversation_id(snapshot, actor, conversation_id)
            hidden = await conversations_store.find_hidden_id(snapshot, number, actor.uid)
            scoped = replace(scoped, conversation=number, after_id=hidden or 0)
        return await _list(snapshot, scoped, stretch, actor)

    return await runtime.database.read(app_id, within)


async def list_with_user(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, wanted: MessageFilter, stretch: Stretch
) -> History:
    """The one-to-one messages between the acting user and `uid`; without one, all of `uid`'s.

    Raises:
        UidNotFound: one of the two does not exist.
    """

    async def within(snapshot: Snapshot) -> History:
        person = await access_actor(snapshot, actor)
        if uid != SYSTEM_UID:
            await access_user(snapshot, uid)
        allowed = as_far_as_allowed(person.rules, wanted)
        if actor.uid is None:
            numbers = await conversations_store.list_user_conversations(snapshot, uid)
            scoped = replace(allowed, conversations=[number for number, _ in numbers])
            return await _list(snapshot, scoped, stretch, actor, whose=uid)
        key = user_key(actor.uid, uid)
        found = (await conversations_store.find_conversations(snapshot, [key])).get(key)
        if found is None:
            return History([], stretch.most)
        hidden = await conversations_store.find_hidden_id(snapshot, found.number, actor.uid)
        scoped = replace(allowed, conversation=found.number, after_id=hidden or 0)
        return await _list(snapshot, scoped, stretch, actor)

    return await runtime.database.read(app_id, within)


async def list_in_group(
    runtime: Runtime, app_id: str, actor: Actor, guid: str, wanted: MessageFilter, stretch: Stretch
) -> History:
    """The messages of a group.

    Raises:
        UidNotFound: there is no such acting user.
        GuidNotFound: there is no such group, or none that he may see.
        GroupNotJoined, BannedMember: he sees it and is no member.
    """

    async def within(snapshot: Snapshot) -> History:
        person = await access_actor(snapshot, actor)
        group = (await access_group_to_take_part(snapshot, person, guid)).group
        hidden = await conversations_store.find_hidden_id(snapshot, group.conversation, actor.uid)
        allowed = as_far_as_allowed(person.rules, wanted)
        scoped = replace(allowed, conversation=group.conversation, after_id=hidden or 0)
        return await _list(snapshot, scoped, stretch, actor)

    return await runtime.database.read(app_id, within)


async def list_in_thread(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    parent_id: int,
    wanted: MessageFilter,
    stretch: Stretch,
) -> History:
    """The replies in the thread of a message.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or his role may not.
        MessageIdNotFound: there is no such message, or none that he may see.
    """

    async def within(snapshot: Snapshot) -> History:
        person = await access_actor(snapshot, actor)
        parent = await access_message(snapshot, person, parent_id)
        scoped = replace(
            as_far_as_allowed(person.rules, wanted),
            conversation=parent.conversation,
            parent=parent_id,
        )
        return await _list(snapshot, scoped, stretch, actor)

    return await runtime.database.read(app_id, within)


def as_far_as_allowed(rules: RoleRules, wanted: MessageFilter) -> MessageFilter:
    """The filter, narrowed to the kinds of messages that a role may list."""
    categories = rules.listed("listMessages.allowedMessageCategories")
    if categories:
        left = categories & set(wanted.categories) if wanted.categories else categories
        wanted = replace(wanted, categories=sorted(left) or [NO_CATEGORY])
    return replace(wanted, message_types=sorted(rules.listed("listMessages.allowedMessageTypes")))


async def _list(
    snapshot: Snapshot,
    wanted: MessageFilter,
    stretch: Stretch,
    actor: Actor,
    *,
    whose: str | None = None,
) -> History:
    wanted = _as_read_by(actor, wanted)
    if stretch.is_count:
        counts = await _count(snapshot, wanted, actor.uid or whose)
        return History([], stretch.most, counts=counts)
    place = await _place(snapshot, wanted, stretch, actor)
    found = await list_found(
        snapshot,
        wanted,
        place,
        is_before=stretch.is_before,
        limit=stretch.limit + 1,
        offset=stretch.offset,
    )
    messages = found.messages
    if len(messages) > stretch.limit:
        messages = messages[1:] if stretch.is_before else messages[:-1]
    onward, back = found.cut_at, None
    if messages:
        near, far = messages[0], messages[-1]
        if not stretch.is_before:
            near, far = far, near
        if len(messages) < len(found.messages):
            onward = MessageCursor(near.sent_at, near.id)
        if place is not None and await _has_beyond(snapshot, wanted, far, stretch):
            back = MessageCursor(far.sent_at, far.id)
    told = await view_messages(snapshot, messages, actor.uid, stretch.also)
    older, newer = (onward, back) if stretch.is_before else (back, onward)
    return History(told, stretch.limit, older, newer)


def _as_read_by(actor: Actor, wanted: MessageFilter) -> MessageFilter:
    """The filter for a reader; his searches find only what he is shown the content of."""
    search = normalise(wanted.search)
    is_shown_only = bool(search) and actor.uid is not None
    return replace(
        wanted,
        reader=actor.uid,
        search=search,
        hide_deleted=wanted.hide_deleted or is_shown_only,
    )


async def _count(snapshot: Snapshot, wanted: MessageFilter, whose: str | None) -> list[Count]:
    if wanted.search:
        return await count_found(snapshot, wanted, whose)
    return await count_messages(snapshot, wanted, whose)


async def _place(
    snapshot: Snapshot, wanted: MessageFilter, stretch: Stretch, actor: Actor
) -> MessageCursor | None:
    """The place that a cursor names; an id alone stands for its message's place.

    Raises:
        BadInput: the id alone is that of no message, or of one that the list can't hold.
    """
    if stretch.id is None:
        return None if stretch.sent_at is None else MessageCursor(stretch.sent_at)
    if stretch.sent_at is not None:
        return MessageCursor(stretch.sent_at, stretch.id)
    row = await store.find_message(snapshot, stretch.id)
    reader = await find_person(snapshot, actor.uid) if actor.uid is not None else None
    is_of_hidden_kind = row is not None and reader is not None and not is_shown(row, reader)
    if row is None or is_of_hidden_kind or not await _may_hold(snapshot, wanted, row):
        raise BadInput.field("id", f"There is no message {stretch.id}; send sentAt, too.")
    return MessageCursor(row.sent_at, row.id)


async def _may_hold(snapshot: Snapshot, wanted: MessageFilter, message: Message) -> bool:
    """Whether a message is within the reach of a list, so that nobody learns of others' ids."""
    if wanted.conversation is not None and message.conversation != wanted.conversation:
        return False
    if wanted.conversations is not None and message.conversation not in wanted.conversations:
        return False
    hidden = await conversations_store.find_hidden_id(snapshot, message.conversation, wanted.viewer)
    return hidden is not None and message.id > max(hidden, wanted.after_id)


async def _has_beyond(
    snapshot: Snapshot, wanted: MessageFilter, edge: Message, stretch: Stretch
) -> bool:
    """Whether there is a message, or may be one, on the side that the stretch came from."""
    place = MessageCursor(edge.sent_at, edge.id)
    other = await list_found(snapshot, wanted, place, is_before=not stretch.is_before, limit=1)
    return bool(other.messages) or other.cut_at is not None
