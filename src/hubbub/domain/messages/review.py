"""Ask the webhooks of an app about messages, before anything is written or locked."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import structlog

from hubbub.domain.access.rates import find_settings
from hubbub.domain.messages.compose import with_checked_data
from hubbub.domain.messages.send import preview_message
from hubbub.domain.webhooks.before_message import Change, Hooks, NoVerdict, Refuse, ask, find_hooks
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

Render = Callable[[MessageView], bytes]
"""Returns a message that is not stored yet as JSON."""


async def review_drafts(
    runtime: Runtime, app_id: str, drafts: Sequence[Draft], render: Render
) -> Sequence[Draft | Refusal]:
    """Return the drafts as the webhooks have changed them, or why they refuse them."""
    hooks = await find_hooks(runtime, app_id)
    if not hooks.webhooks:
        return drafts
    review = _Review(runtime, app_id, hooks, render)
    return await asyncio.gather(*(review.decide(draft) for draft in drafts))


@dataclass(frozen=True, slots=True)
class _Review:
    """The webhooks of an app, and how they are told of a message."""

    runtime: Runtime
    app_id: str
    hooks: Hooks
    render: Render

    async def decide(self, draft: Draft) -> Draft | Refusal:
        """Ask one webhook after the other; each gets the data as the ones before changed it."""
        decided: Draft | Refusal = draft
        for webhook in self.hooks.webhooks:
            view = await self._preview(draft)
            if isinstance(view, Refusal) or view.is_repeated:
                return draft  # nobody is asked about what is not sent
            decided = await self._decide_by(webhook, draft, view)
            if isinstance(decided, Refusal):
                return decided
            draft = decided
        return draft

    async def _preview(self, draft: Draft) -> MessageView | Refusal:
        now = self.runtime.clock.now()
        reading = partial(preview_message, draft=draft, now=now)
        return await self.runtime.database.read(self.app_id, reading, is_short=True)

    async def _decide_by(
        self, webhook: Webhook, draft: Draft, view: MessageView
    ) -> Draft | Refusal:
        try:
            verdict = await ask(
                self.runtime, self.app_id, self.hooks.region, webhook, self.render(view)
            )
            if isinstance(verdict, Change):
                return with_checked_data(draft, verdict.data)
        except NoVerdict as failure:
            return await self._decide_without(webhook, draft, str(failure))
        except BadInput as fault:
            reason = f"Its data is not valid: {fault.details or fault.message}"
            return await self._decide_without(webhook, draft, reason)
        return BlockedByWebhook(verdict.reason) if isinstance(verdict, Refuse) else draft

    async def _decide_without(self, webhook: Webhook, draft: Draft, reason: str) -> Draft | Refusal:
        """Decide by the app's setting, after a webhook has failed."""
        log.warning("message_not_checked", app=self.app_id, webhook=webhook.id, reason=reason)
        settings = await find_settings(self.runtime, self.app_id)
        return MessageNotChecked() if settings.is_on(REFUSE_UNCHECKED) else draft
