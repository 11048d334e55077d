"""Append to a message that grows: in memory at once, on disk within a second."""

from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.growing.hold import LEASE_SECONDS, MOST_BYTES, check_room, hold
from hubbub.domain.growing.keep import NoLongerHeld, store_growth
from hubbub.domain.growing.tell import tell_append
from hubbub.kernel.errors import BadInput, Unavailable
from hubbub.records.growing.buffer import Growth
from hubbub.records.growing.model import SequenceGap
from hubbub.runtime import Runtime

MOST_TRIES = 4


@dataclass(frozen=True, slots=True)
class Appended:
    """An append that was taken, now or before."""

    sequence: int
    length: int
    """The code points of the text after it."""
    is_repeated: bool


def append_now(
    runtime: Runtime, app_id: str, uid: str | None, message_id: int, text: str, sequence: int
) -> Appended | None:
    """Append a text at once, if nothing has to be asked or refused; otherwise do nothing.

    That is so for nearly all appends. `uid` is the acting user, None for the app.
    """
    growing = runtime.growing
    growth = growing.find(app_id, message_id)
    if growth is None or growth.closing is not None or growth.sequence + 1 != sequence:
        return None
    if uid is not None and uid != growth.message.sender:
        return None
    now = runtime.clock.monotonic()
    if _needs_lease(runtime, growth, now) or growing.sizes[app_id] > MOST_BYTES:
        return None
    try:
        growing.append(growth, text, sequence)
    except BadInput:
        return None
    tell_append(runtime, growth, text, now)
    return Appended(sequence, growth.length, is_repeated=False)


def _needs_lease(runtime: Runtime, growth: Growth, now: float) -> bool:
    """Return whether the store is to be asked first whether this node holds a message."""
    if now - growth.confirmed_at <= LEASE_SECONDS:
        return False
    return growth.is_unstored or runtime.database.is_shared


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
    taken = append_now(runtime, app_id, actor.uid, message_id, text, sequence)
    if taken is not None and not is_durable:
        return taken
    for _ in range(MOST_TRIES):
        growth = runtime.growing.find(app_id, message_id)
        uid = actor.uid
        if (
            growth is None
            or growth.closing is not None
            or (uid is not None and uid != growth.message.sender)
        ):
            growth = await hold(runtime, app_id, actor, message_id)
        try:
            appended = await _append(runtime, growth, text, sequence, is_durable=is_durable)
        except NoLongerHeld:
            continue  # it is held by another node, or has ended: the store says
        return taken or appended
    raise Unavailable("The message changes its node too often. Try again shortly.")


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
    check_room(runtime, growth.app_id)
    try:
        is_new = runtime.growing.append(growth, text, sequence)
    except SequenceGap:
        if not runtime.database.is_shared or growth.confirmed_at >= now:
            raise
        await _confirm(runtime, growth, now)  # another node may have gone on
        is_new = runtime.growing.append(growth, text, sequence)
    if is_new:
        tell_append(runtime, growth, text, now)
    if is_durable:
        await store_growth(runtime, growth)
    return Appended(sequence, growth.length_after(sequence), not is_new)


async def _confirm(runtime: Runtime, growth: Growth, since: float) -> None:
    """Have the store agree that this node holds a message.

    Raises:
        NoLongerHeld: it does not, or gives it away.
    """
    await store_growth(runtime, growth, since=since)
    if growth.closing is not None:
        raise NoLongerHeld("It is given away.")
