"""What editing and deleting have in common: who may, and the action message that tells of it."""

from dataclasses import dataclass
from typing import TypedDict

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.groups import Standing, access_group_to_take_part
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import RoleForbids, refuse_verb
from hubbub.domain.messages.batch import Batch
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import GROUP
from hubbub.records.conversations.store import find_conversations
from hubbub.records.groups.model import Group
from hubbub.records.members.model import MODERATOR, RANK
from hubbub.records.messages.actions import MessageAction
from hubbub.records.messages.model import (
    ACTION,
    OF_MESSAGE,
    Draft,
    Message,
    MessageActionNotAllowed,
    MessageNotASender,
)
from hubbub.records.users.model import Person
from hubbub.storage.interface import Transaction

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Changeable:
    """A message, and who may change it; `group` when it was sent to one."""

    message: Message
    person: Person
    group: Group | None = None

    @property
    def by(self) -> str:
        """The uid under which the change is recorded."""
        return self.person.user.uid

    @property
    def is_anothers(self) -> bool:
        """Whether somebody else sent the message."""
        return self.message.sender != self.by


class Facts(TypedDict):
    """The fields that all events about changes have."""

    message: int
    on: int
    conversation: int
    by: str
    shows: bool
    at: int


async def access_message_to_change(
    tx: Transaction, actor: Actor, message_id: int, permission: str
) -> Changeable:
    """The message, for who sent it, who moderates its group, and the app.

    `permission` is what the permissions of roles and scopes call it.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or may not.
        MessageIdNotFound: he does not see it.
        MessageActionNotAllowed: it tells of an action.
        ScopeForbids: his scope in its group may not.
        MessageNotASender: it is somebody else's.
    """
    person = await access_actor(tx, actor)
    refusal = refuse_verb(person.rules, permission)
    if refusal is not None:
        raise refusal
    message = await access_message(tx, person, message_id)
    if message.category == ACTION:
        raise MessageActionNotAllowed(message_id)
    if message.receiver_type == GROUP:
        standing = await access_group_to_take_part(tx, person, message.receiver, permission)
        check_scope(standing, permission)
        found = Changeable(message, person, standing.group)
        may_change = standing.rank >= RANK[MODERATOR]
    else:
        found, may_change = Changeable(message, person), actor.is_app
    if found.is_anothers and not may_change:
        raise MessageNotASender(found.by, message_id)
    return found


def check_scope(standing: Standing, permission: str) -> None:
    """The role permission that names scopes, in whatever group.

    Raises:
        RoleForbids: it names that of the acting member.
    """
    rules, denied = standing.person.rules, f"{permission}.denyForScopes"
    if standing.member is not None and standing.member.scope in rules.listed(denied):
        raise RoleForbids(rules, denied)


async def tell_of_change(tx: Transaction, changed: Changeable, action: str, now: int) -> Message:
    """Store the action message of a change."""
    message, group = changed.message, changed.group
    conversations = await find_conversations(tx, [message.key])
    sizes = {group.guid: group.members_count} if group else {}
    batch = Batch(await lock_counters(tx), conversations, sizes, now)
    told = batch.add(
        Draft(
            sender=changed.by,
            receiver_type=message.receiver_type,
            receiver=message.receiver,
            category=ACTION,
            type=OF_MESSAGE,
            data=_encode(MessageAction(action, message.id)).decode(),
            parent_id=message.parent_id,
            within=message.key,
        )
    )
    await batch.write(tx)
    return told


def facts_of(changed: Changeable, told: Message) -> Facts:
    """What every event about a change tells; `told` is its action message."""
    return {
        "message": told.id,
        "on": changed.message.id,
        "conversation": told.conversation,
        "by": changed.by,
        "shows": told.shows,
        "at": told.sent_at,
    }
