"""List the messages that are to be reviewed, and those that were."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hubbub.domain.messages.held import show_held
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.pages import Page, PageRequest
from hubbub.records.messages.model import MessageView
from hubbub.records.messages.store import find_in_conversations
from hubbub.records.moderated import store
from hubbub.records.moderated.held import find_held
from hubbub.records.moderated.model import FLAGGED, HELD, Flag, HeldMessage, Review
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class ReviewedMessage:
    """A message that is to be reviewed, or that was, as the app sees it, with its flags."""

    message: MessageView
    review: Review
    flags: Sequence[Flag] = ()
    held: HeldMessage | None = None
    """Given if the review is about a message that rules have blocked."""


async def list_flagged(
    runtime: Runtime, app_id: str, request: PageRequest
) -> Page[ReviewedMessage]:
    """Return a page of the flagged messages that nobody has reviewed, latest flag first."""

    async def within(snapshot: Snapshot) -> Page[ReviewedMessage]:
        total = await store.count_pending(snapshot, FLAGGED)
        reviews = await store.list_pending(snapshot, FLAGGED, request)
        return Page(await with_messages(snapshot, reviews), total, request)

    return await runtime.database.read(app_id, within)


async def list_held(runtime: Runtime, app_id: str, request: PageRequest) -> Page[ReviewedMessage]:
    """Return a page of the blocked messages that nobody has reviewed, newest first."""

    async def within(snapshot: Snapshot) -> Page[ReviewedMessage]:
        total = await store.count_pending(snapshot, HELD)
        reviews = await store.list_pending(snapshot, HELD, request)
        return Page(await with_messages(snapshot, reviews), total, request)

    return await runtime.database.read(app_id, within)


async def list_reviewed(
    runtime: Runtime, app_id: str, request: PageRequest
) -> Page[ReviewedMessage]:
    """Return a page of the messages that were reviewed, latest review first."""

    async def within(snapshot: Snapshot) -> Page[ReviewedMessage]:
        total = await store.count_reviewed(snapshot)
        reviews = await store.list_reviewed(snapshot, request)
        return Page(await with_messages(snapshot, reviews), total, request)

    return await runtime.database.read(app_id, within)


async def find_blocked(
    snapshot: Snapshot, message_ids: Sequence[int]
) -> Mapping[int, ReviewedMessage]:
    """Return messages that rules have blocked by id, as they are now."""
    reviews = await store.find_reviews(snapshot, HELD, message_ids)
    found = await with_messages(snapshot, list(reviews.values()))
    return {each.review.message: each for each in found}


async def with_messages(snapshot: Snapshot, reviews: Sequence[Review]) -> list[ReviewedMessage]:
    """Return reviews with their messages, without those that are being erased."""
    of_held = {each.message: each for each in reviews if each.kind == HELD}
    held = await find_held(snapshot, of_held)
    views = await _view(snapshot, reviews, held)
    flags = await store.find_flags(
        snapshot, [each.message for each in reviews if each.kind == FLAGGED]
    )
    return [
        ReviewedMessage(
            views[each.message],
            each,
            flags.get(each.message, ()) if each.kind == FLAGGED else (),
            held.get(each.message) if each.kind == HELD else None,
        )
        for each in reviews
        if each.message in views
    ]


async def _view(
    snapshot: Snapshot, reviews: Sequence[Review], held: Mapping[int, HeldMessage]
) -> dict[int, MessageView]:
    """Return views of the messages of reviews by id; those that were not delivered as held."""
    found = await find_in_conversations(snapshot, list({each.message for each in reviews}))
    messages = {id_: message for id_, message in found.items() if not message.is_erased}
    for review in reviews:
        row = held.get(review.message) if review.kind == HELD else None
        draft = row.read_draft() if row is not None else None
        if row is not None and draft is not None:
            messages.setdefault(review.message, show_held(row, draft, review))
    views = await view_messages(snapshot, list(messages.values()))
    return {each.message.id: each for each in views}
