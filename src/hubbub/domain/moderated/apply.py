"""Apply what the rules of an app decide about messages to send, before they are stored."""

from dataclasses import dataclass

from hubbub.domain.messages.ruled import KEPT_BACK, REFUSED, pass_draft, refuse
from hubbub.domain.messages.send import name_receiver
from hubbub.domain.moderation.decision import Decision, Ruling
from hubbub.domain.moderation.judge import judge
from hubbub.domain.moderation.load import find_rules
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.messages.model import Draft
from hubbub.records.messages.store import find_by_muid
from hubbub.records.moderated.held import find_held_by_muid
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Judged:
    """A draft as rules let it pass, with what they decided; or why they refuse it."""

    draft: Draft
    decision: Decision | None = None
    """None if no rule has been asked, or the message was sent before."""
    refusal: Refusal | None = None

    @property
    def is_held(self) -> bool:
        """Return whether the message waits for a review instead of being sent."""
        return (
            self.refusal is None
            and self.decision is not None
            and (self.decision.outcome is Ruling.BLOCK)
        )


async def judge_draft(runtime: Runtime, app_id: str, draft: Draft) -> Judged:
    """Return a draft as the rules of the app let it pass, or how they keep it from being sent.

    A message whose muid was used before gets the answer that it got then.
    """
    if draft.is_in_thread and (await find_rules(runtime, app_id)).rules:
        draft = await runtime.database.read(
            app_id, lambda snapshot: name_receiver(snapshot, draft), is_short=True
        )
    decision = await judge(runtime, app_id, draft)
    if decision is None:
        return Judged(draft)
    outcome = decision.outcome
    if outcome in KEPT_BACK and draft.muid is not None:
        known = await runtime.database.read(
            app_id, lambda snapshot: _find_muid(snapshot, draft, decision), is_short=True
        )
        if known is not None:
            return known
    if outcome in REFUSED or (outcome is Ruling.BLOCK and draft.growing is not None):
        return Judged(draft, decision, refuse(decision))
    if outcome is Ruling.BLOCK:
        return Judged(draft, decision)
    try:
        return Judged(pass_draft(draft, decision), decision)
    except BadInput:  # with stars it is no valid message any more, as a mention is
        return Judged(draft, decision, refuse(decision))


async def _find_muid(snapshot: Snapshot, draft: Draft, decision: Decision) -> Judged | None:
    """Return what is done again with a draft whose muid was used, if it was."""
    assert draft.muid is not None
    if await find_by_muid(snapshot, [(draft.sender, draft.muid)]):
        return Judged(draft)
    if await find_held_by_muid(snapshot, draft.sender, draft.muid) is not None:
        return Judged(draft, Decision(Ruling.BLOCK, decision.matches))
    return None
