"""The descriptions of the calls to apps' webhooks, one for each trigger, and of events.

openapi-generator would make methods of a client of them, as if they were calls to the server; it
leaves out what is `x-internal`. Of the bodies generators make types all the same.
"""

from typing import Any

from hubbub.http.contract.schemas import Schema, Schemas
from hubbub.http.documented import EVENT_DATA, SENT_CALLS, SentCall

_ID = "ea79602ee4aa3253-17"
_SENT_AT = 1_790_000_000
_TEXT: Schema = {"type": "string"}
_FIELDS: dict[str, Schema] = {
    "appId": {**_TEXT, "description": "The id of the app."},
    "region": {**_TEXT, "description": "The region of the app."},
    "id": {**_TEXT, "description": "The same in every attempt: a repeated call has a known id."},
    "sentAt": {"type": "integer", "description": "When it happened, in seconds since 1970."},
    "webhook": {**_TEXT, "description": "The id of the webhook."},
}
_HEADERS = {
    "webhook-id": "The `id` of the body.",
    "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
    "webhook-signature": "The signature of the call, by the Standard Webhooks specification.",
}
_PARAMETERS = [
    {"name": name, "in": "header", "required": True, "schema": _TEXT, "description": text}
    for name, text in _HEADERS.items()
]


def describe_webhooks(schemas: Schemas) -> dict[str, Any]:
    """Return the descriptions of the calls, by trigger."""
    return {
        trigger: {"post": _describe(trigger, call, schemas)} for trigger, call in SENT_CALLS.items()
    }


def describe_events(schemas: Schemas) -> dict[str, Any]:
    """Return the schemas of the data of events, by the name of the event."""
    return {name: {"data": schemas.of(data)} for name, data in EVENT_DATA.items()}


def _describe(trigger: str, call: SentCall, schemas: Schemas) -> dict[str, Any]:
    body = schemas.add(f"{_camel(trigger)}Webhook", _body(trigger, schemas.of(call.data)))
    example = {
        "trigger": trigger,
        "data": call.example,
        "appId": "my-app",
        "region": "us",
        "id": _ID,
        "sentAt": _SENT_AT,
        "webhook": "orders",
    }
    content = {"schema": body, "examples": {"sample": {"value": example}}}
    return {
        "x-internal": True,
        "summary": call.summary,
        "parameters": _PARAMETERS,
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": {"200": {"description": "Received. Any status from 200 to 299 says so."}},
    }


def _body(trigger: str, data: Schema) -> Schema:
    name = {**_TEXT, "enum": [trigger], "description": "The trigger: what happened."}
    named = {"trigger": name, "data": data, **_FIELDS}
    return {
        "type": "object",
        "description": f"What a webhook is sent for the trigger `{trigger}`.",
        "properties": named,
        "required": list(named),
    }


def _camel(trigger: str) -> str:
    return "".join(word.capitalize() for word in trigger.split("_"))
