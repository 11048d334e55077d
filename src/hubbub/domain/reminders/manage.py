"""Set, list and remove reminders: each is a user's own, and nobody else learns of it."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.kernel.pages import Page, PageRequest
from hubbub.outbox import lock_counters
from hubbub.records.messages.model import ACTION, MessageActionNotAllowed
from hubbub.records.reminders import store
from hubbub.records.reminders.model import REMINDERS, Reminder, TooManyReminders
from hubbub.records.scheduled.model import check_ahead
from hubbub.records.scheduled.queues import open_queue
from hubbub.records.settings.model import REMINDERS_PER_USER, settings_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def set_reminder(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, at: int
) -> Reminder:
    """Remind the acting user of a message at a time, in seconds; an earlier reminder is replaced.

    Raises:
        UidNotFound, MessageIdNotFound: the user does not exist, or can't see the message.
        MessageActionNotAllowed: it is an action message, or deleted.
        BadInput: the time has passed, or lies too far ahead.
        TooManyReminders: the user is at their limit.
    """
    now = runtime.clock.now()
    check_ahead("at", at, now)

    async def within(tx: Transaction) -> Reminder:
        counters = await lock_counters(tx)
        person = await access_actor(tx, actor)
        message = await access_message(tx, person, message_id)
        if message.category == ACTION or message.deleted_at is not None:
            raise MessageActionNotAllowed(message_id)
        uid = person.user.uid
        if await store.find_reminder(tx, uid, message_id) is None:
            limit = settings_of(counters.settings).limit(REMINDERS_PER_USER)
            if await store.count_reminders(tx, uid) >= limit:
                raise TooManyReminders(uid, limit)
        reminder = Reminder(uid, message_id, at, 1000 * at, now)
        await open_queue(tx, REMINDERS, reminder.due_at, now=runtime.clock.milliseconds())
        await store.store_reminders(tx, [reminder])
        return reminder

    return await runtime.database.write(app_id, within)


async def list_own_reminders(
    runtime: Runtime, app_id: str, actor: Actor, page: PageRequest
) -> Page[Reminder]:
    """Return a page of the acting user's reminders that are to come, by their times.

    Raises:
        UidNotFound: the user does not exist.
    """

    async def within(snapshot: Snapshot) -> Page[Reminder]:
        uid = (await access_actor(snapshot, actor)).user.uid
        found = await store.list_reminders(snapshot, uid, page)
        return Page(found, await store.count_reminders(snapshot, uid), page)

    return await runtime.database.read(app_id, within)


async def remove_reminder(runtime: Runtime, app_id: str, actor: Actor, message_id: int) -> None:
    """Remove the acting user's reminder of a message, if there is one.

    Raises:
        UidNotFound: the user does not exist.
    """

    async def within(tx: Transaction) -> None:
        uid = (await access_actor(tx, actor)).user.uid
        reminder = (await store.lock_reminders(tx, [(uid, message_id)])).get((uid, message_id))
        if reminder is not None:
            await store.delete_reminders(tx, [reminder])

    await runtime.database.write(app_id, within)
