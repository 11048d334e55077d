"""Append to a message that grows: in memory at once, on disk within a second."""

from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.growing.hold import LEASE_SECONDS, check_room, has_room, hold
from hubbub.domain.growing.keep import store_growth
from hubbub.domain.growing.tell import tell_append, tell_untold
from hubbub.kernel.errors import Unavailable
from hubbub.records.growing.buffer import Growth
from hubbub.records.growing.model import NoLongerHeld, SequenceGap
from hubbub.runtime import Runtime

MOST_TRIES = 4
CALL_SECONDS, FRAME_SECONDS = 0.00008, 0.00005
"""What a call of REST with an append takes of the event loop, and a frame with one: measured."""


@dataclass(frozen=True, slots=True)
class Appended:
    """An append that was taken, now or before."""

    sequence: int
    length: int
    """The code points of the text after it."""
    is_repeated: bool


def find_ready(
    runtime: Runtime, app_id: str, uid: str | None, message_id: int, text: str, sequence: int
) -> Growth | None:
    """Return a message if an append to it needs nothing to be asked, and nothing refuses it.

    That is so for nearly all appends. `uid` is the acting user, None for the app.
    """
    growth = runtime.growing.find(app_id, message_id)
    if growth is None or growth.closing is not None or growth.sequence + 1 != sequence:
        return None
    if uid is not None and uid != growth.message.sender:
        return None
    if growth.size_with(text) > growth.limit or not has_room(runtime, app_id, growth.user):
        return None
    return None if _needs_lease(runtime, growth, runtime.clock.monotonic()) else growth


def append_ready(runtime: Runtime, growth: Growth, text: str, sequence: int) -> Appended:
    """Append a text to a message that was found ready for it a moment ago."""
    runtime.growing.append(growth, text, sequence)
    tell_append(runtime, growth, text, runtime.clock.monotonic())
    return Appended(sequence, growth.length, is_repeated=False)


def _needs_lease(runtime: Runtime, growth: Growth, now: float) -> bool:
    """Return whether the store is to be asked first whether this node holds a message."""
    if now - growth.confirmed_at <= LEASE_SECONDS:
        return False
    return growth.has_unstored_text or runtime.database.is_shared


async def append(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    message_id: int,
    text: str,
    sequence: int,
    *,
    is_durable: bool = False,
) -> Appended:
    """Append a text to a message; one that was appended before changes nothing.

    It is on disk within a second; if it `is_durable`, when this returns.

    Raises:
        UidNotFound, FeatureRestricted, MessageIdNotFound: the actor may not see the message.
        MessageNotASender: somebody else sent it.
        MessageNotGrowing: it does not grow.
        SequenceGap: appends before this one are missing.
        BadInput: the text would be too long.
        Unavailable: the database or the node that holds it can't be reached, or the app holds too
            much at the moment.
    """
    ready = find_ready(runtime, app_id, actor.uid, message_id, text, sequence)
    if ready is not None and not is_durable:
        return append_ready(runtime, ready, text, sequence)
    taken: Appended | None = None
    for _ in range(MOST_TRIES):
        growth = await _find_held(runtime, app_id, actor, message_id)
        try:
            appended = await _append(runtime, growth, text, sequence, is_durable=is_durable)
            taken = taken or appended
            if is_durable:
                await _store(runtime, growth)
        except NoLongerHeld:
            continue  # it is held by another node, or has ended: the store says
        return taken
    raise Unavailable("The message changes its node too often. Try again shortly.")


async def _find_held(runtime: Runtime, app_id: str, actor: Actor, message_id: int) -> Growth:
    """Return a message that this node holds, to which the actor may append.

    Raises:
        Refusal: as `hold` does.
    """
    growth, uid = runtime.growing.find(app_id, message_id), actor.uid
    if growth is None or growth.closing is not None:
        return await hold(runtime, app_id, actor, message_id)
    if uid is not None and uid != growth.message.sender:
        return await hold(runtime, app_id, actor, message_id)
    return growth


async def _append(
    runtime: Runtime, growth: Growth, text: str, sequence: int, *, is_durable: bool
) -> Appended:
    """Append to a message that this node holds, as far as it knows.

    Raises:
        NoLongerHeld: it does not.
    """
    now = runtime.clock.monotonic()
    if _needs_lease(runtime, growth, now):
        await _confirm(runtime, growth, now)
    check_room(runtime, growth.app_id, growth.user)
    try:
        is_new = runtime.growing.append(growth, text, sequence)
    except SequenceGap:
        if not runtime.database.is_shared or growth.confirmed_at >= now:
            raise
        await _confirm(runtime, growth, now)  # another node may have gone on
        is_new = runtime.growing.append(growth, text, sequence)
    if is_new:
        if is_durable:  # it may be refused: readers are told what is on disk
            growth.tell_after = sequence
        tell_append(runtime, growth, text, now)
    return Appended(sequence, growth.length_after(sequence), not is_new)


async def _store(runtime: Runtime, growth: Growth) -> None:
    """Store what was appended to a message, and tell it.

    Raises:
        NoLongerHeld: this node does not hold it.
    """
    await store_growth(runtime, growth)
    tell_untold(runtime, growth, runtime.clock.monotonic())


async def _confirm(runtime: Runtime, growth: Growth, since: float) -> None:
    """Have the store agree that this node holds a message.

    Raises:
        NoLongerHeld: it does not, or gives it away.
    """
    await store_growth(runtime, growth, since=since)
    if growth.closing is not None:
        raise NoLongerHeld
