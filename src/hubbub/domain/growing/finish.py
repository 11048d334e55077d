"""End messages that grow: by their sender, or because nobody appends any more."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.rates import find_settings
from hubbub.domain.growing.allowed import find_refused
from hubbub.domain.growing.hold import check_sender, hold
from hubbub.domain.messages.compose import WRITTEN_BY_SERVER
from hubbub.domain.messages.grown import data_with_text, end_growth
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.each_app import for_each_app
from hubbub.kernel.errors import BadInput, Unavailable
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters
from hubbub.records.growing import store
from hubbub.records.growing.buffer import Growth
from hubbub.records.growing.model import (
    DONE,
    FAILED,
    GrowingRow,
    MessageNotGrowing,
    NoLongerHeld,
    text_too_long,
)
from hubbub.records.messages.model import MessageView
from hubbub.records.messages.store import find_messages
from hubbub.records.settings.model import GROWING_SILENCE
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction

MOST_TRIES = 4
AT_ONCE = 20
"""The silent messages that end in one transaction."""


async def finish(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    message_id: int,
    data: Any = None,
    status: str = DONE,
) -> MessageView:
    """End a message that grows, and return it; `data` replaces properties, its text too.

    Raises:
        UidNotFound, FeatureRestricted, MessageIdNotFound: the actor may not see the message.
        MessageNotASender: somebody else sent it.
        MessageNotGrowing: it does not grow.
        Refusal: its sender may not send there any more.
        BadInput: the data is not valid.
        Unavailable: the database or the node that holds it can't be reached.
    """
    if data is not None and not isinstance(data, dict):
        raise BadInput.field("data", "The data must be an object.", code="ERR_INVALID_MESSAGE_DATA")
    given = {name: each for name, each in (data or {}).items() if name not in WRITTEN_BY_SERVER}
    for _ in range(MOST_TRIES):
        growth = await hold(runtime, app_id, actor, message_id)
        _check_text(growth, given)
        growth.close()
        try:
            while growth.storing is not None:
                await asyncio.wait([growth.storing])
            if runtime.growing.find(app_id, message_id) is not growth:
                continue
            view = await _write_end(runtime, growth, actor, given, status)
        except NoLongerHeld:
            runtime.growing.drop(growth)
            continue
        finally:
            growth.reopen()
        runtime.growing.drop(growth)
        return view
    raise Unavailable("The message changes its node too often. Try again shortly.")


def _check_text(growth: Growth, data: Mapping[str, Any]) -> None:
    text = data.get("text")
    if isinstance(text, str) and (size := len(text.encode())) > growth.limit:
        raise text_too_long("data.text", size, growth.limit)


async def _write_end(
    runtime: Runtime, growth: Growth, actor: Actor, given: Mapping[str, Any], status: str
) -> MessageView:
    """Write the end of a message that this node holds.

    Raises:
        NoLongerHeld: it does not.
    """
    so_far, stored, node, now = growth.read(), growth.stored, runtime.node, runtime.clock.now()

    async def within(tx: Transaction) -> MessageView:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        message = await access_message(tx, person, growth.id)
        check_sender(actor, message)
        row = await store.find_growing(tx, growth.id)
        if row is None:
            raise MessageNotGrowing(growth.id)
        if (row.owner, row.sequence) != (node, stored):
            raise NoLongerHeld
        refused = await find_refused(tx, [(message, row.is_of_user)])
        if refused:
            raise refused[growth.id]
        data = {**data_with_text(message, so_far.text), **given}
        ended = await end_growth(
            tx,
            message,
            msgspec.structs.replace(row, sequence=so_far.sequence),
            data,
            status=status,
            by=message.sender,
            at=now,
        )
        return (await view_messages(tx, [ended], actor.uid))[0]

    return await runtime.database.write(growth.app_id, within)


async def end_silent(runtime: Runtime) -> None:
    """End messages as failed to which nobody has appended for too long, in all apps.

    Raises:
        Unavailable: the database can't be reached.
    """
    app_ids = await runtime.database.read(INSTALLATION, store.list_apps)
    await for_each_app(app_ids, partial(_end_silent_of, runtime), name="growing_messages")


async def _end_silent_of(runtime: Runtime, app_id: str) -> None:
    settings = await find_settings(runtime, app_id)
    before = runtime.clock.milliseconds() - 1000 * settings.limit(GROWING_SILENCE)
    while True:
        rows = await runtime.database.read(
            app_id, lambda snapshot: store.list_silent(snapshot, before, limit=AT_ONCE)
        )
        silent = [each for each in rows if not _is_unstored(runtime, app_id, each)]
        if silent:
            end = partial(_end, silent, before, runtime.clock.now())
            await runtime.database.write(app_id, end)
        if len(rows) < AT_ONCE or not silent:
            return


def _is_unstored(runtime: Runtime, app_id: str, row: GrowingRow) -> bool:
    """Return whether this node has appends that could not be stored yet."""
    growth = runtime.growing.find(app_id, row.message)
    return growth is not None and growth.is_unstored


async def _end(rows: list[GrowingRow], before: int, now: int, tx: Transaction) -> None:
    await lock_counters(tx)
    ids = [each.message for each in rows]
    states = await store.find_states(tx, ids)
    messages = await find_messages(tx, ids)
    for row in rows:
        state, message = states.get(row.message), messages.get(row.message)
        if state is None or state.touched_at > before or state.sequence != row.sequence:
            continue
        if message is None:  # its sender was deleted
            await store.delete_of_messages(tx, [row.message])
            continue
        data = data_with_text(message, store.decode_text(row.text))
        await end_growth(tx, message, state, data, status=FAILED, by=SYSTEM_UID, at=now)
