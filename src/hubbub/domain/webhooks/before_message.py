"""Call the webhooks that decide on messages before they are sent or edited."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

import msgspec

from hubbub.domain.access.credentials import find_app
from hubbub.domain.webhooks.sign import make_headers
from hubbub.kernel.errors import BadInput
from hubbub.kernel.nesting import check_form
from hubbub.kernel.sealing import Sealer
from hubbub.outbound.answer import Response
from hubbub.outbound.errors import NotReached
from hubbub.records.webhooks.model import Webhook
from hubbub.records.webhooks.store import list_periods, list_webhooks
from hubbub.records.webhooks.triggers import BEFORE_MESSAGE
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

DONE = 200
_encode = msgspec.json.Encoder().encode


class NoVerdict(Exception):
    """A webhook has not decided on a message; the text says why."""


class ReviewedAction(StrEnum):
    """What is to be done with a message."""

    SEND = "send"
    EDIT = "edit"
    TRANSIENT = "transient"
    """Send it without storing it."""


class Allow(msgspec.Struct, tag_field="action", tag="allow"):
    """It is done."""


class Change(msgspec.Struct, tag_field="action", tag="change"):
    """It is done with other data."""

    data: dict[str, Any]


class Refuse(msgspec.Struct, tag_field="action", tag="refuse"):
    """It is not done."""

    reason: str | None = None


Verdict = Allow | Change | Refuse
_decode: Callable[[bytes], Verdict] = msgspec.json.Decoder(Verdict).decode


class _Asked(msgspec.Struct):
    action: ReviewedAction
    message: msgspec.Raw


class _Body(msgspec.Struct, rename="camel"):
    trigger: str
    data: _Asked
    app_id: str
    region: str
    webhook: str
    id: str
    sent_at: int


@dataclass(frozen=True, slots=True)
class Hooks:
    """The webhooks of an app that are asked about each message, in this order."""

    region: str
    webhooks: tuple[Webhook, ...]


def hooks_key(app_id: str) -> tuple[str, str]:
    """Return the key under which a node caches the webhooks of an app that are asked."""
    return "webhooks", app_id


async def find_hooks(runtime: Runtime, app_id: str) -> Hooks:
    """Return the webhooks to ask, cached; a change on another node takes a few seconds to show."""
    key = hooks_key(app_id)
    known: Hooks | None = runtime.cache.get(key)
    if known is None:
        version = runtime.cache.version
        app = await find_app(runtime, app_id)
        webhooks = await runtime.database.read(
            app_id, partial(_list_attached, runtime.sealer), is_short=True
        )
        known = Hooks(app.region, webhooks)
        runtime.cache.put(key, known, app_id=app_id, version=version)
    return known


async def _list_attached(sealer: Sealer, snapshot: Snapshot) -> tuple[Webhook, ...]:
    """Return the enabled webhooks that are attached to the trigger, oldest first."""
    attached = {
        each.webhook
        for each in await list_periods(snapshot)
        if each.trigger_id == BEFORE_MESSAGE and each.upto_event is None
    }
    if not attached:
        return ()
    found = await list_webhooks(snapshot, sealer)
    return tuple(each for each in found if each.is_enabled and each.number in attached)


async def ask(
    runtime: Runtime,
    app_id: str,
    region: str,
    webhook: Webhook,
    action: ReviewedAction,
    message: bytes,
) -> Verdict:
    """Return what a webhook decides on what is to be done with a message, which is JSON.

    Raises:
        NoVerdict: it is paused, was not reached in time, or did not answer as it must.
    """
    if webhook.paused_at is not None:
        raise NoVerdict("It is paused.")
    call_id, now = runtime.ids.hexadecimal(32), runtime.clock.now()
    asked = _Asked(action, msgspec.Raw(message))
    body = _encode(_Body(BEFORE_MESSAGE, asked, app_id, region, webhook.id, call_id, now))
    runtime.outbound.call_for(app_id)
    try:
        answer = await runtime.outbound.post(
            webhook.url,
            body,
            make_headers(webhook, call_id, now, body),
            seconds=runtime.settings.webhook_timeout,
        )
    except NotReached as failure:
        raise NoVerdict(failure.detail) from None
    return read_verdict(answer)


def read_verdict(answer: Response) -> Verdict:
    """Return what an answer says.

    Raises:
        NoVerdict: it is none.
    """
    if answer.status != DONE:
        raise NoVerdict(f"It answered with the status {answer.status}.")
    try:
        check_form(answer.body)
        return _decode(answer.body)
    except BadInput as fault:
        raise NoVerdict(f"Its answer is not taken: {fault.message}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise NoVerdict(f"Its answer can't be read: {fault}") from None
