"""From stored messages to what is told of them: with all whom they name, as these are now.

Messages hold references; what was deleted is found nowhere in what quotes or tells of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from hubbub.domain.access.conversations import is_shown
from hubbub.domain.views.receipt_times import fill_times
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.blocks.store import Pair, find_blocks_around
from hubbub.records.conversations.model import GROUP
from hubbub.records.conversations.store import find_participants
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.interactions.store import find_interactions
from hubbub.records.mentions.model import ALL
from hubbub.records.mentions.store import find_mentions
from hubbub.records.messages.actions import read_member_action, read_message_action
from hubbub.records.messages.model import (
    ACTION,
    GROUP_MEMBER,
    INTERACTIVE,
    OF_MESSAGE,
    Includes,
    Interaction,
    Message,
    MessageView,
    ReactionCount,
    erased_user,
)
from hubbub.records.messages.store import find_messages_and_tombstones
from hubbub.records.messages.traits import HAS_MENTIONS, HAS_REACTIONS, IS_PINNED, IS_SAVED
from hubbub.records.pins.store import find_pin_times, find_save_times
from hubbub.records.reactions.store import find_counts
from hubbub.records.users.model import SYSTEM, User
from hubbub.records.users.store import find_person, find_users
from hubbub.storage.interface import Snapshot

NO_INCLUDES = Includes()


async def view_messages(
    snapshot: Snapshot,
    messages: Sequence[Message],
    viewer: str | None = None,
    includes: Includes = NO_INCLUDES,
) -> list[MessageView]:
    """The messages with those whom they name; who was erased is told by his id alone.

    `viewer` is the acting user, for whom some of it is his own; None: the app itself.
    """
    referred = await _find_referred(snapshot, messages, viewer, includes)
    everything = [*messages, *referred.values()]
    naming = await _look_up(snapshot, everything, viewer, includes)
    await fill_times(snapshot, everything)
    told = []
    for message in messages:
        quoted = referred.get(message.quoted_id) if message.quoted_id else None
        parent = referred.get(message.parent_id or 0) if includes.parents else None
        about = referred.get(_about(message) or 0)
        if about is not None:
            message.within = about.key
        one = naming.tell(message)
        if quoted is not None or about is not None or parent is not None:
            one = msgspec.structs.replace(
                one,
                quoted=naming.tell(quoted) if quoted and not quoted.is_erased else None,
                about=naming.tell(about) if about else None,
                parent=naming.tell(parent) if parent and not parent.is_erased else None,
            )
        told.append(one)
    return told


async def _find_referred(
    snapshot: Snapshot, messages: Sequence[Message], viewer: str | None, includes: Includes
) -> dict[int, Message]:
    """What messages refer to, by id; what the viewer may not see looks as if it were erased."""
    found = await find_messages_and_tombstones(
        snapshot, [id_ for each in messages for id_ in _refers(each, includes)]
    )
    if not found or viewer is None:
        return found
    pairs = [(each.conversation, viewer) for each in found.values()]
    places, person = await find_participants(snapshot, pairs), await find_person(snapshot, viewer)
    for message in found.values():
        place = places.get((message.conversation, viewer))
        is_hidden = place is None or message.id <= place.hidden_id
        if is_hidden or (person is not None and not is_shown(message, person)):
            message.is_erased, message.deleted_at, message.deleted_by = True, None, None
    return found


def _refers(message: Message, includes: Includes) -> Iterator[int]:
    """The messages that one refers to."""
    about = _about(message)
    if about is not None:
        yield about
    if message.quoted_id is not None:
        yield message.quoted_id
    if includes.parents and message.parent_id is not None:
        yield message.parent_id


def _about(message: Message) -> int | None:
    """The message that an action is about."""
    if message.category == ACTION and message.type == OF_MESSAGE:
        return read_message_action(message.data).on
    return None


@dataclass(frozen=True, slots=True)
class _Naming:
    """Whom messages name, as it is in the store."""

    users: Mapping[str, User]
    groups: Mapping[str, Group]
    befallen: Mapping[int, str]
    """Whom an action befell, by the message that tells of it."""
    mentions: Mapping[int, Sequence[str]]
    blocked_by_viewer: Mapping[str, int]
    has_blocked_viewer: Mapping[str, int]
    reactions: Mapping[int, Sequence[ReactionCount]]
    pinned: Mapping[int, int]
    """When messages were pinned, of those that are."""
    saved: Mapping[int, int]
    """When the viewer saved messages, of those that he did."""
    interactions: Mapping[int, Sequence[Interaction]]
    """What the viewer has used of interactive messages."""

    def tell(self, message: Message) -> MessageView:
        on = self.befallen.get(message.id)
        mentioned = self.mentions.get(message.id, ())
        receiver: User | Group | None
        if message.receiver_type == GROUP:
            receiver = self.groups.get(message.receiver)
        else:
            receiver = self.users.get(message.receiver)
        return MessageView(
            message=message,
            sender=self._user(message.sender),
            receiver=receiver or erased_user(message.receiver),
            on=self._user(on) if on else None,
            mentions={uid: self._user(uid) for uid in mentioned if uid != ALL},
            mentions_all=ALL in mentioned,
            blocked_by_viewer=self.blocked_by_viewer,
            has_blocked_viewer=self.has_blocked_viewer,
            reactions=self.reactions.get(message.id, ()),
            interactions=self.interactions.get(message.id, ()),
            pinned_at=self.pinned.get(message.id),
            saved_at=self.saved.get(message.id),
        )

    def _user(self, uid: str) -> User:
        return self.users.get(uid) or erased_user(uid)


async def _look_up(
    snapshot: Snapshot, messages: Sequence[Message], viewer: str | None, includes: Includes
) -> _Naming:
    befallen = {each.id: read_member_action(each.data).on for each in messages if _is_deed(each)}
    mentions = await find_mentions(snapshot, _having(messages, HAS_MENTIONS))
    uids = {message.sender for message in messages} | set(befallen.values())
    uids.update(message.receiver for message in messages if message.receiver_type != GROUP)
    uids.update(uid for mentioned in mentions.values() for uid in mentioned)
    guids = {message.receiver for message in messages if message.receiver_type == GROUP}
    users = await find_users(snapshot, uids - {SYSTEM_UID, ALL})
    blocks: Mapping[Pair, int] = {}
    if includes.blocks and viewer is not None:
        people = {uid for mentioned in mentions.values() for uid in mentioned} - {viewer, ALL}
        blocks = await find_blocks_around(snapshot, viewer, sorted(people))
    interactive = [message.id for message in messages if message.category == INTERACTIVE]
    return _Naming(
        users={**users, SYSTEM_UID: SYSTEM},
        groups=await find_groups(snapshot, guids),
        befallen=befallen,
        mentions=mentions,
        blocked_by_viewer={uid: at for (by, uid), at in blocks.items() if by == viewer},
        has_blocked_viewer={by: at for (by, uid), at in blocks.items() if uid == viewer},
        reactions=await find_counts(snapshot, _having(messages, HAS_REACTIONS), viewer),
        pinned=await find_pin_times(snapshot, _having(messages, IS_PINNED)),
        saved=await find_save_times(snapshot, viewer, _having(messages, IS_SAVED))
        if viewer
        else {},
        interactions=await find_interactions(snapshot, viewer, interactive),
    )


def _having(messages: Sequence[Message], trait: int) -> list[int]:
    """The ids of those that have something."""
    return [message.id for message in messages if message.traits & trait]


def _is_deed(message: Message) -> bool:
    """Whether it tells what became of a member."""
    return message.category == ACTION and message.type == GROUP_MEMBER
