"""What becomes of a draft by the decision of rules: it is refused, or passes."""

import msgspec

from hubbub.domain.messages.compose import with_checked_data, with_moderation
from hubbub.domain.moderation.decision import Decision, Ruling
from hubbub.records.messages.model import BlockedByRule, Draft, PassedRules

REFUSED = (Ruling.DROP, Ruling.BOUNCE)
KEPT_BACK = (*REFUSED, Ruling.BLOCK)
"""What nobody but its sender is shown, if it can be kept from the others still."""


def refuse(decision: Decision) -> BlockedByRule:
    """Return the refusal of a message; only one that its sender may mend says why."""
    reason = decision.reason if decision.outcome is Ruling.BOUNCE else None
    return BlockedByRule(decision.matches[0].rule_id, reason)


def pass_draft(draft: Draft, decision: Decision) -> Draft:
    """Return a draft that rules let pass, masked if they say so, which shows that.

    Raises:
        BadInput: what is left of the masked data is not a valid message.
    """
    if decision.outcome is Ruling.MASK and decision.data is not None:
        draft = with_checked_data(draft, decision.data)
    return msgspec.structs.replace(
        draft,
        data=show_passed(draft.data, decision),
        passed=PassedRules(flagging_rules(decision)),
    )


def show_passed(data: str, decision: Decision) -> str:
    """Return data, as JSON, that shows that rules have let it pass."""
    shown: dict[str, object] = {"status": "approved"}
    if decision.outcome is Ruling.MASK:
        shown["masked"] = True
    return with_moderation(data, shown)


def flagging_rules(decision: Decision) -> tuple[str, ...]:
    """Return the ids of the rules that flag a message."""
    flagging = (each.rule_id for each in decision.matches if Ruling.FLAG.value in each.action)
    return tuple(dict.fromkeys(flagging))
