"""Make a decision of the rules that match a message: the strictest of their actions wins."""

from collections.abc import Sequence

from hubbub.domain.moderation.decision import ALLOWED, Decision, Matched, Penalty, Ruling
from hubbub.domain.moderation.matching.ruleset import Hit, RuleSet
from hubbub.records.moderation.rules.model import Condition

_OUTCOMES = tuple(Ruling)
_PENALTIES = {each.value: each for each in Penalty}


def decide(rules: RuleSet, hits: Sequence[Hit]) -> Decision:
    """Return the decision on a message that conditions of these rules match, one of each rule."""
    if not hits:
        return ALLOWED
    ranked = sorted(hits, key=lambda hit: (_rank(rules, hit), hit.rule))
    actions = {each for hit in hits for each in rules.rules[hit.rule].content.action}
    outcome = _OUTCOMES[_rank(rules, ranked[0])]
    return Decision(
        outcome,
        tuple(_matched(rules, hit) for hit in ranked),
        reason=rules.rules[ranked[0].rule].content.description,
        penalties=frozenset(_PENALTIES[each] for each in actions & _PENALTIES.keys()),
    )


def _rank(rules: RuleSet, hit: Hit) -> int:
    """Return how strict the strictest action of a rule is; 0 is the strictest."""
    actions = rules.rules[hit.rule].content.action
    ranks = (rank for rank, outcome in enumerate(_OUTCOMES) if outcome.value in actions)
    return next(ranks, len(_OUTCOMES) - 1)


def _matched(rules: RuleSet, hit: Hit) -> Matched:
    rule = rules.rules[hit.rule]
    condition = rule.content.conditions[hit.condition]
    return Matched(
        rule_id=rule.id,
        rule_name=rule.content.name,
        revision_id=rule.revision_id,
        condition=condition_of(condition),
        action=rule.content.action,
        term=hit.term,
    )


def condition_of(condition: Condition) -> dict[str, object]:
    """Return a condition as the interface shows it."""
    shown: dict[str, object] = {
        "id": condition.id,
        "isKeywordsReferencePresent": condition.is_keywords_reference_present,
        "isMediaPresent": condition.is_media_present,
        "entity": "message",
        "operand": condition.operand,
        "category": condition.category,
        "operator": condition.operator,
        "value": list(condition.value),
        "message": list(condition.message),
    }
    return {name: value for name, value in shown.items() if value not in (None, [])}
