"""Rules about what users send: what they look for, their revisions, a trial on what was sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import MODERATORS, ChangeMade, NotConfirmed, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.moderation.rules import find, manage
from hubbub.domain.moderation.rules.manage import RuleChange
from hubbub.domain.moderation.rules.trial import MOST_TRIED, Trial, try_rule
from hubbub.kernel.errors import BadInput
from hubbub.records.moderation.rules.model import (
    ACTIONS,
    CONTACT,
    CONTAINS,
    EQUALS,
    MENTIONS,
    MOST_CONDITIONS,
    MOST_FILTERS,
    NEW_ACCOUNT,
    PATTERN,
    RATE,
    TEXT,
    WORD,
    Condition,
    Filter,
    Rule,
    RuleContent,
)
from hubbub.rest.moderation.wire.rules import (
    Action,
    FilterOperand,
    GivenFilter,
    ModerationId,
    Value,
)
from hubbub.rest.wire.shapes import Name, ShortText

RULES = "/apps/{app}/rules"
RULE = RULES + "/{rule}"
LONGEST_VALUES = 50_000


@dataclass(frozen=True, slots=True)
class ConditionKind:
    """A kind of conditions, as the form offers it."""

    label: str
    operand: str
    category: str | None = None
    operator: str | None = None
    is_list: bool = False

    def fits(self, condition: Condition) -> bool:
        """Return whether a condition is of this kind."""
        own = (self.operand, self.category, self.operator, self.is_list)
        return own == (
            condition.operand,
            condition.category,
            condition.operator,
            condition.is_keywords_reference_present,
        )


CONDITIONS: Mapping[str, ConditionKind] = {
    "words": ConditionKind("whole words", TEXT, WORD),
    "parts": ConditionKind("words, also within others", TEXT, WORD, CONTAINS),
    "texts": ConditionKind("whole texts", TEXT, WORD, EQUALS),
    "patterns": ConditionKind("patterns (RE2)", TEXT, PATTERN),
    "contacts": ConditionKind("contact details: email, phone, link", TEXT, CONTACT),
    "word-lists": ConditionKind("the words of lists, by id", TEXT, WORD, is_list=True),
    "pattern-lists": ConditionKind("the patterns of lists, by id", TEXT, PATTERN, is_list=True),
    "rate": ConditionKind("more than n messages in t seconds, as n/t", RATE),
    "mentions": ConditionKind("more mentions than", MENTIONS),
    "new-account": ConditionKind("accounts younger than so many seconds", NEW_ACCOUNT),
}
KINDS = [(name, each.label) for name, each in CONDITIONS.items()]
"""What the form offers."""
Kind = Literal[
    "words",
    "parts",
    "texts",
    "patterns",
    "contacts",
    "word-lists",
    "pattern-lists",
    "rate",
    "mentions",
    "new-account",
]
Values = Annotated[str, msgspec.Meta(max_length=LONGEST_VALUES)]
Position = Annotated[int, msgspec.Meta(ge=0, le=MOST_FILTERS + MOST_CONDITIONS)]


class ConditionForm(PageForm):
    """What to look for, one value a line."""

    kind: Kind = "words"
    values: Values = ""

    def condition(self, id_: int) -> Condition:
        """Return it as a condition of a rule."""
        kind = CONDITIONS[self.kind]
        lines = (line.strip() for line in self.values.splitlines())
        return Condition(
            id=id_,
            operand=kind.operand,
            category=kind.category,
            operator=kind.operator,
            value=tuple(line for line in lines if line),
            is_keywords_reference_present=kind.is_list,
        )


class NewRule(ConditionForm, kw_only=True):
    """The rule to create, with its first condition; it is enabled later."""

    id: ModerationId
    name: Name
    action: Action = "blockMessage"


class RuleRevision(PageForm):
    """The revision that the operator has looked at."""

    revision: Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class RuleTexts(RuleRevision, kw_only=True):
    """The texts and actions of a rule."""

    name: Name
    description: ShortText = ""
    action: Annotated[list[Action], msgspec.Meta(max_length=len(ACTIONS))] = []


class RuleSwitch(RuleRevision, kw_only=True):
    """Whether a rule holds."""

    enabled: bool


class AddedCondition(ConditionForm, kw_only=True):
    """A condition to add to a rule."""

    revision: Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class AddedFilter(RuleRevision, kw_only=True):
    """A filter to add to a rule."""

    whose: Literal["sender-user", "receiver-user", "receiver-group"]
    operand: FilterOperand
    operator: Literal[
        "equals",
        "notEquals",
        "in",
        "notIn",
        "startsWith",
        "endsWith",
        "lessThan",
        "greaterThan",
    ]
    value: Value
    exempt: bool = False

    def filter(self) -> Filter:
        """Return it as a filter of a rule."""
        type_, entity = self.whose.split("-")
        given: dict[str, Any] = {"type": type_, "entity": entity, "exempt": self.exempt}
        given |= {"operand": self.operand, "operator": self.operator, "value": self.value}
        return msgspec.convert(given, GivenFilter).stored()


class TrialForm(PageForm):
    """How many of the last messages a rule is tried on."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST_TRIED)] = 1_000


