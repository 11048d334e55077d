"""Delete messages: softly, so that only the app still sees the content, or permanently."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import refuse_features
from hubbub.domain.access.permissions import check_verb
from hubbub.domain.messages.change import (
    access_message_to_change,
    check_scope,
    event_fields,
    store_action_message,
)
from hubbub.domain.messages.erase import erase_messages
from hubbub.domain.messages.grown import keep_text_of_deleted
from hubbub.domain.views.messages import view_messages
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.messages import store
from hubbub.records.messages.events import MessageDeleted
from hubbub.records.messages.model import (
    IS_GROWING,
    Message,
    MessageActionNotAllowed,
    MessageView,
)
from hubbub.records.users.model import Person
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

DELETED = "deleted"
PERMISSION = "deleteMessage"
OF_OTHERS = "deleteGroupMessages"
"""The feature to delete messages of others in a group."""


async def delete_message(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, *, is_permanent: bool
) -> MessageView:
    """Delete a message, and return the action message that announces it.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids, ScopeForbids, MessageIdNotFound,
            MessageNotASender: the acting user may not delete it.
        MessageActionNotAllowed: it is an action message; or it is deleted already, and
            `is_permanent` is not set.
    """

    async def within(tx: Transaction) -> MessageView:
        action = await delete_within(
            tx, actor, message_id, is_permanent=is_permanent, now=runtime.clock.now()
        )
        return (await view_messages(tx, [action], actor.uid))[0]

    return await runtime.database.write(app_id, within)


async def delete_within(
    tx: Transaction, actor: Actor, message_id: int, *, is_permanent: bool, now: int
) -> Message:
    """Delete a message in a transaction; return the action message that announces it.

    Raises:
        Refusal: as `delete_message`.
    """
    await lock_counters(tx)
    found = await access_message_to_change(tx, actor, message_id, PERMISSION)
    if found.is_of_other:
        _check_feature(found.person)
    if found.message.deleted_at is not None and not is_permanent:
        raise MessageActionNotAllowed(message_id)
    if is_permanent:
        await erase_messages(tx, [message_id])
    elif found.message.traits & IS_GROWING:
        await keep_text_of_deleted(tx, found.message)
    action = await store_action_message(tx, found, DELETED, now)
    await store.set_deleted(
        tx, message_id, by=found.by, at=action.sent_at, number=next_event_number(tx)
    )
    tx.announce(MessageDeleted(permanent=is_permanent, **event_fields(found, action)))
    return action


def check_may_delete(person: Person) -> None:
    """Check that a person's role may delete messages.

    Raises:
        RoleForbids: it may not.
    """
    check_verb(person.rules, PERMISSION)


async def access_group_to_delete_messages(
    snapshot: Snapshot, person: Person, guid: str, *, of_others: bool
) -> None:
    """Check that a person may delete many messages of a group at once.

    Raises:
        GuidNotFound, BannedMember, GroupNotJoined: the person is not a member.
        RoleForbids: the person's role may not delete messages in their scope.
        FeatureRestricted: the person's role may not delete messages of others.
    """
    standing = await access_group_to_take_part(snapshot, person, guid)
    check_scope(standing, PERMISSION)
    if of_others:
        _check_feature(person)


def _check_feature(person: Person) -> None:
    """Check the feature to delete messages of others; it is never restricted for the app.

    Raises:
        FeatureRestricted: it is restricted for the person's role.
    """
    refusal = refuse_features(person, [OF_OTHERS])
    if refusal is not None:
        raise refusal
