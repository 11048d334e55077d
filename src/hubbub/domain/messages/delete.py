"""Delete messages: softly, the app alone still seeing the content, or for good."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import refuse_features
from hubbub.domain.messages import store
from hubbub.domain.messages.change import (
    Changeable,
    access_message_to_change,
    facts_of,
    tell_of_change,
)
from hubbub.domain.messages.erase import erase_messages
from hubbub.domain.messages.events import MessageDeleted
from hubbub.domain.messages.model import MessageActionNotAllowed, Told
from hubbub.domain.messages.tell import tell
from hubbub.outbox import take_numbers
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

DELETED = "deleted"
OF_OTHERS = "deleteGroupMessages"
"""The feature that deletes what others said in a group."""


async def delete_message(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, *, is_permanent: bool
) -> Told:
    """Delete a message; the action message that tells of it.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids, MessageIdNotFound, MessageNotASender: the
            acting user may not.
        MessageActionNotAllowed: it tells of an action, or is deleted and not to go for good.
    """

    async def within(tx: Transaction) -> Told:
        await take_numbers(tx)
        found = await access_message_to_change(tx, actor, message_id, "deleteMessage")
        _check_feature(actor, found)
        if found.message.deleted_at is not None and not is_permanent:
            raise MessageActionNotAllowed(message_id)
        if is_permanent:
            await erase_messages(tx, [message_id])
        action = await tell_of_change(tx, found, DELETED, runtime.clock.now())
        await store.set_deleted(tx, message_id, by=found.by, at=action.sent_at)
        tx.announce(MessageDeleted(permanent=is_permanent, **facts_of(found, action)))
        return (await tell(tx, [action], actor.uid))[0]

    return await runtime.database.write(app_id, within)


def _check_feature(actor: Actor, found: Changeable) -> None:
    """What others said is deleted under a feature of its own.

    Raises:
        FeatureRestricted: the acting user's role is kept from it.
    """
    if actor.is_app or not found.is_anothers:
        return
    refusal = refuse_features(found.person, [OF_OTHERS])
    if refusal is not None:
        raise refusal
