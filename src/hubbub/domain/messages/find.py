"""Find messages: one by id, or a slice of a history."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import msgspec

from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.access.conversations import (
    access_conversation_id,
    access_message,
    find_seen,
    is_shown,
)
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_actor, access_actor_and_user, uid_of
from hubbub.domain.messages.held import access_held_message
from hubbub.domain.search.find import SEARCH_SECONDS, FoundMessages, count_found, list_found
from hubbub.domain.views.messages import NO_INCLUDES, MessagePage, find_page, view_messages
from hubbub.kernel.errors import BadInput
from hubbub.records.conversations import store as conversations_store
from hubbub.records.conversations.model import user_key
from hubbub.records.conversations.store import ask_hidden_id, ask_history
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import ask_groups
from hubbub.records.members.store import ask_member
from hubbub.records.messages import counts as counts_store
from hubbub.records.messages import store
from hubbub.records.messages.counts import MOST_COUNTS, Count
from hubbub.records.messages.listing import (
    FEW,
    MessageCursor,
    MessageFilter,
    ask_messages,
    find_time_behind,
    list_messages,
)
from hubbub.records.messages.model import (
    CUSTOM,
    INTERACTIVE,
    MESSAGE,
    Includes,
    Message,
    MessageIdNotFound,
    MessageView,
)
from hubbub.records.receipts.store import ask_receipts
from hubbub.records.roles.model import RoleRules
from hubbub.records.search.model import SearchTookTooLong, normalise
from hubbub.records.tokens.store import ask_issued
from hubbub.records.users.model import Person, User
from hubbub.records.users.store import ask_people, ask_person
from hubbub.runtime import Runtime
from hubbub.storage.dialect import Of
from hubbub.storage.interface import Snapshot
from hubbub.storage.together import Asked

NO_CATEGORY = "-"
"""A category that no message has: it stands for an empty choice."""


PICKS: Sequence[Literal["min", "max", "count"]] = ("min", "max", "count")
WRITTEN = (MESSAGE, CUSTOM, INTERACTIVE)
"""The categories of messages that people write."""


class HistoryRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A slice of a history: its filter, size and cursor, and what is included with messages.

    The cursor is a time and an id, a time alone, or the id of a message.
    """

    wanted: MessageFilter
    limit: int
    offset: int = 0
    is_before: bool = False
    id: int | None = None
    sent_at: int | None = None
    includes: Includes = NO_INCLUDES
    is_count: bool = False
    """Count all messages that match the filter, wherever the cursor is, instead of listing them."""

    @property
    def is_short(self) -> bool:
        """True if an index leads to the rows, and few are read."""
        is_slice = not self.wanted.search and not self.is_count
        return is_slice and self.limit <= FEW

    @property
    def is_foreseeable(self) -> bool:
        """True if nothing has to be found first."""
        return self.is_short and (self.id is None or self.sent_at is not None)

    @property
    def own_cursor(self) -> MessageCursor | None:
        """Return the cursor, if nothing has to be found for it."""
        return None if self.sent_at is None else MessageCursor(self.sent_at, self.id)

    @property
    def max_rows(self) -> int:
        """Return the largest number of rows in the answer."""
        return MOST_COUNTS if self.is_count else self.limit


class History(msgspec.Struct, frozen=True):
    """A slice of a history, ascending, with the cursors to older and newer messages, if any.

    It is no `Slice`: a search may stop early, and then has a cursor that is at none of its rows.
    """

    page: MessagePage | None
    """None if the slice is empty, or if numbers are requested instead of messages."""
    limit: int
    older: MessageCursor | None = None
    newer: MessageCursor | None = None
    counts: Sequence[Count] | None = None
    """Numbers of messages, if these are requested instead of messages."""
    is_incomplete: bool = False
    """Whether a search, or a count, stopped before it had read everything."""


async def get_message(runtime: Runtime, app_id: str, actor: Actor, message_id: int) -> MessageView:
    """Return a message.

    Raises:
        MessageIdNotFound: there is no such message, or the acting user may not see it.
        UidNotFound: the acting user does not exist.
    """

    async def within(snapshot: Snapshot) -> MessageView:
        person = await access_actor(snapshot, actor)
        try:
            message = await access_message(snapshot, person, message_id)
        except MessageIdNotFound:
            message = await access_held_message(snapshot, person, message_id)
        return (await view_messages(snapshot, [message], actor.uid))[0]

    return await runtime.database.read(app_id, within, is_short=True)


