"""Review messages that were flagged."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.messages.compose import with_moderation
from hubbub.domain.messages.delete import delete_within
from hubbub.domain.moderated.end_review import end_review
from hubbub.outbox import lock_counters
from hubbub.records.audit.model import Doer
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.messages.store import find_message, store_data
from hubbub.records.moderated import store
from hubbub.records.moderated.model import DISAPPROVED, FLAGGED, Review
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def review_flagged(
    runtime: Runtime,
    app_id: str,
    message_id: int,
    status: str,
    *,
    by: str,
    recorded: Doer | None = None,
) -> Review:
    """Approve a message that was flagged, or hide it as a soft deletion does; `by` decided.

    The audit log has it as a deed of `recorded`, unless the caller records it.

    Raises:
        MessageIdNotFound: nobody has flagged such a message.
        AlreadyReviewed: it was reviewed since it was flagged.
    """

    async def within(tx: Transaction) -> Review:
        await lock_counters(tx)
        opened = await store.find_review(tx, FLAGGED, message_id)
        if opened is None or await find_message(tx, message_id) is None:
            raise MessageIdNotFound(message_id)
        closed = await end_review(tx, runtime, app_id, opened, status, by=by, recorded=recorded)
        if status == DISAPPROVED:
            await hide_message(tx, message_id, runtime.clock.now())
        return closed

    return await runtime.database.write(app_id, within)


async def hide_message(tx: Transaction, message_id: int, now: int) -> None:
    """Delete a message softly as the app; who deleted it before has the action message."""
    message = await find_message(tx, message_id)
    if message is not None and message.deleted_at is None:
        await delete_within(tx, Actor(), message_id, is_permanent=False, now=now)
        message = await find_message(tx, message_id)
    if message is not None:
        data = with_moderation(message.data, {"status": DISAPPROVED})
        await store_data(tx, message_id, data)
