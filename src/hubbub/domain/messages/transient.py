"""Have transient messages checked by webhooks, if the app wants that."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hubbub.domain.access.rates import find_settings
from hubbub.domain.messages.review import ReviewSubject, review
from hubbub.domain.webhooks.before_message import ReviewedAction
from hubbub.records.settings.model import CHECK_TRANSIENT
from hubbub.runtime import Runtime

Show = Callable[[Any], Awaitable[bytes]]
"""Returns a message with that data as JSON, if it may be sent."""


async def review_transient(runtime: Runtime, app_id: str, data: Any, show: Show) -> Any:
    """Return the data of a transient message as the webhooks have changed it.

    Raises:
        BlockedByWebhook, MessageNotChecked: a webhook refuses it, or has failed.
    """
    settings = await find_settings(runtime, app_id)
    if not settings.is_on(CHECK_TRANSIENT):
        return data
    return await review(
        runtime, app_id, data, ReviewSubject(ReviewedAction.TRANSIENT, show, _change)
    )


def _change(_: Any, data: Mapping[str, Any]) -> Any:
    return data
