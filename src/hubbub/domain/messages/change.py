"""The common parts of editing and deleting: access checks, and the action message."""

from dataclasses import dataclass
from typing import TypedDict

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.groups import Standing, access_group_to_take_part
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import RoleForbids, check_verb
from hubbub.domain.messages.batch import store_draft
from hubbub.records.conversations.model import GROUP
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
from hubbub.storage.interface import Snapshot, Transaction

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class MessageChange:
    """A change of a message: the message, the person who may change it, and its group, if any."""

    message: Message
    person: Person
    group: Group | None = None

    @property
    def by(self) -> str:
        """Return the uid under which the change is recorded."""
        return self.person.user.uid

    @property
    def is_of_other(self) -> bool:
        """Return whether somebody else sent the message."""
        return self.message.sender != self.by


class MessageEventFields(TypedDict):
    """The common fields of events about changes of messages."""

    message: int
    on: int
    conversation: int
    by: str
    shows: bool
    at: int


async def access_message_to_change(
    snapshot: Snapshot, actor: Actor, message_id: int, permission: str
) -> MessageChange:
    """Return a message that the actor may change: its sender, a moderator of its group, or the app.

    `permission` is the name of the change in role and scope permissions.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or their role
            may not change messages.
        MessageIdNotFound: the acting user does not see the message.
        MessageActionNotAllowed: it is an action message.
        ScopeForbids: the acting user's scope in the group may not change messages.
        MessageNotASender: somebody else sent it.
    """
    person = await access_actor(snapshot, actor)
    check_verb(person.rules, permission)
    message = await access_message(snapshot, person, message_id)
    if message.category == ACTION:
        raise MessageActionNotAllowed(message_id)
    if message.receiver_type == GROUP:
        standing = await access_group_to_take_part(snapshot, person, message.receiver, permission)
        check_scope(standing, permission)
        found = MessageChange(message, person, standing.group)
        may_change = standing.rank >= RANK[MODERATOR]
    else:
        found, may_change = MessageChange(message, person), actor.is_app
    if found.is_of_other and not may_change:
        raise MessageNotASender(found.by, message_id)
    return found


def check_scope(standing: Standing, permission: str) -> None:
    """Check the role permission that lists the scopes to which a permission is denied.

    Raises:
        RoleForbids: it lists the acting member's scope.
    """
    rules, denied = standing.person.rules, f"{permission}.denyForScopes"
    if standing.member is not None and standing.member.scope in rules.listed(denied):
        raise RoleForbids(rules, denied)


async def store_action_message(
    tx: Transaction, change: MessageChange, action: str, now: int
) -> Message:
    """Store the action message that announces a change, and return it."""
    message = change.message
    draft = Draft(
        sender=change.by,
        receiver_type=message.receiver_type,
        receiver=message.receiver,
        category=ACTION,
        type=OF_MESSAGE,
        data=_encode(MessageAction(action, message.id)).decode(),
        parent_id=message.parent_id,
        within=message.key,
    )
    return await store_draft(tx, draft, change.group, now)


def event_fields(change: MessageChange, action: Message) -> MessageEventFields:
    """Return the common fields of an event about a change; `action` is its action message."""
    return {
        "message": action.id,
        "on": change.message.id,
        "conversation": action.conversation,
        "by": change.by,
        "shows": action.shows,
        "at": action.sent_at,
    }