async def list_all(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    request: HistoryRequest,
    conversation_id: str | None = None,
) -> History:
    """Return messages of all conversations; for an acting user, of those that they take part in.

    Raises:
        UidNotFound: the acting user does not exist.
        ConversationNotAccessible: `conversation_id` is not the id of one of these conversations.
        BadInput: several conversations have this id, and there is no acting user.
        SearchTookTooLong: the time was over before any message was read.
    """

    async def within(snapshot: Snapshot) -> History:
        person = await access_actor(snapshot, actor)
        scoped = msgspec.structs.replace(request.wanted, viewer=actor.uid)
        if conversation_id is not None:
            number = await access_conversation_id(snapshot, actor, conversation_id)
            scoped = await _limit_to_conversation(snapshot, scoped, number, actor)
        return await _read_history(snapshot, person, scoped, request)

    return await runtime.database.read(app_id, within, is_short=request.is_short, user=actor.uid)


async def look_through(
    runtime: Runtime, app_id: str, request: HistoryRequest, *, count: int
) -> History:
    """Return messages of all conversations before a cursor, of so many that are looked through.

    It takes as long for what is rare in a long history; `older` goes on from there.
    """
    cursor = None
    if request.sent_at is not None:
        cursor = MessageCursor(request.sent_at, request.id)
    behind = await runtime.database.read(
        app_id, lambda snapshot: find_time_behind(snapshot, cursor, count=count)
    )
    wanted = msgspec.structs.replace(
        request.wanted, from_timestamp=behind or 0, to_timestamp=request.sent_at
    )
    found = await list_all(runtime, app_id, APP, msgspec.structs.replace(request, wanted=wanted))
    if found.older is not None or behind is None:
        return found
    older = MessageCursor(behind, 0)
    return msgspec.structs.replace(found, older=older, is_incomplete=True)


async def list_with_user(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, request: HistoryRequest
) -> History:
    """Return one-to-one messages between the acting user and `uid`; as the app, all of `uid`'s.

    Raises:
        UidNotFound: one of the two users does not exist.
    """

    async def within(snapshot: Snapshot) -> History:
        if actor.uid is not None and request.is_foreseeable:
            await snapshot.foresee(
                partial(_plan_with_user, actor, actor.uid, uid, request), is_all=True
            )
        person, other = await access_actor_and_user(snapshot, actor, uid)
        if actor.uid is None:
            numbers = await conversations_store.list_user_conversations(snapshot, uid)
            scoped = msgspec.structs.replace(
                request.wanted, conversations=[number for number, _ in numbers]
            )
            return await _read_history(snapshot, person, scoped, request, count_for=uid)
        key = user_key(actor.uid, uid)
        found = await conversations_store.find_history(snapshot, key, actor.uid)
        if found is None:
            return History(None, request.max_rows)
        scoped = msgspec.structs.replace(
            request.wanted, conversation=found[0], after_id=found[1] or 0
        )
        return await _read_history(snapshot, person, scoped, request, known=[person.user, other])

    return await runtime.database.read(app_id, within, is_short=request.is_short, user=actor.uid)


def _plan_in_group(actor: Actor, viewer: str, guid: str, request: HistoryRequest) -> list[Asked]:
    """Return what is asked first for a page of messages of a group."""
    number = Of(1, "conversation")
    return [
        ask_person(viewer),
        ask_groups([guid]),
        ask_hidden_id(number, viewer),
        *_plan_slice(actor, viewer, request, 3, number, Of(2, "hidden_id", otherwise=0)),
        ask_member(number, viewer),
    ]


def _plan_slice(
    actor: Actor, viewer: str, request: HistoryRequest, place: int, number: Of, hidden: Of
) -> list[Asked]:
    """Return what is asked for the messages of a page; the first one is at a place of the plan."""
    wanted = msgspec.structs.replace(request.wanted, conversation=0, after_id=0, reader=viewer)

    def ask(cursor: MessageCursor | None, *, is_before: bool, limit: int, offset: int) -> Asked:
        asked = ask_messages(wanted, cursor, is_before=is_before, limit=limit, offset=offset)
        return asked.linked(conversation=number, after_id=hidden)

    cursor = request.own_cursor
    plan = [
        ask(cursor, is_before=request.is_before, limit=request.limit + 1, offset=request.offset)
    ]
    if cursor is not None:
        back = ask(MessageCursor(0, 0), is_before=not request.is_before, limit=1, offset=0)
        plan.append(back.linked(key_1=Of(place, "sent_at", rows=1), key_2=Of(place, "id", rows=1)))
    if actor.token is not None:
        plan.append(ask_issued([actor.token]))
    return plan


