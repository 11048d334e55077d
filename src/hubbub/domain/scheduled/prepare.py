"""Decide on a message that is due, before the transaction that sends it."""

from dataclasses import dataclass

from hubbub.domain.messages.review import Render, review_drafts
from hubbub.domain.moderated.apply import Judged, judge_draft
from hubbub.kernel.errors import Refusal
from hubbub.records.scheduled.model import ScheduledMessage
from hubbub.runtime import Runtime


@dataclass(frozen=True, slots=True)
class PreparedMessage:
    """A message that is due as it was read, and what is decided on it."""

    scheduled: ScheduledMessage
    judged: Judged


async def prepare(
    runtime: Runtime, app_id: str, scheduled: ScheduledMessage, render: Render
) -> PreparedMessage:
    """Ask the webhooks and the rules of the app about a message; `render` shows it to webhooks."""
    draft = scheduled.next_draft()
    [reviewed] = await review_drafts(runtime, app_id, [draft], render)
    if isinstance(reviewed, Refusal):
        return PreparedMessage(scheduled, Judged(draft, refusal=reviewed))
    return PreparedMessage(scheduled, await judge_draft(runtime, app_id, reviewed))
