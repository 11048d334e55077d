"""Keep a message that is to be sent later; until then nobody but its sender and the app sees it."""

import dataclasses
from dataclasses import dataclass

from msgspec.structs import replace

from hubbub.domain.access.rates import find_settings
from hubbub.domain.messages.send import preview_message
from hubbub.domain.scheduled.repeat import DEFAULT_ZONE, is_time_of, parse_repeat
from hubbub.kernel.clock import is_time_zone
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.messages.model import Draft, MessageView
from hubbub.records.scheduled import store
from hubbub.records.scheduled.model import (
    MESSAGES,
    PENDING,
    ScheduledMessage,
    TooManyScheduledMessages,
    check_ahead,
    encode_draft,
    lane_of,
)
from hubbub.records.scheduled.queues import open_queue
from hubbub.records.settings.model import SCHEDULED_MESSAGES
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class SendTimes:
    """When a message is sent, in seconds, and how it is repeated, as an RRULE in a time zone."""

    send_at: int
    repeat: str | None = None
    time_zone: str | None = None


async def schedule_message(
    runtime: Runtime, app_id: str, draft: Draft, times: SendTimes, *, is_by_token: bool
) -> ScheduledMessage | MessageView:
    """Keep a message until it is sent; return it.

    If the sender has used the muid before, this is the message that was scheduled, or sent, then.
    The moderation and the webhooks of the app are asked when it is sent, not now.

    Raises:
        BadInput: the time has passed, or lies too far ahead, or it may not be repeated so.
        TooManyScheduledMessages: the user is at their limit.
        Refusal: the sender could not send the message now.
    """
    now = runtime.clock.now()
    _check_times(draft, times, now)
    view = await runtime.database.read(
        app_id, lambda snapshot: preview_message(snapshot, draft, now), is_short=True
    )
    if isinstance(view, Refusal):
        raise view
    if view.is_repeated:
        return view
    scheduled = _make(runtime, draft, times, view, is_by_token=is_by_token)
    limit = (await find_settings(runtime, app_id)).limit(SCHEDULED_MESSAGES)
    now_ms = runtime.clock.milliseconds()

    async def within(tx: Transaction) -> ScheduledMessage:
        # It locks the queue: one call at a time.
        place = await open_queue(tx, MESSAGES, scheduled.due_at, now=now_ms)
        if draft.muid is not None:
            earlier = await store.find_by_muid(tx, draft.sender, draft.muid)
            if earlier is not None:
                return earlier
        if draft.is_of_user and await store.count_scheduled(tx, draft.sender) >= limit:
            raise TooManyScheduledMessages(draft.sender, limit)
        placed = dataclasses.replace(scheduled, place=place)
        await store.insert_scheduled(tx, placed)
        return placed

    return await runtime.database.write(app_id, within)


def _check_times(draft: Draft, times: SendTimes, now: int) -> None:
    check_ahead("sendAt", times.send_at, now)
    if draft.is_of_user and times.repeat is not None:
        raise BadInput.field("repeat", "Only messages of bots and of the app are repeated.")
    check_repeat(times.repeat, times.time_zone, times.send_at)


def _make(
    runtime: Runtime, draft: Draft, times: SendTimes, view: MessageView, *, is_by_token: bool
) -> ScheduledMessage:
    """Return what is kept of a message that could be sent now, as `view` shows it."""
    now, message = runtime.clock.now(), view.message
    named = replace(draft, receiver_type=message.receiver_type, receiver=message.receiver)
    return ScheduledMessage(
        id=runtime.ids.hexadecimal(32),
        sender=draft.sender,
        muid=draft.muid,
        receiver_type=message.receiver_type,
        receiver=message.receiver,
        lane=lane_of(named.key),
        draft=encode_draft(named),
        send_at=times.send_at,
        due_at=1000 * times.send_at,
        place=0,
        is_by_token=is_by_token,
        first_at=times.send_at,
        time_zone=times.time_zone,
        repeat=times.repeat,
        version=1,
        status=PENDING,
        code=None,
        reason=None,
        failed_at=None,
        created_at=now,
        updated_at=now,
    )


def check_repeat(repeat: str | None, time_zone: str | None, first_at: int) -> None:
    """Check how a message is repeated.

    Raises:
        BadInput: the rule or the time zone is not valid, or the rule does not begin with the time.
    """
    if repeat is None:
        if time_zone is not None:
            raise BadInput.field("timeZone", "Only a message with repeat has a timeZone.")
        return
    if time_zone is not None and not is_time_zone(time_zone):
        raise BadInput.field("timeZone", "The timeZone must be a name such as Europe/Berlin.")
    if not is_time_of(parse_repeat(repeat), first_at, time_zone or DEFAULT_ZONE):
        raise BadInput.field("sendAt", "The sendAt must be a time of the repeat, its first one.")
