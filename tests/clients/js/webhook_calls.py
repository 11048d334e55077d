"""Calls of webhooks, made and signed by the code that delivers them, for programs that verify."""

import json
import time
from typing import Any

from hubbub.domain.webhooks.sign import make_headers
from hubbub.records.webhooks.model import Webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
FORMER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
OTHER = "whsec_Lx0GvX0q1xyOYzJ1l6mYpQ2b5t8hU9aC"
USERNAME, PASSWORD = "hubbub", "geheim: ä"
SENT = {
    "trigger": "message_sent",
    "data": {"message": {"id": "1", "sender": "anna", "data": {"text": "Grüße 👋"}}},
    "id": "1790000060-51",
}
ASKED = {"trigger": "before_message", "data": {"action": "send", "message": {"sender": "anna"}}}


def call(body: str, *, at: int, **fields: Any) -> dict[str, Any]:
    """Return the body and the headers of a call that a webhook with these fields makes."""
    webhook = Webhook(1, "w", "w", "https://example.com/", secret=SECRET, **fields)
    return {"body": body, "headers": make_headers(webhook, "1790000060-51", at, body.encode())}


def calls() -> dict[str, Any]:
    """Return the calls by the names that `test/webhooks.test.mjs` has for them."""
    now = int(time.time())
    sent = json.dumps(SENT, ensure_ascii=False)
    replaced = {"former_secret": FORMER, "former_until": now + 3600}
    basic_auth = {"uses_basic_auth": True, "username": USERNAME, "password": PASSWORD}
    return {
        "secret": SECRET,
        "formerSecret": FORMER,
        "otherSecret": OTHER,
        "username": USERNAME,
        "password": PASSWORD,
        "plain": call(sent, at=now),
        "rotated": call(sent, at=now, **replaced),
        "withBasicAuth": call(sent, at=now, **basic_auth),
        "old": call(sent, at=now - 600),
        "early": call(sent, at=now + 600),
        "noJson": call("trigger=message_sent", at=now),
        "decision": call(json.dumps(ASKED), at=now),
    }
