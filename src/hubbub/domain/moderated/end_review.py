"""Decide on a message that waits for a review: once, with an entry of the audit log."""

from dataclasses import replace

from hubbub.domain.audit.record import Deed, record
from hubbub.records.audit.model import Doer
from hubbub.records.moderated.model import APPROVED, AlreadyReviewed, Review
from hubbub.records.moderated.store import close_review
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

APPROVE, REFUSE = "moderation.approve", "moderation.refuse"


def action_of(status: str) -> str:
    """Return the action that the audit log names for a decision."""
    return APPROVE if status == APPROVED else REFUSE


def check_open(review: Review) -> None:
    """Refuse a review that has ended.

    Raises:
        AlreadyReviewed: it has; the error names who decided, and when.
    """
    if review.reviewed_at is not None:
        raise AlreadyReviewed(review)


async def end_review(
    tx: Transaction,
    runtime: Runtime,
    app_id: str,
    review: Review,
    status: str,
    *,
    by: str,
    recorded: Doer | None,
) -> Review:
    """End a review; the entry of the audit log, of `recorded` if given, is in the transaction.

    Raises:
        AlreadyReviewed: it has ended before.
    """
    check_open(review)
    closed = replace(review, status=status, reviewed_at=runtime.clock.now(), reviewed_by=by)
    await close_review(tx, closed)
    if recorded is not None:
        deed = Deed(
            action=action_of(status),
            subject=str(review.message),
            app=app_id,
            after={"kind": review.kind},
        )
        await record(tx, runtime, recorded, deed)
    return closed
