"""Payloads of events in a test's app: its log, read and rendered as for a webhook."""

import json
from collections.abc import Collection, Sequence

from tests.contract import load_contract
from tests.world import Json, Node, World

from hubbub.domain.deliveries.occurrences import EVENTS, Occurrence, list_occurrences
from hubbub.outbox.log import LogEntry, read_log
from hubbub.outbox.registry import KINDS, NAMES
from hubbub.rest.payloads.render import render_events, render_payloads
from hubbub.storage.interface import Event as LoggedEvent

BATCH = 200

SHOWN = [kind.struct for kind in KINDS.values() if not kind.is_internal]
Rendered = tuple[str, Json]
"""A trigger, and its data."""
Event = tuple[str, Json | None]
"""The name of an event, and its data."""


async def list_entries(
    node: Node, world: World, after: int = 0, kinds: Collection[type[LoggedEvent]] = EVENTS
) -> list[LogEntry]:
    """Return the events of the log after a number; those with which triggers occur."""
    entries: list[LogEntry] = []
    while True:
        batch = await node.runtime.database.read(
            world.app_id,
            lambda snapshot, after=after: read_log(snapshot, after, kinds, limit=BATCH),  # type: ignore[misc]
        )
        entries += batch.entries
        if batch.upto == after:
            return entries
        after = batch.upto


async def list_rendered(node: Node, world: World, after: int = 0) -> list[Rendered]:
    """Return the triggers and data of the events after a number, in order.

    All data must conform to the document.
    """
    entries = await list_entries(node, world, after)
    occurrences = [each for entry in entries for each in list_occurrences(entry)]
    rendered = [
        (occurrence.trigger_id, json.loads(data))
        for occurrence, data in zip(
            occurrences, await render(node, world, occurrences), strict=True
        )
        if data is not None
    ]
    for trigger_id, data in rendered:
        load_contract().check_payload(trigger_id, data)
    return rendered


async def list_events(node: Node, world: World, after: int = 0) -> list[Event]:
    """Return the names and data of the events after a number that are not internal, in order.

    All data must conform to the document; it is None if there is nothing to tell any more.
    """
    entries = await list_entries(node, world, after, SHOWN)
    rendered = await render_events(node.runtime, world.app_id, entries)
    found = [
        (NAMES[type(entry.event)], None if data is None else json.loads(data))
        for entry, data in zip(entries, rendered, strict=True)
    ]
    for name, data in found:
        if data is not None:
            load_contract().check_event(name, data)
    return found


async def render(node: Node, world: World, occurrences: Sequence[Occurrence]) -> list[bytes | None]:
    """Return the payloads of occurrences."""
    return await render_payloads(node.runtime, world.app_id, occurrences)


async def data_of(node: Node, world: World, trigger_id: str) -> list[Json]:
    """Return the data of all occurrences of a trigger, in order."""
    return [data for each, data in await list_rendered(node, world) if each == trigger_id]
