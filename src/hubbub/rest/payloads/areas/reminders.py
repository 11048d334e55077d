"""The payloads of events about reminders."""

from hubbub.records.reminders.events import UserReminded
from hubbub.rest.payloads.areas.messages import MessageJson
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import NOW, sample_message
from hubbub.rest.wire.shapes import Json, Shape


class ReminderPayload(Shape, kw_only=True):
    """The data of `user_reminded`: the user wanted to be reminded of the message at `at`."""

    at: int
    message: MessageJson


def reminded(facts: Facts, event: UserReminded) -> bytes | None:
    """Return the data of `user_reminded`; None if the message is gone."""
    row = facts.message_row(event.message)
    return b'{"at":%d,"message":%b}' % (event.remind_at, row) if row is not None else None


def _add_ids(named: Named, event: UserReminded) -> None:
    named.shown.add(event.message)


PAYLOADS = (Payload((UserReminded,), ReminderPayload, reminded, _add_ids),)

SAMPLES: dict[str, Json] = {"user_reminded": {"at": NOW, "message": sample_message()}}
