"""Pin messages for all users of their conversation, or save them for the acting user; undo either.

Of what somebody saves, nobody else is notified.
"""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.domain.views.messages import view_messages
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.messages.model import (
    ACTION,
    IS_PINNED,
    IS_SAVED,
    MessageActionNotAllowed,
    MessageView,
)
from hubbub.records.messages.store import add_trait, remove_trait
from hubbub.records.pins import store
from hubbub.records.pins.events import MessagePinned, MessageUnpinned
from hubbub.records.pins.model import BY_APP, Pin, Save, TooManyPinnedMessages, TooManySavedMessages
from hubbub.records.settings.model import PINNED_MESSAGES, SAVED_MESSAGES, settings_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def pin_message(runtime: Runtime, app_id: str, actor: Actor, message_id: int) -> MessageView:
    """Pin a message; a pinned message does not change.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
        MessageActionNotAllowed: it is an action message, or deleted.
        TooManyPinnedMessages: its conversation is at its limit.
    """

    async def within(tx: Transaction) -> MessageView:
        counters = await lock_counters(tx)
        person = await access_actor(tx, actor)
        message = await access_message(tx, person, message_id)
        if message.category == ACTION or message.deleted_at is not None:
            raise MessageActionNotAllowed(message_id)
        if not await store.find_pin_times(tx, [message_id]):
            limit = settings_of(counters.settings).limit(PINNED_MESSAGES)
            if await store.count_pins(tx, message.conversation) >= limit:
                raise TooManyPinnedMessages(limit)
            now, number = runtime.clock.now(), next_event_number(tx)
            by = actor.uid or BY_APP
            await store.insert_pin(tx, Pin(message.conversation, message_id, by, number, now))
            await add_trait(tx, [message_id], IS_PINNED)
            message.traits |= IS_PINNED
            tx.announce(
                MessagePinned(
                    message=message_id, conversation=message.conversation, by=actor.name, at=now
                )
            )
        return (await view_messages(tx, [message], actor.uid))[0]

    return await runtime.database.write(app_id, within)


async def unpin_message(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int
) -> MessageView:
    """Unpin a message, regardless of who pinned it; an unpinned message does not change.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
    """

    async def within(tx: Transaction) -> MessageView:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        message = await access_message(tx, person, message_id)
        if await store.find_pin_times(tx, [message_id]):
            await store.delete_pins(tx, [message_id])
            await remove_trait(tx, [message_id], IS_PINNED)
            message.traits &= ~IS_PINNED
            tx.announce(
                MessageUnpinned(
                    message=message_id,
                    conversation=message.conversation,
                    by=actor.name,
                    at=runtime.clock.now(),
                )
            )
        return (await view_messages(tx, [message], actor.uid))[0]

    return await runtime.database.write(app_id, within)


async def save_message(runtime: Runtime, app_id: str, actor: Actor, message_id: int) -> MessageView:
    """Save a message for the acting user; a saved message does not change.

    Raises:
        UidNotFound, MessageIdNotFound: the user does not exist, or can't see the message.
        MessageActionNotAllowed: it is an action message, or deleted.
        TooManySavedMessages: the user is at their limit.
    """

    async def within(tx: Transaction) -> MessageView:
        counters = await lock_counters(tx)
        person = await access_actor(tx, actor)
        uid, message = person.user.uid, await access_message(tx, person, message_id)
        if message.category == ACTION or message.deleted_at is not None:
            raise MessageActionNotAllowed(message_id)
        if not await store.find_save_times(tx, uid, [message_id]):
            limit = settings_of(counters.settings).limit(SAVED_MESSAGES)
            if await store.count_saves(tx, uid) >= limit:
                raise TooManySavedMessages(uid, limit)
            save = Save(uid, message_id, counters.event, runtime.clock.now())
            await store.insert_save(tx, save)
            await add_trait(tx, [message_id], IS_SAVED)
            message.traits |= IS_SAVED
        return (await view_messages(tx, [message], uid))[0]

    return await runtime.database.write(app_id, within)


async def unsave_message(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int
) -> MessageView:
    """Unsave a message of the acting user; one that is not saved does not change.

    Raises:
        UidNotFound, MessageIdNotFound: the user does not exist, or can't see the message.
    """

    async def within(tx: Transaction) -> MessageView:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        uid, message = person.user.uid, await access_message(tx, person, message_id)
        if await store.delete_saves(tx, uid, [message_id]):
            left = {message_id} - await store.find_saved(tx, [message_id])
            await remove_trait(tx, left, IS_SAVED)
        return (await view_messages(tx, [message], uid))[0]

    return await runtime.database.write(app_id, within)
