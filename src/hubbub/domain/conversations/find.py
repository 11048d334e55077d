"""Find conversations: one, or a page of a list."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_conversation, access_conversation_id
from hubbub.domain.access.people import access_actor
from hubbub.domain.views.messages import MessagePage, find_page
from hubbub.domain.views.users import NO_RELATION, UserView, find_relations
from hubbub.kernel.pages import Page, PageRequest
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations import listing, store
from hubbub.records.conversations.listing import ConversationFilter, Listed
from hubbub.records.conversations.model import (
    GROUP,
    Conversation,
    ConversationKey,
    Participant,
    app_participant,
    conversation_id,
)
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.members.model import GroupNotJoined, Member
from hubbub.records.members.store import find_members
from hubbub.records.messages.model import ConversationNotAccessible, Message, erased_user
from hubbub.records.messages.store import find_messages, find_newest_shown
from hubbub.records.users.model import SYSTEM, Person, User
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class ConversationView:
    """A participant's view of a conversation, with the other user or the group."""

    listed: Listed
    other: UserView | Group
    member: Member | None
    """The participant's membership of the group."""
    last: Message | None
    last_messages: MessagePage
    """The last messages of all conversations that were found together."""

    @property
    def unread(self) -> int:
        """Return the number of messages that the participant has not read."""
        return self.listed.participant.unread_in(self.listed.conversation)


async def get_conversation(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey
) -> ConversationView:
    """Return the acting user's conversation with a user, or in a group.

    Raises:
        UidNotFound, FeatureRestricted: one of the users does not exist, or the role of the acting
            user may not.
        GuidNotFound, BannedMember: there is no such group, or the acting user is banned.
        ConversationNotAccessible: the acting user is no member, or may see no message of it.
    """

    async def within(snapshot: Snapshot) -> ConversationView:
        person = await access_actor(snapshot, actor)
        try:
            found = await access_conversation(snapshot, person, key)
        except GroupNotJoined:
            raise ConversationNotAccessible(conversation_id(key)) from None
        return await view_conversation(snapshot, person, *found)

    return await runtime.database.read(app_id, within, is_short=True)


async def get_conversation_by_id(
    runtime: Runtime, app_id: str, actor: Actor, conversation_id: str
) -> ConversationView:
    """Return the acting user's conversation with a wire id.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role may not.
        ConversationNotAccessible: the acting user takes part in no conversation with this id.
    """

    async def within(snapshot: Snapshot) -> ConversationView:
        person = await access_actor(snapshot, actor)
        number = await access_conversation_id(snapshot, actor, conversation_id)
        conversation = await store.find_by_number(snapshot, number)
        participant = app_participant(conversation)
        if actor.uid is not None:
            pair = (number, actor.uid)
            participant = (await store.find_participants(snapshot, [pair]))[pair]
        return await view_conversation(snapshot, person, conversation, participant)

    return await runtime.database.read(app_id, within, is_short=True)


async def list_conversations(
    runtime: Runtime, app_id: str, actor: Actor, wanted: ConversationFilter, request: PageRequest
) -> Page[ConversationView]:
    """Return a page of the acting user's conversations, newest first; as the app, of all.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role may not.
    """

    async def within(snapshot: Snapshot) -> Page[ConversationView]:
        scoped = replace(wanted, uid=actor.uid)
        person, (listed, total) = await snapshot.gather(
            access_actor(snapshot, actor),
            listing.list_conversations(snapshot, scoped, request),
        )
        return Page(await view_conversations(snapshot, person, listed), total, request)

    return await runtime.database.read(app_id, within, user=actor.uid)


async def view_conversation(
    snapshot: Snapshot, person: Person, conversation: Conversation, participant: Participant
) -> ConversationView:
    """Return a participant's view of a conversation, with what a person may see of it."""
    pins = await store.find_pins(snapshot, conversation.number, [store.APP_PINS, participant.uid])
    pinned_at = pins.get(store.APP_PINS, pins.get(participant.uid))
    listed = Listed(conversation, participant, pinned_at)
    (view,) = await view_conversations(snapshot, person, [listed])
    return view


