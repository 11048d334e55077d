"""Hold a message that grows: one node at a time appends to it.

A node that needs a message which another one holds asks it by the bus. That one stores what it has,
and gives the message away in the same transaction. One that does not answer, and has not touched
the message for some seconds, counts as dead: the message is taken from it.
"""

import asyncio
from functools import partial

import msgspec
import structlog

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.rates import find_settings
from hubbub.domain.growing.keep import NOBODY, begin_to_store
from hubbub.domain.growing.tell import tell_untold
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.turns import SHARE_OF_USER
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import conversation_id
from hubbub.records.growing import store
from hubbub.records.growing.buffer import Growth
from hubbub.records.growing.model import GrowingRow, MessageNotGrowing, TextSoFar
from hubbub.records.growing.signals import GrowthReleased, GrowthWanted
from hubbub.records.messages.model import Message, MessageNotASender
from hubbub.records.settings.model import GROWING_SILENCE, GROWING_TEXT
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

log = structlog.get_logger()

SUBJECT = "growing"
LEASE_SECONDS = 2.0
"""So long after the store has agreed, a node appends without asking it again."""
DEAD_MS = 3_000
"""After so long a message is taken from a node that has not touched it: longer than the lease."""
ANSWER_SECONDS = 0.25
"""So long another node is waited for, before the store is looked at again."""
PATIENCE_SECONDS = 10.0
MOST_BYTES = 64 * 1024 * 1024
"""What the messages that grow in an app may take of a node's memory."""
MOST_BYTES_OF_USER = MOST_BYTES // SHARE_OF_USER
"""What those of a user may take of it; bots and the app itself have no such limit."""
TOUCHES = 8
"""An empty append is stored after this part of the silence that ends a message."""
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(GrowthWanted | GrowthReleased).decode


async def hold(runtime: Runtime, app_id: str, actor: Actor, message_id: int) -> Growth:
    """Return a message that grows, held by this node, to which the actor may append.

    Raises:
        UidNotFound, FeatureRestricted, MessageIdNotFound: the actor may not see it.
        MessageNotASender: somebody else sent it.
        MessageNotGrowing: it does not grow.
        Unavailable: the database or the node that holds it can't be reached, or the app holds too
            much at the moment.
    """
    message, row = await runtime.database.read(
        app_id, partial(_access, actor=actor, message_id=message_id), is_short=True
    )
    while True:
        growth = runtime.growing.find(app_id, message_id)
        if growth is None:
            growth = await _take_once(runtime, app_id, message, row)
        if growth.closing is None:
            return growth
        await asyncio.shield(growth.closing)
        _, row = await runtime.database.read(
            app_id, partial(_access, actor=actor, message_id=message_id), is_short=True
        )


async def _access(snapshot: Snapshot, actor: Actor, message_id: int) -> tuple[Message, GrowingRow]:
    person = await access_actor(snapshot, actor)
    message = await access_message(snapshot, person, message_id)
    check_sender(actor, message)
    row = await store.find_growing(snapshot, message_id)
    if row is None:
        raise MessageNotGrowing(message_id)
    return message, row


def check_sender(actor: Actor, message: Message) -> None:
    """Check that an actor has sent a message, or is the app.

    Raises:
        MessageNotASender: somebody else sent it.
    """
    if actor.uid is not None and actor.uid != message.sender:
        raise MessageNotASender(actor.uid, message.id)


async def _take_once(runtime: Runtime, app_id: str, message: Message, row: GrowingRow) -> Growth:
    """Take a message; callers at the same time share it."""
    taking, key = runtime.growing.taking, (app_id, message.id)
    task = taking.get(key)
    if task is None:
        task = taking[key] = asyncio.create_task(_take(runtime, app_id, message, row))
        task.add_done_callback(lambda _: taking.pop(key, None))
    return await asyncio.shield(task)


async def _take(runtime: Runtime, app_id: str, message: Message, row: GrowingRow) -> Growth:
    check_room(runtime, app_id, message.sender if row.is_of_user else None)
    settings = await find_settings(runtime, app_id)
    began = runtime.clock.monotonic()
    if row.owner != runtime.node or runtime.database.is_shared:
        row = await _make_own(runtime, app_id, row)
    growth = Growth(
        app_id=app_id,
        message=message,
        conversation_id=conversation_id(message.key),
        event=row.event,
        is_of_user=row.is_of_user,
        limit=settings.limit(GROWING_TEXT),
        touch_seconds=settings.limit(GROWING_SILENCE) / TOUCHES,
        stored=row.sequence,
        confirmed_at=began,
    ).begin(TextSoFar(row.sequence, store.decode_text(row.text)))
    runtime.growing.add(growth)
    return growth


def has_room(runtime: Runtime, app_id: str, user: str | None) -> bool:
    """Return whether an app, and a user of it, may take more of the node's memory."""
    growing = runtime.growing
    if growing.sizes.get(app_id, 0) > MOST_BYTES:
        return False
    return user is None or growing.sizes_of_users.get((app_id, user), 0) <= MOST_BYTES_OF_USER


