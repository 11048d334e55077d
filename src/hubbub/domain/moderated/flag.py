"""Flag messages, so that the app reviews them."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.domain.moderated.reasons import access_reason
from hubbub.outbox import lock_counters
from hubbub.records.messages.model import ACTION, MessageActionNotAllowed
from hubbub.records.moderated import store
from hubbub.records.moderated.model import NO_RULE, Flag
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def flag_message(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    message_id: int,
    *,
    reason_id: str | None,
    remark: str | None,
) -> None:
    """Flag a message for a user, once: again it replaces the reason and the remark.

    After a review the message is to be reviewed anew.

    Raises:
        UidNotFound, MessageIdNotFound: the user does not exist, or can't see the message.
        MessageActionNotAllowed: it is an action message, or deleted.
        ReasonNotFound: the app does not have the reason.
    """

    async def within(tx: Transaction) -> None:
        counters = await lock_counters(tx)
        person = await access_actor(tx, actor)
        message = await access_message(tx, person, message_id)
        if message.category == ACTION or message.deleted_at is not None:
            raise MessageActionNotAllowed(message_id)
        if reason_id is not None:
            await access_reason(tx, reason_id)
        flag = Flag(
            message=message_id,
            uid=actor.name,
            rule=NO_RULE,
            reason=reason_id,
            remark=remark or None,
            number=counters.event,
            flagged_at=runtime.clock.now(),
        )
        await store.store_flags(tx, [flag])

    await runtime.database.write(app_id, within)