def _plan_with_user(actor: Actor, viewer: str, uid: str, request: HistoryRequest) -> list[Asked]:
    """Return what is usually all that is asked for a page of one-to-one messages."""
    number, hidden = Of(1, "number"), Of(1, "hidden_id", otherwise=0)
    first, last, count = (Of(2, "id", pick, rows=request.limit) for pick in PICKS)
    return [
        ask_people([viewer, uid]),
        ask_history(user_key(viewer, uid), viewer),
        *_plan_slice(actor, viewer, request, 2, number, hidden),
        *(
            ask_receipts(each, conversation=number, message=first, last=last, messages=count)
            for each in (viewer, uid)
        ),
    ]


async def list_in_group(
    runtime: Runtime, app_id: str, actor: Actor, guid: str, request: HistoryRequest
) -> History:
    """Return messages of a group.

    Raises:
        UidNotFound: the acting user does not exist.
        GuidNotFound: there is no such group, or the acting user may not see it.
        GroupNotJoined, BannedMember: the acting user is not a member.
    """

    async def within(snapshot: Snapshot) -> History:
        if actor.uid is not None and request.is_foreseeable:
            await snapshot.foresee(partial(_plan_in_group, actor, actor.uid, guid, request))
        person = await access_actor(snapshot, actor)
        group = (await access_group_to_take_part(snapshot, person, guid)).group
        number = group.conversation
        scoped = await _limit_to_conversation(snapshot, request.wanted, number, actor)
        return await _read_history(snapshot, person, scoped, request, known=[group])

    return await runtime.database.read(app_id, within, is_short=request.is_short, user=actor.uid)


async def list_in_thread(
    runtime: Runtime, app_id: str, actor: Actor, parent_id: int, request: HistoryRequest
) -> History:
    """Return the replies in the thread of a message.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role may not.
        MessageIdNotFound: there is no such message, or the acting user may not see it.
    """

    async def within(snapshot: Snapshot) -> History:
        person = await access_actor(snapshot, actor)
        parent = await access_message(snapshot, person, parent_id)
        scoped = msgspec.structs.replace(
            request.wanted, conversation=parent.conversation, parent=parent_id
        )
        return await _read_history(snapshot, person, scoped, request)

    return await runtime.database.read(app_id, within, is_short=request.is_short, user=actor.uid)


async def count_replies(
    runtime: Runtime, app_id: str, actor: Actor, parent_ids: Sequence[int]
) -> dict[int, int]:
    """Return the numbers of replies to messages, by the ids of those that the actor may see.

    Replies that were deleted do not count, nor do actions in a thread.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role may not.
        SearchTookTooLong: they have very many replies.
    """

    async def within(snapshot: Snapshot) -> dict[int, int]:
        person = await access_actor(snapshot, actor)
        counts = dict.fromkeys(await find_seen(snapshot, person, parent_ids), 0)
        replies = MessageFilter(categories=WRITTEN, hide_deleted=True)
        wanted = _for_reader(uid_of(person), _limit_to_rules(person.rules, replies))
        found = await snapshot.within(
            SEARCH_SECONDS, lambda: counts_store.count_replies(snapshot, wanted, list(counts))
        )
        if found is None:
            raise SearchTookTooLong
        return counts | found

    return await runtime.database.read(app_id, within, user=actor.uid)


async def _limit_to_conversation(
    snapshot: Snapshot, wanted: MessageFilter, number: int, actor: Actor
) -> MessageFilter:
    """Return the filter for one conversation, from where its history is visible to the actor."""
    hidden = await conversations_store.find_hidden_id(snapshot, number, actor.uid)
    return msgspec.structs.replace(wanted, conversation=number, after_id=hidden or 0)