def check_room(runtime: Runtime, app_id: str, user: str | None) -> None:
    """Check that neither an app nor a user of it fills the node's memory.

    Raises:
        Unavailable: one does; what is on disk and quiet is forgotten soon.
    """
    if not has_room(runtime, app_id, user):
        raise Unavailable("Too many long messages grow at the same time. Try again shortly.")


async def _make_own(runtime: Runtime, app_id: str, row: GrowingRow) -> GrowingRow:
    """Return the row of a message once this node holds it, whoever held it before."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS) as patience:
            while True:
                if _may_take(runtime, row):
                    taken = await runtime.database.write(app_id, partial(_own, runtime, row))
                    if taken is not None:
                        return taken
                else:
                    await _ask(runtime, app_id, row)
                row = await _read_row(runtime, app_id, row.message)
    except TimeoutError:
        if not patience.expired():
            raise
        raise Unavailable("Another node holds the message. Try again shortly.") from None


def _may_take(runtime: Runtime, row: GrowingRow) -> bool:
    if not runtime.database.is_shared or row.owner in (NOBODY, runtime.node):
        return True
    return runtime.clock.milliseconds() - row.touched_at >= DEAD_MS


async def _own(runtime: Runtime, seen: GrowingRow, tx: Transaction) -> GrowingRow | None:
    """Store that this node holds a message; None if it changed since it was seen."""
    await lock_counters(tx)
    row = await store.find_growing(tx, seen.message)
    if row is None:
        raise MessageNotGrowing(seen.message)
    if (row.owner, row.sequence) != (seen.owner, seen.sequence):
        return None
    await store.set_owner(tx, row.message, runtime.node, runtime.clock.milliseconds())
    return row


async def _read_row(runtime: Runtime, app_id: str, message_id: int) -> GrowingRow:
    row = await runtime.database.read(
        app_id, lambda snapshot: store.find_growing(snapshot, message_id), is_short=True
    )
    if row is None:
        raise MessageNotGrowing(message_id)
    return row


async def _ask(runtime: Runtime, app_id: str, row: GrowingRow) -> None:
    """Ask the node that holds a message for it, and wait for a moment."""
    key = app_id, row.message
    released = runtime.growing.released.setdefault(key, asyncio.Event())
    wanted = GrowthWanted(app_id=app_id, message=row.message, owner=row.owner, by=runtime.node)
    runtime.bus.publish(SUBJECT, _encode(wanted))
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await released.wait()
    except TimeoutError:
        pass  # the store says whether it was given away
    finally:
        runtime.growing.released.pop(key, None)


async def answer_other_nodes(runtime: Runtime) -> None:
    """Give away what other nodes ask for, from now on."""
    giving: set[asyncio.Task[None]] = set()

    def receive(message: bytes) -> None:
        try:
            asked = _decode(message)
        except msgspec.DecodeError:
            return  # a newer node may say more
        if isinstance(asked, GrowthReleased):
            waiting = runtime.growing.released.get((asked.app_id, asked.message))
            if waiting is not None:
                waiting.set()
        elif asked.owner == runtime.node:
            task = asyncio.create_task(_give(runtime, asked))
            giving.add(task)
            task.add_done_callback(giving.discard)

    await runtime.bus.subscribe(SUBJECT, receive)


async def _give(runtime: Runtime, asked: GrowthWanted) -> None:
    """Give a message to the node that asks for it; what fails is asked for again."""
    growth = runtime.growing.find(asked.app_id, asked.message)
    if (asked.app_id, asked.message) in runtime.growing.taking:
        return  # it is about to be held here
    try:
        if growth is None:
            await runtime.database.write(asked.app_id, partial(_disown, runtime, asked))
        elif growth.closing is not None:
            return  # it ends, or is given away already
        else:
            await give_away(runtime, growth, asked.by)
    except Unavailable:
        return
    except Exception as defect:
        log.error("growing_message_kept", app=asked.app_id, exc_info=defect)
        return
    released = GrowthReleased(app_id=asked.app_id, message=asked.message)
    runtime.bus.publish(SUBJECT, _encode(released))


async def give_away(runtime: Runtime, growth: Growth, owner: str) -> None:
    """Store a message, and that another node holds it.

    Raises:
        Unavailable: the database can't be reached; this node still holds it.
    """
    growth.close()
    try:
        while growth.storing is not None:
            await asyncio.wait([growth.storing])
        tell_untold(runtime, growth, runtime.clock.monotonic())
        if runtime.growing.find(growth.app_id, growth.id) is growth:
            await begin_to_store(runtime, growth.app_id, [growth], owner=owner)
            tell_untold(runtime, growth, runtime.clock.monotonic())
    finally:
        growth.reopen()


async def _disown(runtime: Runtime, asked: GrowthWanted, tx: Transaction) -> None:
    """Store that another node holds a message which this one does not have in memory."""
    await lock_counters(tx)
    row = await store.find_growing(tx, asked.message)
    is_held = runtime.growing.find(asked.app_id, asked.message) is not None
    if row is not None and row.owner == runtime.node and not is_held:
        await store.set_owner(tx, asked.message, asked.by, runtime.clock.milliseconds())
