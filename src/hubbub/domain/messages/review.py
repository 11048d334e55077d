"""Ask the webhooks of an app about messages, before anything is written or locked."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import structlog

from hubbub.domain.access.rates import find_settings
from hubbub.domain.messages.compose import with_checked_data
from hubbub.domain.messages.send import preview_message
from hubbub.domain.webhooks.before_message import (
    Change,
    Hooks,
    NoVerdict,
    Refuse,
    ReviewedAction,
    ask,
    find_hooks,
)
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.messages.model import (
    BlockedByWebhook,
    Draft,
    MessageNotChecked,
    MessageView,
)
from hubbub.records.settings.model import REFUSE_UNCHECKED
from hubbub.records.webhooks.model import Webhook
from hubbub.runtime import Runtime

log = structlog.get_logger()

Item = TypeVar("Item")
Render = Callable[[MessageView], bytes]
"""Returns a message that is not stored yet as JSON."""


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
    return await asyncio.gather(*(asking.decide(draft) for draft in drafts))


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
