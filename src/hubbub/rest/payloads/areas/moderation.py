"""The payloads of the triggers about moderation."""

from hubbub.domain.moderated.find import ReviewedMessage, find_blocked
from hubbub.records.messages.events import MessageSent
from hubbub.records.moderated.events import ModerationEngineBlocked, ModerationManualApproved
from hubbub.records.moderated.model import BlockingRule
from hubbub.records.webhooks.triggers import ENGINE_APPROVED
from hubbub.rest.payloads.areas.messages import MessageJson, MessagePayload, add_sent, sent
from hubbub.rest.payloads.facts import Facts, Named, Payload, message_json
from hubbub.rest.payloads.samples import NOW, PAIR, sample_message
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


def _add_blocked(named: Named, event: ModerationEngineBlocked | ModerationManualApproved) -> None:
    named.others[find_blocked].add(event.message)


PAYLOADS = (
    Payload((MessageSent,), MessagePayload, sent, add_sent, trigger=ENGINE_APPROVED),
    Payload((ModerationEngineBlocked,), HeldPayload, held, _add_blocked),
    Payload((ModerationManualApproved,), ApprovedPayload, approved, _add_blocked),
)

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
    "category": "http_5xx",
    "errorMessage": "The engine answered with the status 503.",
    "failedAt": NOW + 1,
    "responseBody": "Service Unavailable",
    "responseBodyTruncated": False,
    "httpStatus": 503,
    "context": {
        "engine": "custom-api",
        "setting": "approve-message",
        "rule": {"id": "no-insults", "name": "No insults"},
        "condition": {"id": "words", "category": "custom-api"},
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
            "id": "101",
            "conversationId": PAIR,
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
