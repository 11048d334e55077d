"""Judge the whole text of a message that grew, and end it as the decision says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hubbub.domain.messages.compose import compose_grown
from hubbub.domain.messages.grown import end_growth
from hubbub.domain.messages.ruled import KEPT_BACK, flagging_rules, show_passed
from hubbub.domain.moderated.flagged import hide_message
from hubbub.domain.moderation.decision import Decision, Occasion, Ruling
from hubbub.domain.moderation.judge import judge
from hubbub.domain.moderation.load import find_rules
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters
from hubbub.records.growing.model import GrowingState
from hubbub.records.messages.model import Message
from hubbub.records.messages.store import find_message, store_data
from hubbub.records.moderated.model import flag_by_rule
from hubbub.records.moderated.store import store_flags
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class End:
    """How a message ends that grew."""

    state: GrowingState
    data: Mapping[str, Any]
    status: str
    by: str
    at: int
    decision: Decision | None = None


async def judge_grown(
    runtime: Runtime, app_id: str, message: Message, data: Mapping[str, Any]
) -> Decision | None:
    """Return what the rules of the app decide about a message with its whole data."""
    if not (await find_rules(runtime, app_id)).rules:
        return None
    try:
        draft = compose_grown(message, data)
    except BadInput:
        return None  # it is refused when it is stored
    return await judge(runtime, app_id, draft, Occasion.GROWN)


async def end_judged(tx: Transaction, message: Message, end: End) -> Message:
    """Store a message with its whole data; return it. One that rules keep back is hidden.

    Those who read along have seen it: it is deleted softly, as a reviewer does, and listed as
    flagged by the rules.

    Raises:
        BadInput: the data is not valid.
    """
    decision, data = end.decision, end.data
    if decision is not None and decision.outcome is Ruling.MASK and decision.data is not None:
        data = decision.data
    ended = await end_growth(tx, message, end.state, data, status=end.status, by=end.by, at=end.at)
    if decision is None:
        return ended
    if decision.failed is not None:
        tx.announce(decision.failed)
    is_hidden = decision.outcome in KEPT_BACK
    rules = (
        tuple(dict.fromkeys(each.rule_id for each in decision.matches))
        if is_hidden
        else flagging_rules(decision)
    )
    event = (await lock_counters(tx)).event
    await store_flags(tx, [flag_by_rule(message.id, rule, event, end.at) for rule in rules])
    if is_hidden:
        await hide_message(tx, message.id, end.at)
    else:
        await store_data(tx, message.id, show_passed(ended.data, decision))
    return await find_message(tx, message.id) or ended
