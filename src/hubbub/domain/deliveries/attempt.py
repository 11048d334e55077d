"""Attempt a delivery: a signed call, whatever comes of it."""

from dataclasses import dataclass, replace

import msgspec

from hubbub.domain.deliveries.outcome import Attempt
from hubbub.domain.webhooks.sign import make_headers
from hubbub.outbound.errors import ConnectionLost, NotReached
from hubbub.outbound.measures import ACCEPTED, LOST, REFUSED
from hubbub.records.webhooks.model import Webhook
from hubbub.records.webhooks.queues import Pending
from hubbub.runtime import Runtime

MOST_ANSWER = 1000
"""The characters of an answer that are kept."""
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Made:
    """An attempt, and the pause in seconds that the receiver asked for."""

    attempt: Attempt
    retry_after: float = 0.0
    lost: Attempt | None = None
    """The call before, whose connection had been kept open and broke."""
    detail: str = ""
    """Why there was no answer, for the operator."""


async def attempt_delivery(runtime: Runtime, webhook: Webhook, pending: Pending) -> Made:
    """Call the webhook, within the time limit.

    A connection that was kept open may have been closed by the receiver just before, and nobody can
    tell whether it has read the call. So a webhook that does not retry, and is to be called once at
    the most, gets a connection of its own. Any other one is called again at once over a new
    connection, and both calls are attempts.
    """
    with runtime.begin_span("delivery"):
        try:
            return await _call(runtime, webhook, pending, keeps=webhook.retries)
        except _Lost as lost:
            made = await _call(runtime, webhook, pending, keeps=False)
            return replace(made, lost=lost.attempt)


class _Lost(Exception):
    def __init__(self, attempt: Attempt) -> None:
        super().__init__()
        self.attempt = attempt


async def _call(runtime: Runtime, webhook: Webhook, pending: Pending, *, keeps: bool) -> Made:
    """Make one call.

    Raises:
        _Lost: it was made over a kept connection, which broke.
    """
    began, now = runtime.clock.monotonic(), runtime.clock.now()
    body = complete_body(pending.body, webhook.id)
    try:
        answer = await runtime.outbound.post_once(
            webhook.url,
            body,
            make_headers(webhook, pending.id, now, body),
            seconds=runtime.settings.webhook_timeout,
            keeps=keeps,
        )
    except NotReached as failure:
        attempt = Attempt(now, _passed(runtime, began), error=str(failure))
        _measure(runtime, attempt, began)
        if isinstance(failure, ConnectionLost):
            raise _Lost(attempt) from None
        return Made(attempt, detail=failure.detail)
    text = answer.body[: 4 * MOST_ANSWER].decode(errors="replace")[:MOST_ANSWER]
    attempt = Attempt(now, _passed(runtime, began), answer.status, text or None)
    _measure(runtime, attempt, began)
    return Made(attempt, answer.read_retry_after(now) or 0.0)


def _measure(runtime: Runtime, attempt: Attempt, began: float) -> None:
    runtime.webhook_calls.note(_outcome(attempt), runtime.clock.monotonic() - began)


def _outcome(attempt: Attempt) -> str:
    if attempt.status is None:
        return LOST
    return ACCEPTED if attempt.has_succeeded else REFUSED


def complete_body(body: str, webhook_id: str) -> bytes:
    """Return what is sent to a webhook, of what is stored for all of them."""
    return b'%b,"webhook":%b}' % (body.encode(), _encode(webhook_id))


def _passed(runtime: Runtime, began: float) -> int:
    return round(1000 * (runtime.clock.monotonic() - began))
