"""Store what was appended to messages: all of an app in one write, each second, or at once.

A node stores the text of a message only if the store agrees that it holds the message, and has
stored all before. So no node overwrites what another one has stored.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import msgspec
import structlog

from hubbub.domain.growing.allowed import find_refused
from hubbub.domain.messages.grown import data_with_text, end_growth
from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters
from hubbub.records.growing import store
from hubbub.records.growing.buffer import Growth
from hubbub.records.growing.model import FAILED, GrowingState, NoLongerHeld
from hubbub.records.messages.model import Message
from hubbub.records.messages.store import find_messages
from hubbub.runtime import Runtime
from hubbub.storage.batched import Batched
from hubbub.storage.interface import Transaction

log = structlog.get_logger()

NOBODY = ""
"""The owner of a message that no node holds."""
PART_BYTES, PART_TEXTS = 1024 * 1024, 50
"""What is stored together; more waits for it. Fifty texts take the loop half a millisecond."""
QUIET_SECONDS = 10.0
"""A node forgets a message that was stored, and to which nothing was appended for so long."""


class TextDraft(msgspec.Struct, frozen=True):
    """A text to store, as a node holds it."""

    message: Message
    node: str
    before: int
    """The last append that is on disk."""
    sequence: int
    text: str | None
    """As JSON; None if the text that is on disk has not changed."""
    is_of_user: bool
    checked: int
    """The version of the app's records up to which the sender is known to be allowed to send."""
    owner: str
    """The node that holds it from now on."""
    touched_at: int
    """In milliseconds."""


async def store_drafts(
    tx: Transaction, drafts: Sequence[TextDraft], now: int
) -> list[int | Refusal]:
    """Store texts; return the version up to which each sender may send, or why it is not stored.

    A message whose sender may not send there any more ends as failed, with its stored text.
    """
    counters = await lock_counters(tx)
    states = await store.find_states(tx, [each.message.id for each in drafts])
    held = {each.message.id: each for each in drafts if _is_held(states.get(each.message.id), each)}
    doubted = [each for each in held.values() if each.checked < counters.changed]
    refused = await find_refused(tx, [(each.message, each.is_of_user) for each in doubted])
    stored = [each for id_, each in held.items() if id_ not in refused]
    await store.store_texts(tx, [_row_of(each) for each in stored if each.text is not None])
    await store.store_sequences(tx, [_row_of(each) for each in stored if each.text is None])
    if refused:
        await _end_refused(tx, [held[id_] for id_ in refused], states, now)
    outcomes: list[int | Refusal] = []
    for each in drafts:
        is_stored = each.message.id in held and each.message.id not in refused
        outcomes.append(counters.changed if is_stored else NoLongerHeld())
    return outcomes


STORE = Batched[TextDraft, int](store_drafts, lock_counters)


def _is_held(state: GrowingState | None, draft: TextDraft) -> bool:
    return state is not None and state.owner == draft.node and state.sequence == draft.before


def _row_of(draft: TextDraft) -> Mapping[str, object]:
    return {
        "message": draft.message.id,
        "text": draft.text,
        "sequence": draft.sequence,
        "owner": draft.owner,
        "touched_at": draft.touched_at,
    }


async def _end_refused(
    tx: Transaction,
    drafts: Sequence[TextDraft],
    states: Mapping[int, GrowingState],
    now: int,
) -> None:
    """End messages with the texts that are stored: what came since may be of after the refusal."""
    ids = [each.message.id for each in drafts]
    found = await find_messages(tx, ids)
    stored = await store.find_texts(tx, ids)
    for id_ in ids:
        message = found.get(id_)
        if message is None:  # its sender was deleted
            await store.delete_of_messages(tx, [id_])
            continue
        data = data_with_text(message, stored[id_].text)
        await end_growth(tx, message, states[id_], data, status=FAILED, by=SYSTEM_UID, at=now)


async def store_growth(runtime: Runtime, growth: Growth, *, since: float | None = None) -> None:
    """Store all that was appended to a message until now, with others that are being stored.

    With `since`, the store is asked at all events whether this node holds it, after that time.

    Raises:
        NoLongerHeld: this node does not hold it; it is dropped.
        Unavailable: the database can't be reached.
    """
    wanted = growth.sequence
    while growth.stored < wanted or (since is not None and growth.confirmed_at < since):
        task = growth.storing
        if task is None:
            task = begin_to_store(runtime, growth.app_id, [growth])
        await asyncio.shield(task)
        if runtime.growing.find(growth.app_id, growth.id) is not growth:
            raise NoLongerHeld


