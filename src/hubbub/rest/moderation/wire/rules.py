"""The shapes of rules, with their conditions and filters."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.moderation.rules.manage import RuleChange
from hubbub.domain.moderation.rules.trial import MOST_TRIED, Trial
from hubbub.http.documented import documented_as
from hubbub.records.moderation.rules.model import (
    LONGEST_PATTERN,
    MOST_CONDITIONS,
    MOST_FILTERS,
    SPELLINGS,
    TEXT,
    WORD,
    Condition,
    Filter,
    Rule,
    revision_id,
)
from hubbub.rest.wire.shapes import Json, Name, Shape, ShortText

ModerationId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"^[A-Za-z0-9_-]+$(?!\n)",
        description="Letters, digits, _ and -; one is made if it is absent, and a change keeps it.",
    ),
]
Operand = Literal["text", "image", "video", "custom", "rate", "mentions", "newAccount"]
Category = Literal["word", "pattern", "sentence-similarity", "custom-api", "contact"]
Operator = Literal["contains", "equals"]
Action = Literal[
    "blockMessage",
    "dropMessage",
    "flagMessage",
    "bounce",
    "mask",
    "kick",
    "ban",
    "block",
    "deactivate",
]
Actions = Annotated[list[Action], Meta(max_length=9)]
Value = Annotated[str, Meta(min_length=1, max_length=LONGEST_PATTERN)]
FilterOperator = Literal[
    "equals",
    "not equals",
    "notEquals",
    "in",
    "not in",
    "notIn",
    "startsWith",
    "endsWith",
    "lessThan",
    "greaterThan",
]
FilterOperand = Literal["uid", "guid", "name", "role", "type", "tags", "createdAt"]
_SEVERAL = ("in", "notIn")


class ConditionShape(Shape, kw_only=True):
    """What a rule looks for."""

    id: int
    is_keywords_reference_present: bool
    is_media_present: bool
    entity: Literal["message"]
    operand: str
    category: str | None = None
    operator: str | None = None
    value: list[str]
    message: list[str] | None = None


class FilterShape(Shape, kw_only=True):
    """Whose messages a rule is about."""

    type: str
    entity: str
    operand: str
    operator: str
    value: str
    exempt: bool = False


class RuleShape(Shape, kw_only=True):
    """A rule."""

    id: str
    name: str
    description: str | None = None
    enabled: bool
    filters: list[FilterShape]
    conditions: list[ConditionShape]
    action: list[str]
    active: bool
    created_at: int
    updated_at: int
    revision_id: str
    default: bool = False


class GivenCondition(Shape, kw_only=True):
    """What a rule is to look for."""

    id: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    is_keywords_reference_present: bool = False
    is_keyword_reference_present: Annotated[
        bool, Meta(description="The same as `isKeywordsReferencePresent`.")
    ] = False
    is_list_reference_present: Annotated[
        bool, Meta(description="The same as `isKeywordsReferencePresent`.")
    ] = False
    is_media_present: bool = False
    entity: Literal["message"] = "message"
    operand: Operand = "text"
    category: Category | None = None
    operator: Operator | None = None
    value: Value | Annotated[list[Value], Meta(max_length=1000)] = []
    message: Value | Annotated[list[Value], Meta(max_length=10)] = []

    def stored(self, position: int) -> Condition:
        """Return it as a part of a rule, in which it is the one at a position."""
        category: str | None = self.category
        if category is None and self.operand == TEXT and not self.is_media_present:
            category = WORD
        return Condition(
            id=position if self.id is None else self.id,
            operand=self.operand,
            category=category,
            operator=self.operator,
            value=_texts(self.value),
            is_keywords_reference_present=self.is_keywords_reference_present
            or self.is_keyword_reference_present
            or self.is_list_reference_present,
            is_media_present=self.is_media_present,
            message=_texts(self.message),
        )


class GivenFilter(Shape, kw_only=True):
    """Whose messages a rule is to be about."""

    type: Literal["sender", "receiver"]
    entity: Literal["user", "group"]
    operand: FilterOperand
    operator: FilterOperator
    value: Value
    exempt: bool = False

    def stored(self) -> Filter:
        """Return it as a part of a rule."""
        operator = SPELLINGS.get(self.operator, self.operator)
        several = operator in _SEVERAL
        values = [part.strip() for part in self.value.split(",")] if several else [self.value]
        return Filter(
            self.type, self.entity, self.operand, operator, tuple(filter(None, values)), self.exempt
        )


class GivenRule(Shape, kw_only=True):
    """The fields of a rule; none is required, and those that are absent keep their values."""

    id: ModerationId | None = None
    name: Name | None = None
    description: ShortText | None = None
    enabled: bool | None = None
    filters: Annotated[list[GivenFilter], Meta(max_length=MOST_FILTERS)] | None = None
    conditions: Annotated[list[GivenCondition], Meta(max_length=MOST_CONDITIONS)] | None = None
    action: Action | Actions | None = None

    def change(self) -> RuleChange:
        """Return the fields that are given."""
        fields: dict[str, Any] = {}
        if self.name is not None:
            fields["name"] = self.name
        if self.description is not None:
            fields["description"] = self.description or None
        if self.filters is not None:
            fields["filters"] = tuple(each.stored() for each in self.filters)
        if self.conditions is not None:
            conditions = enumerate(self.conditions, 1)
            fields["conditions"] = tuple(each.stored(position) for position, each in conditions)
        if self.action is not None:
            fields["action"] = tuple(dict.fromkeys(_texts(self.action)))
        return RuleChange(self.enabled, fields)


def _texts(value: "str | list[Any]") -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def rule_shape(app_id: str, rule: Rule) -> RuleShape:
    """Return a revision of a rule on the wire."""
    content = rule.read()
    return RuleShape(
        id=rule.id,
        name=content.name,
        description=content.description,
        enabled=rule.is_enabled,
        filters=[_filter_shape(each) for each in content.filters],
        conditions=[condition_shape(each) for each in content.conditions],
        action=list(content.action),
        active=rule.is_newest,
        created_at=rule.created_at,
        updated_at=rule.made_at,
        revision_id=revision_id(app_id, rule.id, rule.revision),
        default=rule.is_default,
    )


def condition_shape(condition: Condition) -> ConditionShape:
    """Return a condition on the wire."""
    return ConditionShape(
        id=condition.id,
        is_keywords_reference_present=condition.is_keywords_reference_present,
        is_media_present=condition.is_media_present,
        entity="message",
        operand=condition.operand,
        category=condition.category,
        operator=condition.operator,
        value=list(condition.value),
        message=list(condition.message) or None,
    )


def _filter_shape(each: Filter) -> FilterShape:
    return FilterShape(
        type=each.type,
        entity=each.entity,
        operand=each.operand,
        operator=each.operator,
        value=",".join(each.value),
        exempt=each.exempt,
    )


class TryRule(Shape):
    """How many messages to try a rule on."""

    limit: Annotated[int, Meta(ge=1, le=MOST_TRIED)] = 1_000


class TrialMatchShape(Shape, kw_only=True):
    """A message that the rule would have matched."""

    message_id: str
    condition: Annotated[Json, documented_as(ConditionShape)]
    term: str | None = None


class TrialShape(Shape, kw_only=True):
    """What a rule would have matched."""

    looked: int
    matched: list[TrialMatchShape]


def trial_shape(trial: Trial) -> TrialShape:
    """Return what a rule would have matched on the wire."""
    return TrialShape(
        looked=trial.looked,
        matched=[
            TrialMatchShape(
                message_id=str(each.message_id), condition=dict(each.condition), term=each.term
            )
            for each in trial.matched
        ],
    )