async def view_conversations(
    snapshot: Snapshot, person: Person, listed: Sequence[Listed]
) -> list[ConversationView]:
    """Return participants' views of conversations, in their order.

    The last message is left out if the person's role may not list its kind.
    """
    in_groups = [each for each in listed if _is_in_group(each)]
    (listed, shown), users, groups, members = await snapshot.gather(
        _find_last_messages(snapshot, listed),
        _find_others(snapshot, listed),
        find_groups(snapshot, {each.conversation.left_id for each in in_groups}),
        find_members(snapshot, [_pair(each) for each in in_groups]),
    )
    people = [person.user, *(each.user for each in users.values())]
    known: list[User | Group] = [*people, *groups.values()]
    page, last = await _find_page(snapshot, person, listed, shown, known)
    return [
        ConversationView(
            listed=each,
            other=groups[each.conversation.left_id]
            if _is_in_group(each)
            else users[each.participant.uid, _other_uid(each)],
            member=members.get(_pair(each)),
            last=last.get((each.participant.uid, each.conversation.shown_id)),
            last_messages=page,
        )
        for each in listed
    ]


async def _find_last_messages(
    snapshot: Snapshot, listed: Sequence[Listed]
) -> tuple[list[Listed], dict[int, Message]]:
    """Return the conversations, and their last messages by id.

    If the sender of a last message is being erased, the newest message of others is shown.
    """
    ids = {each.conversation.shown_id for each in listed} - {0}
    found = await find_messages(snapshot, list(ids))
    erased = ids - found.keys()
    moved: dict[int, Conversation] = {}
    for each in listed:
        number = each.conversation.number
        if each.conversation.shown_id in erased and number not in moved:
            newest = await find_newest_shown(snapshot, each.conversation)
            moved[number] = conversation = copy(each.conversation)
            conversation.show(newest.id if newest else 0, newest.sent_at if newest else 0)
            found |= {newest.id: newest} if newest else {}
    if not moved:
        return list(listed), found
    current = [
        replace(each, conversation=moved.get(each.conversation.number, each.conversation))
        for each in listed
    ]
    return current, found


def _pair(listed: Listed) -> tuple[int, str]:
    return listed.conversation.number, listed.participant.uid


def _other_uid(listed: Listed) -> str:
    return listed.conversation.other_than(listed.participant.uid)


def _is_in_group(listed: Listed) -> bool:
    return listed.conversation.kind == GROUP


async def _find_others(
    snapshot: Snapshot, listed: Sequence[Listed]
) -> dict[tuple[str, str], UserView]:
    """Return the other users of conversations, by (viewer, other), as the viewer sees them."""
    by_viewer: dict[str, list[str]] = {}
    for each in listed:
        if not _is_in_group(each):
            by_viewer.setdefault(each.participant.uid, []).append(_other_uid(each))
    uids = {uid for others in by_viewer.values() for uid in others}
    users: Mapping[str, User]
    users, *found = await snapshot.gather(
        find_users(snapshot, uids - {SYSTEM_UID}),
        *(find_relations(snapshot, viewer, others) for viewer, others in by_viewer.items()),
    )
    views = {}
    for (viewer, others), relations in zip(by_viewer.items(), found, strict=True):
        for uid in others:
            user = SYSTEM if uid == SYSTEM_UID else users.get(uid) or erased_user(uid)
            views[viewer, uid] = UserView(user, relations.get(uid, NO_RELATION))
    return views


async def _find_page(
    snapshot: Snapshot,
    person: Person,
    listed: Sequence[Listed],
    shown: Mapping[int, Message],
    known: Sequence[User | Group],
) -> tuple[MessagePage, dict[tuple[str, int], Message]]:
    """Return the last messages that are in the viewer's history, also by (viewer, message id).

    `known` are users and groups that have been found in the same snapshot.
    """
    wanted = [
        (each.participant.uid, each.conversation.shown_id)
        for each in listed
        if each.conversation.shown_id > each.participant.hidden_id
    ]
    messages = {
        id_: shown[id_]
        for id_ in dict.fromkeys(id_ for _, id_ in wanted if id_ in shown)
        if person.rules.shows_messages_of(shown[id_].category, shown[id_].type)
    }
    viewers = {viewer for viewer, _ in wanted}
    viewer = viewers.pop() if len(viewers) == 1 else None
    page = await find_page(snapshot, list(messages.values()), viewer, known=known)
    found = {each.id: each for each in page.messages}
    return page, {(uid, id_): found[id_] for uid, id_ in wanted if id_ in found}
