"""Find conversations: one, or a page of a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_conversation
from hubbub.domain.access.people import access_actor
from hubbub.domain.views.messages import view_messages
from hubbub.domain.views.users import NO_RELATION, UserView, find_relations
from hubbub.kernel.pages import Page, PageRequest
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations import store
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey, Participant
from hubbub.records.conversations.store import ConversationFilter, Listed
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.members.model import Member
from hubbub.records.members.store import find_members
from hubbub.records.messages.model import Message, MessageView, erased_user
from hubbub.records.messages.store import find_messages, find_newest_shown
from hubbub.records.users.model import SYSTEM, Person, User
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class ConversationView:
    """A conversation as one who takes part sees it: with whom, and what was said last."""

    listed: Listed
    other: UserView | Group
    member: Member | None
    """What he is in the group."""
    last: MessageView | None

    @property
    def unread(self) -> int:
        """How many messages he has not read."""
        return self.listed.participant.unread_in(self.listed.conversation)


async def get_conversation(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey
) -> ConversationView:
    """The conversation of the acting user with somebody, or in a group.

    Raises:
        UidNotFound, FeatureRestricted: he or the other does not exist, or his role may not.
        GuidNotFound, BannedMember, GroupNotJoined: he is no member.
        ConversationNotAccessible: nothing was said in it yet.
    """

    async def within(snapshot: Snapshot) -> ConversationView:
        person = await access_actor(snapshot, actor)
        found = await access_conversation(snapshot, person, key)
        return await see_conversation(snapshot, person, *found)

    return await runtime.database.read(app_id, within)


async def list_conversations(
    runtime: Runtime, app_id: str, actor: Actor, wanted: ConversationFilter, request: PageRequest
) -> Page[ConversationView]:
    """A page of the acting user's conversations, newest first; without one, of everybody's.

    Raises:
        UidNotFound, FeatureRestricted: he does not exist, or his role may not.
    """

    async def within(snapshot: Snapshot) -> Page[ConversationView]:
        person = await access_actor(snapshot, actor)
        scoped = replace(wanted, uid=actor.uid)
        listed, total = await store.list_conversations(snapshot, scoped, request)
        return Page(await see_conversations(snapshot, person, listed), total, request)

    return await runtime.database.read(app_id, within)


async def see_conversation(
    snapshot: Snapshot, person: Person, conversation: Conversation, participant: Participant
) -> ConversationView:
    """One conversation, as one who takes part sees it, told to a person."""
    pins = await store.find_pins(snapshot, conversation.number, ["", participant.uid])
    pinned_at = pins.get("", pins.get(participant.uid))
    listed = Listed(conversation, participant, pinned_at)
    (seen,) = await see_conversations(snapshot, person, [listed])
    return seen


async def see_conversations(
    snapshot: Snapshot, person: Person, listed: Sequence[Listed]
) -> list[ConversationView]:
    """Conversations as those see them who take part, in their order, told to a person.

    What was said last is left out when it is of a kind that his role does not list.
    """
    listed, shown = await _find_shown(snapshot, listed)
    others = {_pair(each): each.conversation.other_than(each.participant.uid) for each in listed}
    users = await _find_others(snapshot, listed)
    groups = await find_groups(
        snapshot, {each.conversation.left_id for each in listed if _is_of_group(each)}
    )
    members = await find_members(snapshot, [_pair(each) for each in listed if _is_of_group(each)])
    last = await _find_last(snapshot, person, listed, shown)
    return [
        ConversationView(
            listed=each,
            other=groups[each.conversation.left_id]
            if _is_of_group(each)
            else users[each.participant.uid, others[_pair(each)]],
            member=members.get(_pair(each)),
            last=last.get((each.participant.uid, each.conversation.shown_id)),
        )
        for each in listed
    ]


async def _find_shown(
    snapshot: Snapshot, listed: Sequence[Listed]
) -> tuple[list[Listed], dict[int, Message]]:
    """The conversations, and the messages that they show, by id.

    What somebody said last who is just being erased is not shown, but what stands before it.
    """
    ids = {each.conversation.shown_id for each in listed} - {0}
    found = await find_messages(snapshot, list(ids))
    moved: dict[int, Conversation] = {}
    for each in listed:
        number = each.conversation.number
        if each.conversation.shown_id in ids - found.keys() and number not in moved:
            newest = await find_newest_shown(snapshot, each.conversation)
            moved[number] = conversation = replace(each.conversation)
            conversation.show(newest.id if newest else 0, newest.sent_at if newest else 0)
            found |= {newest.id: newest} if newest else {}
    there = [
        replace(each, conversation=moved.get(each.conversation.number, each.conversation))
        for each in listed
    ]
    return there, found


def _pair(listed: Listed) -> tuple[int, str]:
    return listed.conversation.number, listed.participant.uid


def _is_of_group(listed: Listed) -> bool:
    return listed.conversation.kind == GROUP


async def _find_others(
    snapshot: Snapshot, listed: Sequence[Listed]
) -> dict[tuple[str, str], UserView]:
    """Those with whom people speak, by (viewer, other), each as the viewer sees him."""
    by_viewer: dict[str, list[str]] = {}
    for each in listed:
        if not _is_of_group(each):
            other = each.conversation.other_than(each.participant.uid)
            by_viewer.setdefault(each.participant.uid, []).append(other)
    uids = {uid for others in by_viewer.values() for uid in others}
    users: Mapping[str, User] = await find_users(snapshot, uids - {SYSTEM_UID})
    seen = {}
    for viewer, others in by_viewer.items():
        relations = await find_relations(snapshot, viewer, others)
        for uid in others:
            user = SYSTEM if uid == SYSTEM_UID else users.get(uid) or erased_user(uid)
            seen[viewer, uid] = UserView(user, relations.get(uid, NO_RELATION))
    return seen


async def _find_last(
    snapshot: Snapshot, person: Person, listed: Sequence[Listed], shown: Mapping[int, Message]
) -> dict[tuple[str, int], MessageView]:
    """What was said last, by (viewer, message id), as far as each viewer's history goes back."""
    wanted = [
        (each.participant.uid, each.conversation.shown_id)
        for each in listed
        if each.conversation.shown_id > each.participant.hidden_id
    ]
    messages = [
        shown[id_]
        for id_ in dict.fromkeys(id_ for _, id_ in wanted if id_ in shown)
        if person.rules.shows_messages_of(shown[id_].category, shown[id_].type)
    ]
    viewers = {viewer for viewer, _ in wanted}
    viewer = viewers.pop() if len(viewers) == 1 else None
    told = await view_messages(snapshot, messages, viewer)
    by_id = {each.message.id: each for each in told}
    return {(uid, id_): by_id[id_] for uid, id_ in wanted if id_ in by_id}
