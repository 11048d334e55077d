"""The queue of reviewers: what waits for a review, oldest first, with what was said around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hubbub.domain.moderated.find import ReviewedMessage, with_messages
from hubbub.domain.views.messages import view_messages
from hubbub.records.conversations.store import find_conversations
from hubbub.records.messages.listing import MessageCursor, MessageFilter, list_messages
from hubbub.records.messages.model import Message, MessageView
from hubbub.records.moderated import store
from hubbub.records.moderated.model import FLAGGED, HELD, Review
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot

CONTEXT = 3
"""So many messages before, and after, are shown with one."""
MOST_COUNTED = 10_000
"""Of a longer queue it is only said that it is longer."""
QueuePosition = tuple[int, int]
"""A place in the queue: when a review was opened, and of which message."""
BEGINNING: QueuePosition = (-1, -1)


@dataclass(frozen=True, slots=True)
class WaitingMessage:
    """A message that waits for a review, and the messages of its conversation around it."""

    found: ReviewedMessage
    before: Sequence[MessageView]
    after: Sequence[MessageView]

    @property
    def message(self) -> Message:
        return self.found.message.message

    @property
    def review(self) -> Review:
        return self.found.review


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """A part of the queue, and how many wait in all, by kind."""

    items: Sequence[WaitingMessage]
    onward: QueuePosition | None
    """The place after which the queue goes on; None at its end."""
    waiting: Mapping[str, int]


async def list_queue(
    runtime: Runtime, app_id: str, kinds: Sequence[str], after: QueuePosition, *, limit: int
) -> ReviewQueue:
    """Return messages that wait for a review, those first that have waited longest."""

    async def within(snapshot: Snapshot) -> ReviewQueue:
        reviews = [
            review
            for kind in kinds
            for review in await store.list_waiting(snapshot, kind, after, limit=limit + 1)
        ]
        reviews.sort(key=_position)
        shown = reviews[:limit]
        found = await with_messages(snapshot, shown)
        return ReviewQueue(
            items=await _with_context(snapshot, found),
            onward=_position(shown[-1]) if len(reviews) > limit else None,
            waiting=await _count(snapshot),
        )

    return await runtime.database.read(app_id, within)


async def count_waiting(runtime: Runtime, app_id: str) -> Mapping[str, int]:
    """Return how many messages wait for a review, by kind; beyond `MOST_COUNTED` one more."""
    return await runtime.database.read(app_id, _count)


async def list_late(runtime: Runtime, before: int, *, limit: int) -> Sequence[tuple[str, int]]:
    """Return apps in which a message has waited since before a time, and since when the oldest."""
    return await runtime.database.read(
        INSTALLATION,
        lambda snapshot: store.list_oldest_of_apps(
            snapshot, before, limit=limit, most=MOST_COUNTED
        ),
    )


async def find_oldest(runtime: Runtime, app_id: str) -> int | None:
    """Return since when the message waits that has waited longest; None if none does."""

    async def within(snapshot: Snapshot) -> int | None:
        kinds = (HELD, FLAGGED)
        first = [await store.list_waiting(snapshot, kind, BEGINNING, limit=1) for kind in kinds]
        return min((each.opened_at for found in first for each in found), default=None)

    return await runtime.database.read(app_id, within)


async def _count(snapshot: Snapshot) -> Mapping[str, int]:
    most = MOST_COUNTED + 1
    return {
        kind: await store.count_first_pending(snapshot, kind, most=most) for kind in (HELD, FLAGGED)
    }


def _position(review: Review) -> QueuePosition:
    return review.opened_at, review.message


async def _with_context(
    snapshot: Snapshot, found: Sequence[ReviewedMessage]
) -> list[WaitingMessage]:
    """Return messages with those around them, all of which are viewed at once."""
    messages = [each.message.message for each in found]
    conversations = await find_conversations(snapshot, {each.key for each in messages})
    numbers = {key: each.number for key, each in conversations.items()}
    around = [await _find_around(snapshot, each, numbers.get(each.key)) for each in messages]
    distinct = {each.id: each for parts in around for part in parts for each in part}
    views = {each.message.id: each for each in await view_messages(snapshot, [*distinct.values()])}
    return [
        WaitingMessage(each, [views[one.id] for one in before], [views[one.id] for one in after])
        for each, (before, after) in zip(found, around, strict=True)
    ]


async def _find_around(
    snapshot: Snapshot, message: Message, conversation: int | None
) -> tuple[Sequence[Message], Sequence[Message]]:
    if conversation is None:  # it would be the first of its conversation
        return (), ()
    wanted, place = (
        MessageFilter(conversation=conversation),
        MessageCursor(message.sent_at, message.id),
    )
    before = await list_messages(snapshot, wanted, place, is_before=True, limit=CONTEXT)
    after = await list_messages(snapshot, wanted, place, is_before=False, limit=CONTEXT)
    return before, after
