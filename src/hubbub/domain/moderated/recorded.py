"""Record a decision of a reviewer in the audit log."""

from hubbub.domain.audit.record import Deed, record
from hubbub.records.audit.model import Doer
from hubbub.records.moderated.model import APPROVED, Review
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

APPROVE, REFUSE = "moderation.approve", "moderation.refuse"


def action_of(status: str) -> str:
    """Return the action that the audit log names for a decision."""
    return APPROVE if status == APPROVED else REFUSE


async def record_review(
    tx: Transaction, runtime: Runtime, app_id: str, doer: Doer, review: Review
) -> None:
    """Record a decision in the transaction that makes it."""
    action, subject = action_of(review.status), str(review.message)
    deed = Deed(action=action, subject=subject, app=app_id, after={"kind": review.kind})
    await record(tx, runtime, doer, deed)
