"""The payloads of the triggers about moderation."""

from hubbub.domain.moderated.find import ReviewedMessage, find_blocked
from hubbub.records.messages.events import MessageSent
from hubbub.records.moderated.events import ModerationEngineBlocked, ModerationManualApproved
from hubbub.records.moderated.model import BlockingRule
from hubbub.records.moderation.engine.model import EngineFailure, decode_failures
from hubbub.records.moderation.events import ModerationEngineFailed
from hubbub.records.moderation.rules.model import CUSTOM_API
from hubbub.records.settings.model import APPROVE_MESSAGE, DROP_MESSAGE
from hubbub.records.webhooks.triggers import ENGINE_APPROVED
from hubbub.rest.payloads.areas.messages import MessageJson, MessagePayload, add_sent, sent
from hubbub.rest.payloads.facts import Facts, Named, Payload, message_json
from hubbub.rest.payloads.samples import NOW, sample_message
from hubbub.rest.wire.shapes import Json, Shape


class ModerationRuleShape(Shape, kw_only=True):
    """The rule that blocked a message, as it was then."""

    id: str
    name: str
    revision_id: str
    action: list[str]
    blocked_at: int


class ModerationMatchShape(Shape, kw_only=True):
    """Why a message was blocked."""

    condition: Json
    rule: ModerationRuleShape


class HeldPayload(Shape, kw_only=True):
    """The data of `moderation_engine_blocked`: a message that only its sender sees."""

    message: MessageJson


class ApprovedPayload(Shape, kw_only=True):
    """The data of `moderation_manual_approved`: a message that was held, and is delivered."""

    message: MessageJson
    moderation: list[ModerationMatchShape]
    reviewed: bool


class UndecidedMessage(Shape, kw_only=True):
    """The message that the engine has not decided on, which is not stored yet."""

    sender: str
    receiver: str
    receiver_type: str


class UndecidedRule(Shape, kw_only=True):
    """The rule whose condition was asked about."""

    id: str
    name: str


class UndecidedCondition(Shape, kw_only=True):
    """The condition that was asked about."""

    id: int
    category: str


class FailureContext(Shape, kw_only=True):
    """What the engine was asked about."""

    engine: str
    setting: str
    rule: UndecidedRule
    condition: UndecidedCondition


class FailureShape(Shape, kw_only=True):
    """Why the engine has not decided on a condition."""

    category: str
    error_message: str
    failed_at: int
    response_body: str | None = None
    response_body_truncated: bool | None = None
    http_status: int | None = None
    timeout_ms: int | None = None
    context: FailureContext


class EngineFailedPayload(Shape, kw_only=True):
    """The data of `moderation_engine_failed`."""

    resource: UndecidedMessage
    content_type: str
    outcome: str
    completed_at: int
    failures: list[FailureShape]


def engine_failed(facts: Facts, event: ModerationEngineFailed) -> EngineFailedPayload:
    """Return the data of `moderation_engine_failed`."""
    return EngineFailedPayload(
        resource=UndecidedMessage(
            sender=event.sender, receiver=event.receiver, receiver_type=event.receiver_type
        ),
        content_type=event.type,
        outcome=_OUTCOMES[event.action],
        completed_at=event.at,
        failures=[_failure(event.action, each) for each in decode_failures(event.failures)],
    )


def _failure(setting: str, failure: EngineFailure) -> FailureShape:
    return FailureShape(
        category=failure.category,
        error_message=failure.error_message,
        failed_at=failure.failed_at,
        response_body=failure.response_body,
        response_body_truncated=(
            None if failure.response_body is None else failure.response_body_truncated
        ),
        http_status=failure.http_status,
        timeout_ms=failure.timeout_ms,
        context=FailureContext(
            engine=CUSTOM_API,
            setting=setting,
            rule=UndecidedRule(id=failure.rule, name=failure.rule_name),
            condition=UndecidedCondition(id=failure.condition, category=failure.condition_category),
        ),
    )


def held(facts: Facts, event: ModerationEngineBlocked) -> HeldPayload | None:
    """Return the data of `moderation_engine_blocked`; None if the message is gone."""
    found = facts.found(find_blocked).get(event.message)
    return HeldPayload(message=message_json(found.message)) if found is not None else None


def approved(facts: Facts, event: ModerationManualApproved) -> ApprovedPayload | None:
    """Return the data of `moderation_manual_approved`; None if the message is gone."""
    found = facts.found(find_blocked).get(event.message)
    if found is None or found.held is None:
        return None
    return ApprovedPayload(
        message=message_json(found.message),
        moderation=[_match(found, each) for each in found.held.read_matches()],
        reviewed=True,
    )


def _match(found: ReviewedMessage, rule: BlockingRule) -> ModerationMatchShape:
    return ModerationMatchShape(
        condition=rule.condition,
        rule=ModerationRuleShape(
            id=rule.rule_id,
            name=rule.rule_name,
            revision_id=rule.revision_id,
            action=list(rule.action),
            blocked_at=found.review.opened_at,
        ),
    )


def _add_nothing(named: Named, event: ModerationEngineFailed) -> None:
    """Add nothing: the event has all that its payload shows."""


def _add_blocked(named: Named, event: ModerationEngineBlocked | ModerationManualApproved) -> None:
    named.others[find_blocked].add(event.message)


PAYLOADS = (
    Payload((MessageSent,), MessagePayload, sent, add_sent, trigger=ENGINE_APPROVED),
    Payload((ModerationEngineBlocked,), HeldPayload, held, _add_blocked),
    Payload((ModerationManualApproved,), ApprovedPayload, approved, _add_blocked),
    Payload((ModerationEngineFailed,), EngineFailedPayload, engine_failed, _add_nothing),
)

_OUTCOMES = {APPROVE_MESSAGE: "approved", DROP_MESSAGE: "disapproved"}
_RULE: Json = {
    "id": "no-insults",
    "name": "No insults",
    "revisionId": "my-app_no-insults_1",
    "action": ["blockMessage"],
    "blockedAt": NOW,
}
_CONDITION: Json = {
    "id": 1,
    "entity": "message",
    "operand": "text",
    "operator": "contains",
    "category": "word",
    "isKeywordsReferencePresent": True,
    "isMediaPresent": False,
    "value": ["insults"],
}
_FAILURE: Json = {
    "category": "not_configured",
    "errorMessage": "The app has no custom engine.",
    "failedAt": NOW + 1,
    "context": {
        "engine": "custom-api",
        "setting": "approve-message",
        "rule": {"id": "no-insults", "name": "No insults"},
        "condition": {"id": 1, "category": "custom-api"},
    },
}


def _moderated(status: str) -> Json:
    return sample_message(data={"moderation": {"status": status}})


SAMPLES: dict[str, Json] = {
    "moderation_engine_approved": {"message": _moderated("approved")},
    "moderation_engine_blocked": {"message": _moderated("pending")},
    "moderation_manual_approved": {
        "message": _moderated("approved"),
        "moderation": [{"condition": _CONDITION, "rule": _RULE}],
        "reviewed": True,
    },
    "moderation_engine_failed": {
        "resource": {
            "sender": "anna",
            "receiver": "ben",
            "receiverType": "user",
        },
        "contentType": "text",
        "outcome": "approved",
        "completedAt": NOW + 1,
        "failures": [_FAILURE],
    },
}
