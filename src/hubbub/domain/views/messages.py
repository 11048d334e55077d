"""Views of messages: stored messages with the present state of all that they refer to.

Messages store references only, so deleted content appears in no quote and no action message.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hubbub.domain.access.conversations import is_shown
from hubbub.domain.views.receipt_times import (
    Address,
    ReceiptTimes,
    find_crowded,
    find_receipt_times,
)
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.blocks.store import BlockPair, find_blocks_around
from hubbub.records.conversations.model import GROUP
from hubbub.records.conversations.store import find_participants
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.growing.model import TextSoFar
from hubbub.records.growing.store import find_texts
from hubbub.records.interactions.store import find_interactions
from hubbub.records.mentions.model import ALL
from hubbub.records.mentions.store import find_mentions
from hubbub.records.messages.actions import read_member_action, read_message_action
from hubbub.records.messages.model import (
    ACTION,
    GROUP_MEMBER,
    HAS_MENTIONS,
    HAS_POLL,
    HAS_REACTIONS,
    INTERACTIVE,
    IS_GROWING,
    IS_LATE,
    IS_PINNED,
    IS_SAVED,
    MESSAGE,
    OF_MESSAGE,
    Includes,
    Interaction,
    Message,
    MessageView,
    PollState,
    ReactionCount,
    erased_user,
)
from hubbub.records.messages.store import find_messages_and_tombstones
from hubbub.records.moderated.model import HELD
from hubbub.records.moderated.store import find_reviews
from hubbub.records.pins.store import find_pin_times, find_save_times
from hubbub.records.polls.store import find_states
from hubbub.records.reactions.store import find_counts
from hubbub.records.users.model import SYSTEM, User
from hubbub.records.users.store import find_person, find_users
from hubbub.storage.interface import Snapshot
from hubbub.storage.together import Work

NO_INCLUDES = Includes()
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode


async def view_messages(
    snapshot: Snapshot,
    messages: Sequence[Message],
    viewer: str | None = None,
    includes: Includes = NO_INCLUDES,
) -> list[MessageView]:
    """Return views of messages, in their order; an erased user is shown by their uid alone.

    `viewer` is the uid of the acting user, or None for the app itself.
    """
    page = await find_page(snapshot, messages, viewer, includes)
    return [page.view(message) for message in page.messages]


async def find_page(
    snapshot: Snapshot,
    messages: Sequence[Message],
    viewer: str | None = None,
    includes: Includes = NO_INCLUDES,
    *,
    known: Sequence[User | Group] = (),
) -> "MessagePage":
    """Return messages with all that is shown with them, to be viewed one by one.

    `known` are users and groups that have been found in the same snapshot.
    """
    referenced = await _find_referenced(snapshot, messages, viewer, includes)
    if any(each.traits & IS_GROWING for each in messages):
        messages = await _with_texts(snapshot, messages)
    if any(each.traits & IS_GROWING for each in referenced.values()):
        grown = await _with_texts(snapshot, list(referenced.values()))
        referenced = {each.id: each for each in grown}
    related = await _find_related(
        snapshot, [*messages, *referenced.values()], viewer, includes, known
    )
    return MessagePage(messages, related, referenced, includes)


async def _with_texts(snapshot: Snapshot, messages: Sequence[Message]) -> list[Message]:
    """Return messages, with what there is of the texts of those that grow."""
    texts = await find_texts(snapshot, [each.id for each in messages if each.traits & IS_GROWING])
    return [
        _with_text(each, texts[each.id]) if each.id in texts and not each.is_erased else each
        for each in messages
    ]


def _with_text(message: Message, so_far: TextSoFar) -> Message:
    data = _decode(message.data)
    shown = {**data, "text": so_far.text, "growing": {"sequence": so_far.sequence}}
    return msgspec.structs.replace(message, data=_encode(shown).decode())


def _with_key_of(target: Message | None, action: Message) -> Message:
    """Return an action message with the conversation of its target.

    The two differ if the app acts on a message between two users.
    """
    if target is None or target.key == action.key:
        return action
    return msgspec.structs.replace(action, within=target.key)


async def _find_referenced(
    snapshot: Snapshot, messages: Sequence[Message], viewer: str | None, includes: Includes
) -> dict[int, Message]:
    """Return the referenced messages by id; those that the viewer may not see appear as erased."""
    found = await find_messages_and_tombstones(
        snapshot,
        [
            id_
            for each in messages
            if each.category == ACTION or each.quoted_id or each.parent_id
            for id_ in _reference_ids(each, includes)
        ],
    )
    if not found or viewer is None:
        return found
    pairs = [(each.conversation, viewer) for each in found.values()]
    participants = await find_participants(snapshot, pairs)
    person = await find_person(snapshot, viewer)

    def is_visible(message: Message) -> bool:
        participant = participants.get((message.conversation, viewer))
        is_in_history = participant is not None and message.id > participant.hidden_id
        return is_in_history and (person is None or is_shown(message, person))

    return {
        id_: message
        if is_visible(message)
        else msgspec.structs.replace(message, is_erased=True, deleted_at=None, deleted_by=None)
        for id_, message in found.items()
    }


def _reference_ids(message: Message, includes: Includes) -> Iterator[int]:
    """Yield the ids of the messages that a message refers to."""
    target_id = _target_id(message)
    if target_id is not None:
        yield target_id
    if message.quoted_id is not None:
        yield message.quoted_id
    if includes.parents and message.parent_id is not None:
        yield message.parent_id


def _target_id(message: Message) -> int | None:
    """Return the id of the message that an action message is about, if it is about one."""
    if message.category == ACTION and message.type == OF_MESSAGE:
        return read_message_action(message.data).on
    return None


class Related(msgspec.Struct, frozen=True):
    """The stored records that a set of messages refers to."""

    users: Mapping[str, User]
    groups: Mapping[str, Group]
    targets: Mapping[int, str]
    """The members whom actions are about, by action message."""
    times: ReceiptTimes
    mentions: Mapping[int, Sequence[str]]
    blocked_by_viewer: Mapping[str, int]
    has_blocked_viewer: Mapping[str, int]
    reactions: Mapping[int, Sequence[ReactionCount]]
    pinned: Mapping[int, int]
    """When messages were pinned."""
    saved: Mapping[int, int]
    """When the viewer saved messages."""
    interactions: Mapping[int, Sequence[Interaction]]
    """The elements of interactive messages that the viewer has used."""
    polls: Mapping[int, PollState]

    def user(self, uid: str) -> User:
        """Return a user; an erased one is shown by their uid alone."""
        return self.users.get(uid) or erased_user(uid)

    def receiver_of(self, message: Message) -> User | Group:
        """Return the receiver of a message; an erased one is shown by their id alone."""
        if message.receiver_type == GROUP:
            return self.groups.get(message.receiver) or erased_user(message.receiver)
        return self.user(message.receiver)

    def view(
        self,
        message: Message,
        *,
        about: MessageView | None = None,
        quoted: MessageView | None = None,
        parent: MessageView | None = None,
    ) -> MessageView:
        """Return the view of a message, with the views of the messages that it refers to."""
        target = self.targets.get(message.id)
        mentioned = self.mentions.get(message.id, ())
        delivered_at, read_at = self.times.of(message)
        return MessageView(
            message=message,
            sender=self.user(message.sender),
            receiver=self.receiver_of(message),
            delivered_at=delivered_at,
            read_at=read_at,
            on=self.user(target) if target else None,
            about=about,
            quoted=quoted,
            parent=parent,
            mentions={uid: self.user(uid) for uid in mentioned if uid != ALL},
            mentions_all=ALL in mentioned,
            blocked_by_viewer=self.blocked_by_viewer,
            has_blocked_viewer=self.has_blocked_viewer,
            reactions=self.reactions.get(message.id, ()),
            interactions=self.interactions.get(message.id, ()),
            poll=self.polls.get(message.id),
            pinned_at=self.pinned.get(message.id),
            saved_at=self.saved.get(message.id),
        )


class MessagePage(msgspec.Struct, frozen=True):
    """Messages with the stored records that they refer to."""

    messages: Sequence[Message]
    related: Related
    referenced: Mapping[int, Message]
    """The messages that these refer to, by id."""
    includes: Includes

    def view(self, message: Message) -> MessageView:
        """Return the view of one of the messages."""
        related = self.related
        target = self.referenced.get(_target_id(message) or 0)
        quoted = self.referenced.get(message.quoted_id or 0)
        parent = self.referenced.get(message.parent_id or 0) if self.includes.parents else None
        return related.view(
            _with_key_of(target, message),
            about=related.view(target) if target else None,
            quoted=related.view(quoted) if quoted and not quoted.is_erased else None,
            parent=related.view(parent) if parent and not parent.is_erased else None,
        )


async def _find_related(
    snapshot: Snapshot,
    messages: Sequence[Message],
    viewer: str | None,
    includes: Includes,
    known: Sequence[User | Group],
) -> Related:
    survey = survey_messages(messages)
    targets = {each.id: read_member_action(each.data).on for each in survey.member_actions}
    users = {SYSTEM_UID: SYSTEM} | {each.uid: each for each in known if isinstance(each, User)}
    groups = {each.guid: each for each in known if isinstance(each, Group)}
    uids, guids = survey.names()
    uids |= set(targets.values())
    work = _look_up(snapshot, survey, viewer)
    if uids - users.keys():
        work["users"] = find_users(snapshot, uids - users.keys())
    if guids - groups.keys():
        work["groups"] = find_groups(snapshot, guids - groups.keys())
    found = dict(zip(work, await snapshot.gather(*work.values()), strict=True))
    users |= found.get("users", {})
    groups |= found.get("groups", {})
    times: ReceiptTimes = found["times"]
    mentions: Mapping[int, Sequence[str]] = found.get("mentions", {})
    mentioned = {uid for uids in mentions.values() for uid in uids}
    blocks: Mapping[BlockPair, int] = {}
    if includes.blocks and viewer is not None:
        blocks = await find_blocks_around(snapshot, viewer, sorted(mentioned - {viewer, ALL}))
    users |= await find_users(snapshot, mentioned - users.keys() - {ALL})
    if survey.traits & IS_LATE and not times.is_empty:
        reviews = await find_reviews(snapshot, HELD, survey.ids_with(IS_LATE))
        times = times.since({id_: each.reviewed_at or 0 for id_, each in reviews.items()})
    if guids and not times.is_empty:
        crowded = await find_crowded(snapshot, groups.values())
        times = times.without(survey.ids_by_address, crowded)
    return Related(
        users=users,
        groups=groups,
        targets=targets,
        times=times,
        mentions=mentions,
        blocked_by_viewer={uid: at for (by, uid), at in blocks.items() if by == viewer},
        has_blocked_viewer={by: at for (by, uid), at in blocks.items() if uid == viewer},
        reactions=found.get("reactions", {}),
        pinned=found.get("pinned", {}),
        saved=found.get("saved", {}),
        interactions=found.get("interactions", {}),
        polls=found.get("polls", {}),
    )


def _look_up(snapshot: Snapshot, survey: "Survey", viewer: str | None) -> dict[str, Work]:
    """Return look-ups of what messages have; most have only receipts."""
    work: dict[str, Work] = {"times": find_receipt_times(snapshot, survey.ids_by_address)}
    traits = survey.traits
    if traits & HAS_MENTIONS:
        work["mentions"] = find_mentions(snapshot, survey.ids_with(HAS_MENTIONS))
    if traits & HAS_REACTIONS:
        work["reactions"] = find_counts(snapshot, survey.ids_with(HAS_REACTIONS), viewer)
    if traits & IS_PINNED:
        work["pinned"] = find_pin_times(snapshot, survey.ids_with(IS_PINNED))
    if traits & IS_SAVED and viewer:
        work["saved"] = find_save_times(snapshot, viewer, survey.ids_with(IS_SAVED))
    if survey.interactive:
        work["interactions"] = find_interactions(snapshot, viewer, survey.interactive)
    if traits & HAS_POLL:
        work["polls"] = find_states(snapshot, survey.ids_with(HAS_POLL), viewer)
    return work


class Survey(msgspec.Struct, frozen=True):
    """What is to be looked up for some messages."""

    messages: Sequence[Message]
    traits: int
    """The traits that any of them has."""
    ids_by_address: Mapping[Address, Sequence[int]]
    interactive: Sequence[int]
    member_actions: Sequence[Message]

    def ids_with(self, trait: int) -> list[int]:
        """Return the ids of the messages with a trait."""
        return [message.id for message in self.messages if message.traits & trait]

    def names(self) -> tuple[set[str], set[str]]:
        """Return the uids and guids of the senders and receivers of the messages."""
        uids: set[str] = set()
        guids: set[str] = set()
        for _, sender, kind, receiver in self.ids_by_address:
            uids.add(sender)
            (guids if kind == GROUP else uids).add(receiver)
        return uids, guids


def survey_messages(messages: Sequence[Message]) -> Survey:
    """Return what messages refer to."""
    traits = 0
    ids_by_address: defaultdict[Address, list[int]] = defaultdict(list)
    others: list[Message] = []
    for each in messages:
        traits |= each.traits
        address = each.conversation, each.sender, each.receiver_type, each.receiver
        ids_by_address[address].append(each.id)
        if each.category != MESSAGE:
            others.append(each)
    interactive = [each.id for each in others if each.category == INTERACTIVE]
    member_actions = [
        each for each in others if each.category == ACTION and each.type == GROUP_MEMBER
    ]
    return Survey(messages, traits, ids_by_address, interactive, member_actions)