class RuleConfirmed(PageForm):
    """The id of the rule once more."""

    confirm: Annotated[str, msgspec.Meta(max_length=100)] = ""


@page.get(RULES, title="Rules", roles=MODERATORS)
async def list_rules(visit: Visit, app: str) -> PageShown:
    """List the rules of an app, its own first, then the built-in ones."""
    rules = [(each, each.read()) for each in await find.list_rules(visit.runtime, app)]
    return show("rules.html", rules=rules, kinds=KINDS, actions=[(each, each) for each in ACTIONS])


@page.post(RULES, roles=MODERATORS, back=RULES)
async def create_rule(visit: Visit, app: str, form: NewRule) -> ChangeMade:
    """Create a rule, which is not enabled yet."""
    fields = {"name": form.name, "action": (form.action,), "conditions": (form.condition(1),)}
    await visit.change(
        "rule.create",
        form.id,
        lambda runtime: manage.create_rule(runtime, app, form.id, RuleChange(False, fields)),
        after={"action": [form.action]},
    )
    return ChangeMade(
        f"The rule {form.id} is created. Try it, then enable it.", to=f"/apps/{app}/rules/{form.id}"
    )


@page.get(RULE, title="Rule", roles=MODERATORS)
async def show_rule(visit: Visit, app: str, rule: str) -> PageShown:
    """Show a rule with its revisions."""
    return await _show(visit, app, rule)


async def _show(visit: Visit, app: str, rule_id: str, trial: Trial | None = None) -> PageShown:
    rule = await find.get_rule(visit.runtime, app, rule_id)
    revisions = await find.list_revisions(visit.runtime, app, rule_id)
    content = rule.read()
    return show(
        "rule.html",
        title=content.name,
        rule=rule,
        content=content,
        conditions=[(_label(each), each) for each in content.conditions],
        revisions=[(each, each.read()) for each in revisions],
        kinds=KINDS,
        actions=ACTIONS,
        trial=trial,
        most_tried=MOST_TRIED,
    )


def _label(condition: Condition) -> str:
    """Return what a condition looks for; of kinds that the form does not offer, its own names."""
    for kind in CONDITIONS.values():
        if kind.fits(condition):
            return kind.label
    names = (condition.operand, condition.category, condition.operator)
    return " ".join(name for name in names if name)


async def _change(
    visit: Visit,
    rule_id: str,
    revision: int,
    fields: Mapping[str, Any],
    facts: Mapping[str, Any],
    *,
    enabled: bool | None = None,
) -> None:
    change = RuleChange(enabled, fields, revision)
    await visit.change(
        "rule.update",
        rule_id,
        lambda runtime: manage.update_rule(runtime, visit.app, rule_id, change),
        before={"revision": revision},
        after=facts,
    )


async def _content(visit: Visit, rule_id: str) -> tuple[Rule, RuleContent]:
    rule = await find.get_rule(visit.runtime, visit.app, rule_id)
    return rule, rule.read()


@page.post(RULE, roles=MODERATORS, back=RULE)
async def set_texts(visit: Visit, app: str, rule: str, form: RuleTexts) -> ChangeMade:
    """Change the name, the description and the actions of a rule."""
    fields = {
        "name": form.name,
        "description": form.description or None,
        "action": tuple(form.action),
    }
    await _change(visit, rule, form.revision, fields, {"action": form.action})
    return ChangeMade("The rule is changed.")


