"""Attempt a delivery: one signed call, whatever comes of it."""

from dataclasses import dataclass

import msgspec

from hubbub.domain.deliveries.outcome import Attempt
from hubbub.domain.webhooks.sign import make_headers
from hubbub.outbound.errors import NotReached
from hubbub.outbound.measures import ACCEPTED, LOST, REFUSED
from hubbub.records.webhooks.model import Webhook
from hubbub.records.webhooks.queues import Pending
from hubbub.runtime import Runtime

MOST_ANSWER = 1000
"""The characters of an answer that are kept."""
MOST_DIGITS = 9
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Made:
    """An attempt, and the pause in seconds that the receiver asked for."""

    attempt: Attempt
    retry_after: float = 0.0


async def attempt_delivery(runtime: Runtime, webhook: Webhook, pending: Pending) -> Made:
    """Call the webhook once, within the time limit."""
    began = runtime.clock.monotonic()
    with runtime.begin_span("delivery"):
        made = await _call(runtime, webhook, pending, began)
    runtime.webhook_calls.note(_outcome(made.attempt), runtime.clock.monotonic() - began)
    return made


async def _call(runtime: Runtime, webhook: Webhook, pending: Pending, began: float) -> Made:
    now = runtime.clock.now()
    body = complete_body(pending.body, webhook.id)
    try:
        answer = await runtime.outbound.post(
            webhook.url,
            body,
            make_headers(webhook, pending.id, now, body),
            seconds=runtime.settings.webhook_timeout,
        )
    except NotReached as failure:
        return Made(Attempt(now, _passed(runtime, began), error=str(failure)))
    text = answer.body[: 4 * MOST_ANSWER].decode(errors="replace")[:MOST_ANSWER]
    attempt = Attempt(now, _passed(runtime, began), answer.status, text or None)
    return Made(attempt, _read_retry_after(answer.headers.get("Retry-After", "")))


def _outcome(attempt: Attempt) -> str:
    if attempt.status is None:
        return LOST
    return ACCEPTED if attempt.has_succeeded else REFUSED


def complete_body(body: str, webhook_id: str) -> bytes:
    """Return what is sent to a webhook, of what is stored for all of them."""
    return b'%b,"webhook":%b}' % (body.encode(), _encode(webhook_id))


def _passed(runtime: Runtime, began: float) -> int:
    return round(1000 * (runtime.clock.monotonic() - began))


def _read_retry_after(text: str) -> float:
    """Return the seconds of a header Retry-After; 0 if it has none, or a date."""
    text = text.strip()
    is_number = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return float(text) if is_number else 0.0
