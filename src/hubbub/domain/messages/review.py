"""Ask the webhooks of an app about messages, before anything is written or locked."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec
import structlog

from hubbub.domain.access.credentials import find_app
from hubbub.domain.access.rates import find_settings
from hubbub.domain.messages.compose import with_checked_data
from hubbub.domain.messages.send import preview_message
from hubbub.domain.webhooks.change import HOOKS
from hubbub.domain.webhooks.sign import make_headers
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.nesting import check_form
from hubbub.kernel.sealing import Sealer
from hubbub.outbound.answer import Response
from hubbub.outbound.errors import NotReached
from hubbub.records.messages.model import (
    BlockedByWebhook,
    Draft,
    GrowsUnchecked,
    MessageNotChecked,
    MessageView,
)
from hubbub.records.settings.model import REFUSE_UNCHECKED
from hubbub.records.webhooks.model import Webhook
from hubbub.records.webhooks.store import list_periods, list_webhooks
from hubbub.records.webhooks.triggers import BEFORE_MESSAGE
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

DONE = 200
_encode = msgspec.json.Encoder().encode
log = structlog.get_logger()

Item = TypeVar("Item")
Render = Callable[[MessageView], bytes]
"""Returns a message that is not stored yet as JSON."""


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


async def find_hooks(runtime: Runtime, app_id: str) -> Hooks:
    """Return the webhooks to ask, cached; a change on another node takes a few seconds to show."""
    key = HOOKS, app_id
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


@dataclass(frozen=True, slots=True)
class ReviewSubject(Generic[Item]):
    """What the webhooks are asked about."""

    action: ReviewedAction
    show: Callable[[Item], Awaitable[bytes | None]]
    """Returns the message as JSON, or None if nobody is to be asked."""
    change: Callable[[Item, Mapping[str, Any]], Item]
    """Returns it with other data; raises `BadInput` if the data is not valid."""


async def review_drafts(
    runtime: Runtime, app_id: str, drafts: Sequence[Draft], render: Render
) -> Sequence[Draft | Refusal]:
    """Return the drafts as the webhooks have changed them, or why they refuse them."""
    hooks = await find_hooks(runtime, app_id)
    if not hooks.webhooks:
        return drafts

    async def show(draft: Draft) -> bytes | None:
        reading = partial(preview_message, draft=draft, now=runtime.clock.now())
        view = await runtime.database.read(app_id, reading, is_short=True)
        if isinstance(view, Refusal) or view.is_repeated:
            return None  # nobody is asked about what is not sent
        return render(view)

    asking = _WebhookReview(
        runtime, app_id, hooks, ReviewSubject(ReviewedAction.SEND, show, with_checked_data)
    )

    async def decide(draft: Draft) -> Draft | Refusal:
        if draft.growing is not None and draft.is_of_user:
            return GrowsUnchecked()  # nobody would be asked about what is appended
        return await asking.decide(draft)

    return await asyncio.gather(*(decide(draft) for draft in drafts))


async def review(runtime: Runtime, app_id: str, item: Item, subject: ReviewSubject[Item]) -> Item:
    """Return an item as the webhooks have changed it.

    Raises:
        BlockedByWebhook: one of them refuses it.
        MessageNotChecked: one of them has failed, and the app refuses what is not checked.
    """
    hooks = await find_hooks(runtime, app_id)
    if not hooks.webhooks:
        return item
    decided = await _WebhookReview(runtime, app_id, hooks, subject).decide(item)
    if isinstance(decided, Refusal):
        raise decided
    return decided


@dataclass(frozen=True, slots=True)
class _WebhookReview(Generic[Item]):
    """The webhooks of an app, and how they are told of a message."""

    runtime: Runtime
    app_id: str
    hooks: Hooks
    subject: ReviewSubject[Item]

    async def decide(self, item: Item) -> Item | Refusal:
        """Ask one webhook after the other; each gets the data as the ones before changed it."""
        for webhook in self.hooks.webhooks:
            shown = await self.subject.show(item)
            if shown is None:
                return item
            decided = await self._decide_by(webhook, item, shown)
            if isinstance(decided, Refusal):
                return decided
            item = decided
        return item

    async def _decide_by(self, webhook: Webhook, item: Item, shown: bytes) -> Item | Refusal:
        try:
            verdict = await ask(
                self.runtime, self.app_id, self.hooks.region, webhook, self.subject.action, shown
            )
            if isinstance(verdict, Change):
                return self.subject.change(item, verdict.data)
        except NoVerdict as failure:
            return await self._decide_without(webhook, item, str(failure))
        except BadInput as fault:
            reason = f"Its data is not valid: {fault.details or fault.message}"
            return await self._decide_without(webhook, item, reason)
        return BlockedByWebhook(verdict.reason) if isinstance(verdict, Refuse) else item

    async def _decide_without(self, webhook: Webhook, item: Item, reason: str) -> Item | Refusal:
        """Decide by the app's setting, after a webhook has failed."""
        log.warning("message_not_checked", app=self.app_id, webhook=webhook.id, reason=reason)
        settings = await find_settings(self.runtime, self.app_id)
        return MessageNotChecked() if settings.is_on(REFUSE_UNCHECKED) else item
