"""`/messages/{id}/reminders`: read the request, call the domain, write the answer."""

from typing import Annotated

from msgspec import Meta

from hubbub.domain.reminders import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.http.operation import Acting
from hubbub.records.messages.model import MessageActionNotAllowed, MessageIdNotFound
from hubbub.records.reminders.model import Reminder, TooManyReminders
from hubbub.records.users.model import UidNotFound
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import (
    Listing,
    PageQuery,
    Shape,
    SuccessMessage,
    Timestamp,
    page_answer,
)

TAG = operation.Tag("Reminders", "Users are reminded of messages at times that they set.")
ALL, OF_MESSAGE = "/reminders", "/messages/{id}/reminders"


class SetReminder(Shape, kw_only=True):
    """When to remind the user, up to a year ahead."""

    at: Timestamp


class ReminderShape(Shape, kw_only=True):
    """A reminder that is to come."""

    message_id: str
    at: Annotated[int, Meta(description="When the user is reminded, in seconds since 1970.")]
    created_at: int


class ListReminders(PageQuery, kw_only=True):
    """A page of reminders."""


def reminder_shape(reminder: Reminder) -> ReminderShape:
    """Return a reminder as it is shown."""
    return ReminderShape(
        message_id=str(reminder.message), at=reminder.remind_at, created_at=reminder.created_at
    )


@operation.get(ALL, tag=TAG, acting=Acting.REQUIRED, is_own=True, errors=(UidNotFound,))
async def list_reminders(call: Call, query: ListReminders) -> Listing[ReminderShape]:
    """List the acting user's reminders that are to come, by their times.

    Those that were told, or whose messages were erased, are not here any more.
    """
    page = await manage.list_own_reminders(call.runtime, call.app_id, call.actor, query.request())
    return page_answer(page, await make_rows(call, page.items, reminder_shape))


@operation.post(
    OF_MESSAGE,
    tag=TAG,
    acting=Acting.REQUIRED,
    is_own=True,
    errors=(UidNotFound, MessageIdNotFound, MessageActionNotAllowed, TooManyReminders),
)
async def set_reminder(call: Call, message_id: path.MessageId, body: SetReminder) -> ReminderShape:
    """Remind the acting user of a message at a time; other users can't see this.

    At that time the user's sessions hear `user_reminded`, and their devices get a push, also of
    a conversation that is muted. A user has one reminder of a message: a later call changes its
    time. `limits.reminders` says how many there may be in all.
    """
    reminder = await manage.set_reminder(call.runtime, call.app_id, call.actor, message_id, body.at)
    return reminder_shape(reminder)


@operation.delete(OF_MESSAGE, tag=TAG, acting=Acting.REQUIRED, is_own=True, errors=(UidNotFound,))
async def remove_reminder(call: Call, message_id: path.MessageId) -> SuccessMessage:
    """Remove the acting user's reminder of a message, if there is one.

    After the answer it is not told. If there is none, nothing changes.
    """
    await manage.remove_reminder(call.runtime, call.app_id, call.actor, message_id)
    return SuccessMessage(
        success=True, message=f"There is no reminder of the message with id {message_id} any more."
    )
