"""End messages that grow: by their sender, or because nobody appends any more."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.rates import find_settings
from hubbub.domain.growing.allowed import find_refused
from hubbub.domain.growing.hold import check_sender, hold
from hubbub.domain.growing.ruled import End, end_judged, judge_grown
from hubbub.domain.messages.compose import WRITTEN_BY_SERVER
from hubbub.domain.messages.grown import data_with_text
from hubbub.domain.moderation.decision import Decision
from hubbub.domain.moderation.load import find_rules
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
    decision = await _judge_end(runtime, growth, so_far.text, given)

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
        state = msgspec.structs.replace(row, sequence=so_far.sequence)
        end = End(state, data, status, message.sender, now, decision)
        ended = await end_judged(tx, message, end)
        return (await view_messages(tx, [ended], actor.uid))[0]

    return await runtime.database.write(growth.app_id, within)


async def _judge_end(
    runtime: Runtime, growth: Growth, text: str, given: Mapping[str, Any]
) -> Decision | None:
    """Return what rules decide about the end of a message, before it is stored."""
    if not (await find_rules(runtime, growth.app_id)).rules:
        return None
    found = await runtime.database.read(
        growth.app_id, lambda snapshot: find_messages(snapshot, [growth.id]), is_short=True
    )
    message = found.get(growth.id)
    if message is None:
        return None
    data = {**data_with_text(message, text), **given}
    return await judge_grown(runtime, growth.app_id, message, data)


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
            decisions = await _judge_silent(runtime, app_id, silent)
            end = partial(_end, silent, decisions, before, runtime.clock.now())
            await runtime.database.write(app_id, end)
        if len(rows) < AT_ONCE or not silent:
            return


def _is_unstored(runtime: Runtime, app_id: str, row: GrowingRow) -> bool:
    """Return whether this node has appends that could not be stored yet."""
    growth = runtime.growing.find(app_id, row.message)
    return growth is not None and growth.is_unstored


async def _judge_silent(
    runtime: Runtime, app_id: str, rows: Sequence[GrowingRow]
) -> dict[int, Decision | None]:
    """Return what rules decide about messages that end as they are stored, by id."""
    if not (await find_rules(runtime, app_id)).rules:
        return {}
    texts = {each.message: store.decode_text(each.text) for each in rows}
    messages = await runtime.database.read(
        app_id, lambda snapshot: find_messages(snapshot, list(texts))
    )
    return {
        id_: await judge_grown(runtime, app_id, message, data_with_text(message, texts[id_]))
        for id_, message in messages.items()
    }


async def _end(
    rows: list[GrowingRow],
    decisions: Mapping[int, Decision | None],
    before: int,
    now: int,
    tx: Transaction,
) -> None:
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
        decision = decisions.get(row.message)
        await end_judged(tx, message, End(state, data, FAILED, SYSTEM_UID, now, decision))
