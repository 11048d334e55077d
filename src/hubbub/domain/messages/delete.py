"""Delete messages: softly, the app alone still seeing the content, or for good."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import refuse_features
from hubbub.domain.access.permissions import refuse_verb
from hubbub.domain.messages.change import (
    access_message_to_change,
    check_scope,
    facts_of,
    tell_of_change,
)
from hubbub.domain.messages.erase import erase_messages
from hubbub.domain.views.messages import view_messages
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.messages import store
from hubbub.records.messages.events import MessageDeleted
from hubbub.records.messages.model import MessageActionNotAllowed, MessageView
from hubbub.records.users.model import Person
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

DELETED = "deleted"
PERMISSION = "deleteMessage"
OF_OTHERS = "deleteGroupMessages"
"""The feature that deletes what others said in a group."""


async def delete_message(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, *, is_permanent: bool
) -> MessageView:
    """Delete a message; the action message that tells of it.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids, MessageIdNotFound, MessageNotASender: the
            acting user may not.
        MessageActionNotAllowed: it tells of an action, or is deleted and not to go for good.
    """

    async def within(tx: Transaction) -> MessageView:
        await lock_counters(tx)
        found = await access_message_to_change(tx, actor, message_id, PERMISSION)
        if found.is_anothers:
            _check_feature(found.person)
        if found.message.deleted_at is not None and not is_permanent:
            raise MessageActionNotAllowed(message_id)
        if is_permanent:
            await erase_messages(tx, [message_id])
        action = await tell_of_change(tx, found, DELETED, runtime.clock.now())
        await store.set_deleted(
            tx, message_id, by=found.by, at=action.sent_at, number=next_event_number(tx)
        )
        tx.announce(MessageDeleted(permanent=is_permanent, **facts_of(found, action)))
        return (await view_messages(tx, [action], actor.uid))[0]

    return await runtime.database.write(app_id, within)


def check_may_delete(person: Person) -> None:
    """Whether somebody's role may delete messages, be they whosever.

    Raises:
        RoleForbids: it may not.
    """
    refusal = refuse_verb(person.rules, PERMISSION)
    if refusal is not None:
        raise refusal


async def access_group_to_delete_messages(
    snapshot: Snapshot, person: Person, guid: str, *, of_others: bool
) -> None:
    """Whether somebody may delete many messages of a group at once, in his scope.

    Raises:
        GuidNotFound, BannedMember, GroupNotJoined: he is no member.
        RoleForbids: his role may not in his scope.
        FeatureRestricted: his role may not delete what others said.
    """
    standing = await access_group_to_take_part(snapshot, person, guid)
    check_scope(standing, PERMISSION)
    if of_others:
        _check_feature(person)


def _check_feature(person: Person) -> None:
    """What others said is deleted under a feature of its own; nothing keeps the app from it.

    Raises:
        FeatureRestricted: the acting user's role is kept from it.
    """
    refusal = refuse_features(person, [OF_OTHERS])
    if refusal is not None:
        raise refusal
