"""Who may add something of their own to messages: reactions, votes.

For batches: what is stored about many requests is looked up together.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import is_shown
from hubbub.domain.access.people import UidPair, find_revoked_tokens, refuse_actor, refuse_blocked
from hubbub.domain.access.permissions import refuse_scope
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.blocks.store import find_blocks
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey, Participant
from hubbub.records.conversations.store import find_conversations, find_participants
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.members.model import Member
from hubbub.records.members.store import find_members
from hubbub.records.messages.model import (
    ACTION,
    Message,
    MessageActionNotAllowed,
    MessageIdNotFound,
)
from hubbub.records.messages.store import find_messages
from hubbub.records.users.model import Person, UidNotFound
from hubbub.records.users.store import find_people
from hubbub.storage.interface import Transaction


class PartRequest(Protocol):
    """A user adds something to a message, or removes it."""

    @property
    def actor(self) -> Actor: ...
    @property
    def message_id(self) -> int: ...
    @property
    def uid(self) -> str: ...
    @property
    def is_removal(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class PartContext:
    """The stored messages, users and groups of the requests."""

    people: Mapping[str, Person]
    messages: Mapping[int, Message]
    conversations: Mapping[ConversationKey, Conversation]
    participants: Mapping[tuple[int, str], Participant]
    groups: Mapping[str, Group]
    members: Mapping[tuple[int, str], Member]
    blocks: Collection[UidPair]
    revoked: Collection[str]

    def refuse(self, request: PartRequest, permission: str | None = None) -> Refusal | None:
        """Return why the user may not do this; None if they may.

        `permission` is the one that a scope needs in a group to add something.
        """
        person = self.people.get(request.uid)
        refusal = refuse_actor(person, request.actor, self.revoked)
        if refusal is not None:
            return refusal
        message = self.messages.get(request.message_id)
        if message is None or person is None or not self._can_see(person, message):
            return MessageIdNotFound(request.message_id)
        if message.category == ACTION or message.deleted_at is not None:
            return MessageActionNotAllowed(request.message_id)
        if message.receiver_type == GROUP:
            if request.is_removal:
                return None
            return self._refuse_in_group(message, request.uid, permission)
        other = message.other_than(request.uid)
        if not request.is_removal and not self._is_active(other):
            return UidNotFound(other)
        return refuse_blocked((request.uid, other), self.blocks)

    def _can_see(self, person: Person, message: Message) -> bool:
        participant = self.participants.get((message.conversation, person.user.uid))
        if participant is None or message.id <= participant.hidden_id:
            return False
        if not is_shown(message, person):
            return False
        conversation = self.conversations.get(message.key)
        exists = conversation is not None and conversation.number == message.conversation
        return exists or message.category == ACTION  # its users don't determine its key

    def _refuse_in_group(
        self, message: Message, uid: str, permission: str | None
    ) -> Refusal | None:
        member = self.members.get((message.conversation, uid))
        if member is None:
            return MessageIdNotFound(message.id)
        if permission is None:
            return None
        return refuse_scope(self.groups[message.receiver], member.scope, permission)

    def _is_active(self, uid: str) -> bool:
        person = self.people.get(uid)
        return uid == SYSTEM_UID or (person is not None and person.user.is_active)


async def load_part_context(tx: Transaction, requests: Sequence[PartRequest]) -> PartContext:
    """Return what is stored about the messages and people of requests."""
    messages = await find_messages(tx, [each.message_id for each in requests])
    pairs = [
        (messages[each.message_id], each.uid) for each in requests if each.message_id in messages
    ]
    participants = [(message.conversation, uid) for message, uid in pairs]
    guids = {message.receiver for message, _ in pairs if message.receiver_type == GROUP}
    between_two = [
        (uid, message.other_than(uid)) for message, uid in pairs if message.receiver_type != GROUP
    ]
    return PartContext(
        people=await find_people(
            tx, {each.uid for each in requests} | {other for _, other in between_two} - {SYSTEM_UID}
        ),
        messages=messages,
        conversations=await find_conversations(tx, (message.key for message, _ in pairs)),
        participants=await find_participants(tx, participants),
        groups=await find_groups(tx, guids),
        members=await find_members(tx, participants if guids else ()),
        blocks=await find_blocks(tx, [each for pair in between_two for each in (pair, pair[::-1])]),
        revoked=await find_revoked_tokens(tx, (each.actor.token for each in requests)),
    )