def begin_to_store(
    runtime: Runtime, app_id: str, growths: Sequence[Growth], *, owner: str | None = None
) -> asyncio.Task[None]:
    """Begin to store texts that are not being stored; `owner` is the node that has them then."""
    work = _store(runtime, app_id, growths, runtime.node if owner is None else owner)
    task = asyncio.create_task(work)
    for growth in growths:
        growth.storing = task
    task.add_done_callback(lambda done: _end_storing(done, growths))
    return task


def _end_storing(task: asyncio.Task[None], growths: Sequence[Growth]) -> None:
    for growth in growths:
        if growth.storing is task:
            growth.storing = None
    failure = None if task.cancelled() else task.exception()
    if failure is not None and not isinstance(failure, Unavailable):
        log.error("texts_not_stored", app=growths[0].app_id, exc_info=failure)


async def _store(runtime: Runtime, app_id: str, growths: Sequence[Growth], owner: str) -> None:
    """Store texts, long ones a few at a time, so that others have turns between them.

    Raises:
        Unavailable: the database can't be reached.
    """
    part: list[Growth] = []
    size = 0
    for growth in growths:
        part.append(growth)
        size += growth.size
        if size > PART_BYTES or len(part) >= PART_TEXTS:
            await _store_part(runtime, app_id, part, owner)
            part, size = [], 0
    if part:
        await _store_part(runtime, app_id, part, owner)


async def _store_part(runtime: Runtime, app_id: str, growths: Sequence[Growth], owner: str) -> None:
    """Store texts, and drop those that this node does not hold, or not any more.

    Raises:
        Unavailable: the database can't be reached.
    """
    began = runtime.clock.monotonic()
    drafts = [_draft_of(runtime, growth, owner) for growth in growths]
    outcomes = await STORE.call_all(runtime.batches, app_id, drafts)
    growing, failure = runtime.growing, None
    for growth, draft, outcome in zip(growths, drafts, outcomes, strict=True):
        if isinstance(outcome, NoLongerHeld):
            log.info("growing_message_lost", app=app_id, message=growth.id)
            growing.drop(growth)
        elif isinstance(outcome, Refusal):
            failure = outcome
        else:
            growth.stored, growth.checked = draft.sequence, outcome
            growth.confirmed_at = began
            if owner != runtime.node:
                growing.drop(growth)
            elif not growth.is_unstored:
                growing.note_stored(growth)
    if failure is not None:
        raise failure


def _draft_of(runtime: Runtime, growth: Growth, owner: str) -> TextDraft:
    so_far, is_longer = growth.pack(), growth.has_unstored_text
    return TextDraft(
        message=growth.message,
        node=runtime.node,
        before=growth.stored,
        sequence=so_far.sequence,
        text=store.encode_text(so_far.text) if is_longer else None,
        is_of_user=growth.is_of_user,
        checked=growth.checked,
        owner=owner,
        touched_at=runtime.clock.milliseconds(),
    )


async def store_due(runtime: Runtime) -> None:
    """Begin to store what was appended since the last time; do not wait for it.

    An app whose texts are still being stored holds up no other. What fails is tried again. Empty
    appends only show that a message still grows, so they are stored seldom.
    """
    now = runtime.clock.monotonic()
    _begin_all(runtime, lambda growth: growth.is_due(now))
    _forget_quiet(runtime)


async def store_all(runtime: Runtime) -> None:
    """Store what was appended since the last time."""
    if tasks := _begin_all(runtime, lambda _: True):
        await asyncio.wait(tasks)


def _begin_all(runtime: Runtime, is_wanted: Callable[[Growth], bool]) -> list[asyncio.Task[None]]:
    """Begin to store what is not being stored, each app's messages by themselves."""
    tasks: list[asyncio.Task[None]] = []
    for app_id, of_app in list(runtime.growing.unstored.items()):
        free = [
            each
            for each in of_app.values()
            if each.storing is None and not each.closing and is_wanted(each)
        ]
        if free:
            tasks.append(begin_to_store(runtime, app_id, free))
    return tasks


def _forget_quiet(runtime: Runtime) -> None:
    """Forget messages that are on disk, and to which nothing is appended: they are read again."""
    now = runtime.clock.monotonic()
    for growth in runtime.growing.list_held():
        is_quiet = now - max(growth.confirmed_at, growth.told_at) > QUIET_SECONDS
        is_busy = growth.is_unstored or growth.storing or growth.closing or growth.untold
        if is_quiet and not is_busy:
            runtime.growing.drop(growth)


async def release_all(runtime: Runtime) -> None:
    """Store all that was appended, and hold nothing more: the node stops."""
    await store_all(runtime)
    tasks = [
        begin_to_store(runtime, app_id, list(of_app.values()), owner=NOBODY)
        for app_id, of_app in list(runtime.growing.held.items())
    ]
    if tasks:
        await asyncio.wait(tasks)
