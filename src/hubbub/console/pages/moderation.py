"""The moderation queue: messages that wait for a review, with what was said around them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlencode

import msgspec

from hubbub.console import page
from hubbub.console.page import MODERATORS, ChangeMade, PageForm, PageShown, show
from hubbub.console.shown_messages import ShownMessage, shown_message
from hubbub.console.visit import Visit
from hubbub.domain.access.actor import APP
from hubbub.domain.members.ban import ban_user
from hubbub.domain.messages.find import get_message
from hubbub.domain.moderated.end_review import action_of
from hubbub.domain.moderated.flagged import review_flagged
from hubbub.domain.moderated.held import review_held
from hubbub.domain.moderated.queue import (
    BEGINNING,
    MOST_COUNTED,
    QueuePosition,
    WaitingMessage,
    count_waiting,
    list_queue,
)
from hubbub.domain.moderated.reasons import list_reasons
from hubbub.domain.users.deactivate import deactivate_users
from hubbub.kernel.errors import BadInput, Conflict
from hubbub.kernel.pages import PageRequest
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import GROUP
from hubbub.records.members.model import AlreadyBanned
from hubbub.records.messages.model import Message, MessageIdNotFound
from hubbub.records.moderated.model import (
    APPROVED,
    DISAPPROVED,
    FLAGGED,
    HELD,
    MOST_REASONS,
    AlreadyReviewed,
    BlockingRule,
    Flag,
)
from hubbub.records.users.model import UidNotFound
from hubbub.rest.wire.path import parse_message_id
from hubbub.runtime import Runtime

QUEUE = "/apps/{app}/moderation"
WAITING = QUEUE + "/{kind}/{message}"
PER_PAGE = 10
OPERATOR = "operator:"
"""Stands before the name of an operator who has reviewed a message: no uid has a colon."""
KINDS: Mapping[str, Sequence[str]] = {"": (HELD, FLAGGED), HELD: (HELD,), FLAGGED: (FLAGGED,)}
REVIEW: Mapping[str, Callable[..., Awaitable[object]]] = {
    HELD: review_held,
    FLAGGED: review_flagged,
}
DONE = {
    (HELD, APPROVED): "The message is delivered.",
    (HELD, DISAPPROVED): "The message stays hidden.",
    (FLAGGED, APPROVED): "The message stays.",
    (FLAGGED, DISAPPROVED): "The message is deleted for those in its conversation.",
}
Also = Callable[[Runtime], Awaitable[None]]


class QueueQuery(PageForm):
    """Which part of the queue is shown."""

    only: Literal["", "held", "flagged"] = ""
    after: Annotated[str, msgspec.Meta(max_length=40)] = ""
    """The place after which it begins."""

    def position(self) -> QueuePosition:
        """Return the place after which it begins.

        Raises:
            BadInput: it is none.
        """
        if not self.after:
            return BEGINNING
        at, _, message = self.after.partition("-")
        if not all(
            each.isascii() and each.isdecimal() and len(each) < 17 for each in (at, message)
        ):
            raise BadInput.field("after", "The place must be like 1764250000-17.")
        return int(at), int(message)


class ReviewForm(QueueQuery):
    """Where the reviewer was: they go on there, with the next message."""

    next: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] = 0

    def address(self, app: str) -> str:
        """Return the address of the queue as it was shown, at the next message."""
        given = {"only": self.only, "after": self.after}
        query = urlencode({name: text for name, text in given.items() if text})
        return page.fill_path(QUEUE, {"app": app}).removeprefix(page.BASE) + (
            f"{'?' if query else ''}{query}{f'#w-{self.next}' if self.next else ''}"
        )


class ReviewedBefore(Conflict):
    """Another reviewer was first: nothing is decided twice."""

    def __init__(self, fault: AlreadyReviewed) -> None:
        super().__init__(f"Nothing was changed. {fault.message}", code=fault.code)


@dataclass(frozen=True, slots=True)
class ShownWaiting:
    """A message of the queue as the page shows it."""

    waiting: WaitingMessage
    shown: ShownMessage
    before: Sequence[ShownMessage]
    after: Sequence[ShownMessage]
    next: int
    """The message behind it on the page; 0 if it is the last."""

    @property
    def message(self) -> Message:
        return self.waiting.message

    @property
    def is_held(self) -> bool:
        return self.waiting.review.kind == HELD

    @property
    def is_by_app(self) -> bool:
        """Return whether the app itself sent it: that has no author to be banned."""
        return self.message.sender == SYSTEM_UID

    @property
    def rules(self) -> Sequence[BlockingRule]:
        """Return the rules that blocked it; the one that decided is first."""
        held = self.waiting.found.held
        return held.read_matches() if held is not None else ()

    @property
    def flags(self) -> Sequence[Flag]:
        return self.waiting.found.flags


@page.get(QUEUE, title="Moderation", roles=MODERATORS)
async def show_queue(visit: Visit, app: str, query: QueueQuery) -> PageShown:
    """Show what waits for a review, oldest first."""
    runtime = visit.runtime
    queue = await list_queue(runtime, app, KINDS[query.only], query.position(), limit=PER_PAGE)
    reasons = await list_reasons(runtime, app, PageRequest(1, MOST_REASONS))
    if queue.items:
        seen = [str(each.message.id) for each in queue.items]
        await visit.look("moderation.read", "queue", after={"messages": seen})
    following = [*(each.message.id for each in queue.items[1:]), 0]
    return show(
        "moderation.html",
        items=[
            ShownWaiting(
                each,
                shown_message(visit, each.found.message),
                [shown_message(visit, one) for one in each.before],
                [shown_message(visit, one) for one in each.after],
                after,
            )
            for each, after in zip(queue.items, following, strict=False)
        ],
        waiting=queue.waiting,
        most=MOST_COUNTED,
        onward="-".join(map(str, queue.onward)) if queue.onward else "",
        query=query,
        reasons={each.id: each.name for each in reasons.items},
    )


@page.get(QUEUE + "/waiting", title="Waiting messages", roles=MODERATORS, is_live=True)
async def show_waiting(visit: Visit, app: str) -> PageShown:
    """Show how many messages wait, for an open page."""
    waiting = await count_waiting(visit.runtime, app)
    return show("moderation_waiting.html", waiting=waiting, most=MOST_COUNTED)


@page.post(WAITING + "/approve", roles=MODERATORS, back=QUEUE)
async def approve(visit: Visit, app: str, kind: str, message: str, form: ReviewForm) -> ChangeMade:
    """Deliver a message that is held, or let one stay that was flagged."""
    return await _review(visit, kind, message, form, APPROVED)


@page.post(WAITING + "/refuse", roles=MODERATORS, back=QUEUE)
async def refuse(visit: Visit, app: str, kind: str, message: str, form: ReviewForm) -> ChangeMade:
    """Keep a message hidden that is held, or hide one that was flagged."""
    return await _review(visit, kind, message, form, DISAPPROVED)


@page.post(WAITING + "/ban", roles=MODERATORS, back=QUEUE)
async def ban(visit: Visit, app: str, kind: str, message: str, form: ReviewForm) -> ChangeMade:
    """Refuse a message to a group, and ban its author from the group."""
    found = (await get_message(visit.runtime, app, APP, parse_message_id(message))).message
    if found.receiver_type != GROUP:
        raise BadInput.field("message", "The message is to a user, not to a group.")

    async def ban_author(runtime: Runtime) -> None:
        with suppress(AlreadyBanned):
            await ban_user(runtime, app, APP, found.receiver, found.sender)

    also = {"banned": found.sender, "group": found.receiver}
    return await _review(visit, kind, message, form, DISAPPROVED, ban_author, also)


@page.post(WAITING + "/deactivate", roles=MODERATORS, back=QUEUE)
async def deactivate(
    visit: Visit, app: str, kind: str, message: str, form: ReviewForm
) -> ChangeMade:
    """Refuse a message, and deactivate its author."""
    found = (await get_message(visit.runtime, app, APP, parse_message_id(message))).message

    async def deactivate_author(runtime: Runtime) -> None:
        if not await deactivate_users(runtime, app, [found.sender]):
            raise UidNotFound(found.sender)

    also = {"deactivated": found.sender}
    return await _review(visit, kind, message, form, DISAPPROVED, deactivate_author, also)


async def _review(
    visit: Visit,
    kind: str,
    message: str,
    form: ReviewForm,
    status: str,
    also: Also | None = None,
    facts: Mapping[str, str] | None = None,
) -> ChangeMade:
    """Review a message, and do what else is decided in the same transaction.

    Raises:
        MessageIdNotFound: no such message waits.
        ReviewedBefore: somebody else has reviewed it.
    """
    app, number, by = visit.app, parse_message_id(message), OPERATOR + visit.operator.name
    if kind not in REVIEW:
        raise MessageIdNotFound(number)

    async def verb(runtime: Runtime) -> None:
        await REVIEW[kind](runtime, app, number, status, by=by)
        if also is not None:
            await also(runtime)

    try:
        await visit.change(
            action_of(status), str(number), verb, after={"kind": kind, **(facts or {})}
        )
    except AlreadyReviewed as fault:
        raise ReviewedBefore(fault) from None
    done = DONE[kind, status]
    if facts:
        done += " Its author is banned." if "banned" in facts else " Its author is deactivated."
    return ChangeMade(done, to=form.address(app))
