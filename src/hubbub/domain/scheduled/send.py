"""Send messages that are due, each in the transaction that removes it from those that wait."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.messages.send import send_messages
from hubbub.domain.moderated.hold import hold_draft
from hubbub.domain.moderated.penalize import penalize
from hubbub.domain.moderation.engine import announce_failed
from hubbub.domain.scheduled.prepare import PreparedMessage
from hubbub.domain.scheduled.repeat import DEFAULT_ZONE, find_next, parse_repeat
from hubbub.kernel.clock import NEVER
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters
from hubbub.records.messages.model import MessageView
from hubbub.records.scheduled import store
from hubbub.records.scheduled.events import not_sent_event
from hubbub.records.scheduled.model import FAILED, PENDING, ScheduledMessage, failure_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class ScheduledOutcome:
    """What has become of a message that was due; neither if it was changed or sent meanwhile."""

    view: MessageView | None = None
    refusal: Refusal | None = None


NOTHING_DONE = ScheduledOutcome()


async def send_due(
    tx: Transaction, prepared: Sequence[PreparedMessage], now: int
) -> list[ScheduledOutcome]:
    """Send messages that are due and as they were read; keep what may not be sent as failed.

    What was changed, cancelled or sent meanwhile, or is not due after all, stays as it is.
    """
    outcomes = await send_unchanged(tx, prepared, now, only_due=True)
    kept = [
        _fail(tx, each.scheduled, outcome.refusal, now)
        for each, outcome in zip(prepared, outcomes, strict=True)
        if outcome.refusal is not None
    ]
    await store.store_scheduled(tx, kept)
    return outcomes


async def send_unchanged(
    tx: Transaction, prepared: Sequence[PreparedMessage], now: int, *, only_due: bool
) -> list[ScheduledOutcome]:
    """Send messages that are as they were read; one outcome each. What is refused is not stored."""
    await lock_counters(tx)  # before their rows, as everything that deletes them with a user does
    locked = await store.lock_scheduled(tx, {each.scheduled.id for each in prepared})
    taken = [
        each
        for each in sorted(prepared, key=lambda each: each.scheduled.order)
        if _is_unchanged(each.scheduled, locked.get(each.scheduled.id), now if only_due else None)
    ]
    outcomes = await _send(tx, taken, now)
    sent = [each.scheduled for each in taken if outcomes[each.scheduled.id].view is not None]
    again = [later for each in sent if (later := _repeated(each, now)) is not None]
    await store.store_scheduled(tx, again)
    await store.delete_scheduled(tx, {each.id for each in sent} - {each.id for each in again})
    return [outcomes.get(each.scheduled.id, NOTHING_DONE) for each in prepared]


def _is_unchanged(
    read: ScheduledMessage, stored: ScheduledMessage | None, due_by: int | None
) -> bool:
    """Return whether a message is as it was read, and due by a time in seconds, if one is given."""
    if stored is None or stored.version != read.version:
        return False
    return due_by is None or stored.due_at <= 1000 * due_by


async def _send(
    tx: Transaction, taken: Sequence[PreparedMessage], now: int
) -> dict[str, ScheduledOutcome]:
    """Return what becomes of messages, by their ids: sent, held, or refused."""
    outcomes: dict[str, ScheduledOutcome] = {}
    passed: list[PreparedMessage] = []
    for each in taken:
        judged, id_ = each.judged, each.scheduled.id
        if judged.refusal is not None:
            outcomes[id_] = ScheduledOutcome(refusal=judged.refusal)
        elif judged.is_held and judged.decision is not None:
            outcomes[id_] = _outcome(await hold_draft(tx, judged.draft, judged.decision, now))
        else:
            passed.append(each)
    if passed:
        sent = await send_messages(tx, [each.judged.draft for each in passed], now)
        for each, outcome in zip(passed, sent, strict=True):
            outcomes[each.scheduled.id] = _outcome(outcome)
    return outcomes


def _outcome(outcome: MessageView | Refusal) -> ScheduledOutcome:
    if isinstance(outcome, Refusal):
        return ScheduledOutcome(refusal=outcome)
    return ScheduledOutcome(view=outcome)


def _fail(
    tx: Transaction, scheduled: ScheduledMessage, refusal: Refusal, now: int
) -> ScheduledMessage:
    """Announce that a message was not sent; return it as it is kept, for its next time if any."""
    failed = replace(scheduled, **failure_of(refusal, now))
    again = _repeated(failed, now)
    over = replace(failed, status=FAILED, due_at=NEVER, version=scheduled.version + 1)
    tx.announce(not_sent_event(replace(failed, status=PENDING if again else FAILED), now))
    return again or over


def _repeated(scheduled: ScheduledMessage, now: int) -> ScheduledMessage | None:
    """Return a repeated message for its next time; None if there is none.

    Times that have passed while nothing was sent are left out.
    """
    if scheduled.repeat is None:
        return None
    after = max(scheduled.send_at, now)
    rule, zone = parse_repeat(scheduled.repeat), scheduled.time_zone or DEFAULT_ZONE
    at = find_next(rule, scheduled.first_at, zone, after)
    if at is None:
        return None
    return replace(scheduled, send_at=at, due_at=1000 * at, version=scheduled.version + 1)


async def follow_up(
    runtime: Runtime, app_id: str, prepared: PreparedMessage, outcome: ScheduledOutcome
) -> None:
    """Announce that the engine failed; carry out penalties, if the message was due."""
    judged = prepared.judged
    if judged.decision is None or outcome is NOTHING_DONE:
        return
    await announce_failed(runtime, app_id, judged.decision)
    is_sent = outcome.view is not None and not outcome.view.is_repeated
    if is_sent or judged.refusal is not None:
        await penalize(runtime, app_id, judged.draft, judged.decision)
