"""Review messages that rules have blocked, and appeal against such a decision."""

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor, uid_of
from hubbub.domain.messages.compose import with_moderation
from hubbub.domain.messages.late import deliver_late
from hubbub.domain.moderated.end_review import check_open, end_review
from hubbub.outbox import lock_counters
from hubbub.records.audit.model import Doer
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.moderated import held as held_store
from hubbub.records.moderated import store
from hubbub.records.moderated.events import ModerationManualApproved
from hubbub.records.moderated.model import APPROVED, HELD, HeldMessage, Review
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def review_held(
    runtime: Runtime,
    app_id: str,
    message_id: int,
    status: str,
    *,
    by: str,
    recorded: Doer | None = None,
) -> Review:
    """Deliver a held message, or keep it hidden; `by` is who decided.

    The audit log has it as a deed of `recorded`, unless the caller records it.

    Raises:
        MessageIdNotFound: there is none, or the history or group that it is for was deleted.
        AlreadyReviewed: it was reviewed before.
    """

    async def within(tx: Transaction) -> Review:
        await lock_counters(tx)
        held, review = await _access(tx, message_id)
        closed = await end_review(tx, runtime, app_id, review, status, by=by, recorded=recorded)
        if status == APPROVED:
            await _deliver(tx, held, closed, runtime.clock.now())
        return closed

    return await runtime.database.write(app_id, within)


async def _access(snapshot: Snapshot, message_id: int) -> tuple[HeldMessage, Review]:
    """Return a held message that waits for its review.

    Raises:
        MessageIdNotFound: there is none.
        AlreadyReviewed: it was reviewed before.
    """
    held = (await held_store.find_held(snapshot, [message_id])).get(message_id)
    review = await store.find_review(snapshot, HELD, message_id)
    if held is None or review is None:
        raise MessageIdNotFound(message_id)
    check_open(review)
    return held, review


async def _deliver(tx: Transaction, held: HeldMessage, review: Review, now: int) -> None:
    draft = held.read_draft()
    assert draft is not None  # it has not been reviewed before
    data = with_moderation(draft.data, {"status": APPROVED})
    approved = msgspec.structs.replace(draft, data=data)
    message = await deliver_late(tx, approved, held.message, sent_at=held.sent_at, now=now)
    if message is None:
        return
    await held_store.set_delivered(tx, held.message)
    by = review.reviewed_by or ""
    tx.announce(ModerationManualApproved(message.id, message.conversation, by, now))


async def appeal_held(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, remark: str | None
) -> None:
    """Store that the sender of a held message appeals; again it replaces the remark.

    Raises:
        UidNotFound: the acting user does not exist.
        MessageIdNotFound: there is no such message, or somebody else sent it.
        AlreadyReviewed: it was reviewed before.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        found = (await held_store.find_held(tx, [message_id])).get(message_id)
        if found is None or found.sender != uid_of(person):
            raise MessageIdNotFound(message_id)
        await _access(tx, message_id)
        await held_store.store_appeal(tx, message_id, remark or "", runtime.clock.now())

    await runtime.database.write(app_id, within)