async def _read_history(
    snapshot: Snapshot,
    person: Person,
    wanted: MessageFilter,
    request: HistoryRequest,
    *,
    count_for: str | None = None,
    known: Sequence[User | Group] = (),
) -> History:
    """Read a slice of the messages that a person may list; counts are those of `count_for`.

    `known` are users and groups that have been found in the same snapshot.
    """
    uid = uid_of(person)
    wanted = _for_reader(uid, _limit_to_rules(person.rules, wanted))
    if request.is_count:
        counted = await count_found(snapshot, wanted, uid or count_for)
        return History(
            None,
            request.max_rows,
            counts=counted.counts,
            is_incomplete=counted.is_incomplete,
        )
    cursor, is_before = await _find_cursor(snapshot, person, wanted, request), request.is_before
    found = await _list(
        snapshot,
        wanted,
        cursor,
        is_before=is_before,
        limit=request.limit + 1,
        offset=request.offset,
    )
    if found.is_cut and found.cut_at == cursor:
        raise SearchTookTooLong
    messages, onward = _cut(found, request)
    back = None
    if messages and cursor is not None:
        edge = _cursor_at(messages[-1 if is_before else 0])
        back = edge if await _has_more(snapshot, wanted, edge, is_before=not is_before) else None
    page = await find_page(snapshot, messages, uid, request.includes, known=known)
    older, newer = (onward, back) if is_before else (back, onward)
    return History(page, request.limit, older, newer, is_incomplete=found.is_cut)


async def _list(
    snapshot: Snapshot,
    wanted: MessageFilter,
    cursor: MessageCursor | None,
    *,
    is_before: bool,
    limit: int,
    offset: int = 0,
) -> FoundMessages:
    """Return the next messages of a list; with a search, those of them that match."""
    if wanted.search:
        return await list_found(
            snapshot, wanted, cursor, is_before=is_before, limit=limit, offset=offset
        )
    return FoundMessages(
        await list_messages(
            snapshot, wanted, cursor, is_before=is_before, limit=limit, offset=offset
        )
    )


def _cut(
    found: FoundMessages, request: HistoryRequest
) -> tuple[Sequence[Message], MessageCursor | None]:
    """Return the rows of a slice, and the cursor behind them, if the list goes on there."""
    if len(found.messages) <= request.limit:
        return found.messages, found.cut_at
    rows = found.messages[1:] if request.is_before else found.messages[:-1]
    return rows, _cursor_at(rows[0 if request.is_before else -1])


def _limit_to_rules(rules: RoleRules, wanted: MessageFilter) -> MessageFilter:
    """Return the filter, limited to the kinds of messages that a role may list."""
    categories = rules.listed("listMessages.allowedMessageCategories")
    if categories:
        left = categories & set(wanted.categories) if wanted.categories else categories
        wanted = msgspec.structs.replace(wanted, categories=sorted(left) or [NO_CATEGORY])
    return msgspec.structs.replace(
        wanted, message_types=sorted(rules.listed("listMessages.allowedMessageTypes"))
    )


def _for_reader(uid: str | None, wanted: MessageFilter) -> MessageFilter:
    """Return the filter for a reader; a user's search excludes messages whose content is hidden."""
    search = normalise(wanted.search) if wanted.search else ""
    is_search_of_user = bool(search) and uid is not None
    return msgspec.structs.replace(
        wanted, reader=uid, search=search, hide_deleted=wanted.hide_deleted or is_search_of_user
    )


async def _find_cursor(
    snapshot: Snapshot, person: Person, wanted: MessageFilter, request: HistoryRequest
) -> MessageCursor | None:
    """Return the cursor of a request; an id alone is looked up.

    Raises:
        BadInput: the id alone is that of no message, or of one that the list can't contain.
    """
    if request.id is None or request.sent_at is not None:
        return request.own_cursor
    message = await store.find_message(snapshot, request.id)
    is_of_hidden_kind = message is not None and not is_shown(message, person)
    if message is None or is_of_hidden_kind or not await _may_list(snapshot, wanted, message):
        raise BadInput.field("id", f"There is no message {request.id}; send sentAt, too.")
    return _cursor_at(message)


def _cursor_at(message: Message) -> MessageCursor:
    return MessageCursor(message.sent_at, message.id)


async def _may_list(snapshot: Snapshot, wanted: MessageFilter, message: Message) -> bool:
    """Return whether a message is in reach of a list; ids of other messages must not be probed."""
    if wanted.conversation is not None and message.conversation != wanted.conversation:
        return False
    if wanted.conversations is not None and message.conversation not in wanted.conversations:
        return False
    hidden = await conversations_store.find_hidden_id(snapshot, message.conversation, wanted.viewer)
    return hidden is not None and message.id > max(hidden, wanted.after_id or 0)


async def _has_more(
    snapshot: Snapshot, wanted: MessageFilter, cursor: MessageCursor, *, is_before: bool
) -> bool:
    """Return whether there are further messages in a direction, or a search may find some."""
    found = await _list(snapshot, wanted, cursor, is_before=is_before, limit=1)
    return bool(found.messages) or found.is_cut
