"""List the messages that are to be reviewed, and those that were."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.views.messages import view_messages
from hubbub.kernel.pages import Page, PageRequest
from hubbub.records.messages.model import MessageView
from hubbub.records.messages.store import find_in_conversations
from hubbub.records.moderated import store
from hubbub.records.moderated.model import FLAGGED, Flag, Review
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class ReviewedMessage:
    """A message that is to be reviewed, or that was, as the app sees it, with its flags."""

    message: MessageView
    review: Review
    flags: Sequence[Flag] = ()


async def list_flagged(
    runtime: Runtime, app_id: str, request: PageRequest
) -> Page[ReviewedMessage]:
    """Return a page of the flagged messages that nobody has reviewed, latest flag first."""

    async def within(snapshot: Snapshot) -> Page[ReviewedMessage]:
        total = await store.count_pending(snapshot, FLAGGED)
        reviews = await store.list_pending(snapshot, FLAGGED, request)
        return Page(await _with_messages(snapshot, reviews), total, request)

    return await runtime.database.read(app_id, within)


async def list_reviewed(
    runtime: Runtime, app_id: str, request: PageRequest
) -> Page[ReviewedMessage]:
    """Return a page of the messages that were reviewed, latest review first."""

    async def within(snapshot: Snapshot) -> Page[ReviewedMessage]:
        total = await store.count_reviewed(snapshot)
        reviews = await store.list_reviewed(snapshot, request)
        return Page(await _with_messages(snapshot, reviews), total, request)

    return await runtime.database.read(app_id, within)


async def _with_messages(snapshot: Snapshot, reviews: Sequence[Review]) -> list[ReviewedMessage]:
    """Return reviews with their messages, without those that are being erased."""
    ids = list({each.message for each in reviews})
    messages = await find_in_conversations(snapshot, ids)
    kept = [message for message in messages.values() if not message.is_erased]
    views = {each.message.id: each for each in await view_messages(snapshot, kept)}
    flags = await store.find_flags(snapshot, [each.id for each in kept])
    return [
        ReviewedMessage(
            views[each.message], each, flags.get(each.message, ()) if each.kind == FLAGGED else ()
        )
        for each in reviews
        if each.message in views
    ]