@page.post(RULE + "/enabled", roles=MODERATORS, back=RULE)
async def switch_rule(visit: Visit, app: str, rule: str, form: RuleSwitch) -> ChangeMade:
    """Enable a rule, or disable it."""
    facts = {"enabled": form.enabled}
    await _change(visit, rule, form.revision, {}, facts, enabled=form.enabled)
    return ChangeMade(f"The rule is {'enabled' if form.enabled else 'disabled'}.")


@page.post(RULE + "/conditions", roles=MODERATORS, back=RULE)
async def add_condition(visit: Visit, app: str, rule: str, form: AddedCondition) -> ChangeMade:
    """Add a condition to a rule, which matches if any of them does."""
    _, content = await _content(visit, rule)
    present = content.conditions
    if len(present) >= MOST_CONDITIONS:
        raise BadInput.field("values", f"A rule has at most {MOST_CONDITIONS} conditions.")
    added = form.condition(max((each.id for each in present), default=0) + 1)
    fields = {"conditions": (*present, added)}
    await _change(visit, rule, form.revision, fields, {"conditions": len(present) + 1})
    return ChangeMade("The condition is added.")


@page.post(RULE + "/conditions/{position}/remove", roles=MODERATORS, back=RULE)
async def remove_condition(
    visit: Visit, app: str, rule: str, position: str, form: RuleRevision
) -> ChangeMade:
    """Remove a condition from a rule."""
    _, content = await _content(visit, rule)
    left = _without(content.conditions, position)
    fields = {"conditions": left}
    await _change(visit, rule, form.revision, fields, {"conditions": len(left)})
    return ChangeMade("The condition is removed.")


@page.post(RULE + "/filters", roles=MODERATORS, back=RULE)
async def add_filter(visit: Visit, app: str, rule: str, form: AddedFilter) -> ChangeMade:
    """Limit a rule to some senders or receivers, or exempt them."""
    _, content = await _content(visit, rule)
    present = content.filters
    if len(present) >= MOST_FILTERS:
        raise BadInput.field("value", f"A rule has at most {MOST_FILTERS} filters.")
    fields = {"filters": (*present, form.filter())}
    await _change(visit, rule, form.revision, fields, {"filters": len(present) + 1})
    return ChangeMade("The filter is added.")


@page.post(RULE + "/filters/{position}/remove", roles=MODERATORS, back=RULE)
async def remove_filter(
    visit: Visit, app: str, rule: str, position: str, form: RuleRevision
) -> ChangeMade:
    """Remove a filter from a rule."""
    _, content = await _content(visit, rule)
    left = _without(content.filters, position)
    await _change(visit, rule, form.revision, {"filters": left}, {"filters": len(left)})
    return ChangeMade("The filter is removed.")


@page.post(RULE + "/try", roles=MODERATORS, back=RULE)
async def try_on(visit: Visit, app: str, rule: str, form: TrialForm) -> PageShown:
    """Show which of the last messages a rule would have matched; nothing is changed."""
    await find.get_rule(visit.runtime, app, rule)
    await visit.look("rule.try", rule, after={"limit": form.limit})
    return await _show(visit, app, rule, await try_rule(visit.runtime, app, rule, form.limit))


@page.post(RULE + "/delete", roles=MODERATORS, back=RULE)
async def delete_rule(visit: Visit, app: str, rule: str, form: RuleConfirmed) -> ChangeMade:
    """Delete a rule with its revisions."""
    if form.confirm != rule:
        raise NotConfirmed("confirm", rule)
    await visit.change("rule.delete", rule, lambda runtime: manage.delete_rule(runtime, app, rule))
    return ChangeMade(f"The rule {rule} is deleted.", to=f"/apps/{app}/rules")


def _without(parts: Sequence[Any], position: str) -> tuple[Any, ...]:
    """Return all but one of the parts of a rule.

    Raises:
        BadInput: there is none at the position.
    """
    is_number = position.isascii() and position.isdecimal() and len(position) <= 3
    if not is_number or int(position) >= len(parts):
        raise BadInput.field("position", "The rule has no such part.")
    return tuple(each for index, each in enumerate(parts) if index != int(position))
