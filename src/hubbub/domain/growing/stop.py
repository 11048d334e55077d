"""Ask the sender of a message that grows to end it; they decide."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_actor
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import GROUP
from hubbub.records.growing import store
from hubbub.records.growing.events import MessageStopRequested
from hubbub.records.growing.model import MessageNotGrowing
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def request_stop(runtime: Runtime, app_id: str, actor: Actor, message_id: int) -> None:
    """Ask that a message stops growing; once it was asked for, this changes nothing.

    Raises:
        UidNotFound, MessageIdNotFound: the actor may not see the message.
        GuidNotFound, GroupNotJoined, BannedMember: they are no member of its group.
        MessageNotGrowing: it does not grow.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        message = await access_message(tx, person, message_id)
        if message.receiver_type == GROUP:
            await access_group_to_take_part(tx, person, message.receiver)
        state = (await store.find_states(tx, [message_id])).get(message_id)
        if state is None:
            raise MessageNotGrowing(message_id)
        if state.stopped_by is not None:
            return
        await store.set_stopped_by(tx, message_id, actor.name)
        tx.announce(
            MessageStopRequested(
                message=message_id,
                conversation=message.conversation,
                by=actor.name,
                at=runtime.clock.now(),
            )
        )

    await runtime.database.write(app_id, within)
