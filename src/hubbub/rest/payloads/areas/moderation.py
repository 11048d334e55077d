"""Samples of the triggers about moderation, which have no source in Hubbub yet."""

from hubbub.rest.payloads.samples import NOW, PAIR, sample_message
from hubbub.rest.wire.shapes import Json

_RULE: Json = {
    "id": "no-insults",
    "name": "No insults",
    "revisionId": "my-app_no-insults_1",
    "action": ["blockMessage"],
    "blockedAt": NOW,
}
_CONDITION: Json = {
    "id": "words",
    "entity": "message",
    "operand": "text",
    "operator": "contains",
    "category": "word",
    "isKeywordsReferencePresent": True,
    "isMediaPresent": False,
    "value": "insults",
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
    "moderation_engine_blocked": {"message": _moderated("disapproved")},
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
