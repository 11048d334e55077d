"""Count active users and messages: a consumer of the log.

A user is active on the days of the events that they caused themselves. A bot is not, nor is a user
whom others added, imported or wrote to.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox.consumer import Consumer
from hubbub.outbox.log import LogBatch
from hubbub.records import EVENT_KINDS
from hubbub.records.bots.events import BotCreated
from hubbub.records.messages.events import MessageSent
from hubbub.records.metrics import store
from hubbub.records.metrics.model import ActiveCounts, ActiveUser, Traffic, add_active_day, day_of
from hubbub.records.users.events import UserDeleted
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event, Transaction

NAME = "metrics"
BATCH_SIZE = 1_000
TRAFFIC_KEPT_SECONDS = 7_200
"""Only the traffic of the last hour is shown."""
NOBODY = ("", SYSTEM_UID)
"""Stand for the app itself."""
ACTORS: Mapping[type[Event], Callable[[Any], str]] = {
    kind.struct: kind.actor for kind in EVENT_KINDS.values() if kind.actor is not None
}
"""Events that make active who caused them: return the uid, `app_system`, or nothing.

Others make nobody active: imports, what the app does to users, and chunks of an erasure.
"""
COUNTED: tuple[type[Event], ...] = (*ACTORS, BotCreated, UserDeleted)

Pair = tuple[str, int]
"""A uid, and a day on which they were active."""
Fact = Pair | BotCreated | UserDeleted


@dataclass(slots=True)
class SettledTally:
    """Who is known to be counted on a day, if the log is counted up to an event.

    It follows from the log, whichever node has counted: a node that finds the position there goes
    on with it, and does not look up the same users again for each batch.
    """

    upto: int
    day: int = -1
    pairs: set[Pair] = field(default_factory=set)


@dataclass(slots=True)
class Tally:
    """What the events of a batch change."""

    users: dict[str, ActiveUser | None] = field(default_factory=dict)
    """The users whose rows change; None for those who were erased."""
    counts: ActiveCounts = field(default_factory=Counter)
    traffic: list[Traffic] = field(default_factory=list)
    traffic_since: int = 0
    """The time from which traffic is kept."""


def metrics_consumer(runtime: Runtime) -> Consumer[Tally]:
    """Return the consumer that counts."""
    return Consumer(
        NAME,
        COUNTED,
        runtime.database,
        partial(_prepare, runtime),
        _apply,
        runtime.consumers[NAME],
        batch_size=BATCH_SIZE,
    )


async def count_all(runtime: Runtime) -> None:
    """Count the new events of all apps."""
    await metrics_consumer(runtime).consume_all()


async def _prepare(runtime: Runtime, batch: LogBatch) -> tuple[Tally, int]:
    """Tally a batch. Only this consumer writes the rows of users, so they stay as they are read."""
    sent: Counter[int] = Counter()
    facts = _list_facts(batch, sent, _take_settled(runtime, batch))
    uids = {fact[0] if isinstance(fact, tuple) else fact.uid for fact in facts}
    stored = await runtime.database.read(
        batch.app_id, lambda snapshot: store.find_active_users(snapshot, uids)
    )
    tally = Tally(traffic_since=runtime.clock.now() - TRAFFIC_KEPT_SECONDS)
    for fact in facts:
        _count(tally, fact, stored)
    kept = sorted(at for at in sent if at >= tally.traffic_since)
    tally.traffic = [Traffic(at, messages=sent[at]) for at in kept]
    return tally, batch.upto


def _take_settled(runtime: Runtime, batch: LogBatch) -> SettledTally:
    """Return who is settled before a batch; the caller brings it to the end of the batch."""
    version, key = runtime.cache.version, (NAME, batch.app_id)
    settled = runtime.cache.get(key)
    if settled is None or settled.upto != batch.after:
        settled = SettledTally(batch.after)
    runtime.cache.put(key, settled, app_id=batch.app_id, version=version)
    return settled


def _list_facts(batch: LogBatch, sent: Counter[int], settled: SettledTally) -> list[Fact]:
    """Return what may change rows of users, in order; count the messages by second in `sent`."""
    facts: list[Fact] = []
    for kind, run in groupby((entry.event for entry in batch.entries), type):
        events: list[Any] = list(run)
        if kind not in ACTORS:
            facts += events
            gone = {event.uid for event in events}
            settled.pairs = {pair for pair in settled.pairs if pair[0] not in gone}
            continue
        if kind is MessageSent:
            sent.update([event.at for event in events])
        actor_of = ACTORS[kind]
        facts += _settle(settled, {(actor_of(event), day_of(event.at)) for event in events})
    settled.upto = batch.upto
    return facts


def _settle(settled: SettledTally, pairs: set[Pair]) -> list[Fact]:
    """Return the pairs that are not settled yet; they are now. Only the latest day is kept."""
    new = pairs - settled.pairs
    day = max(day for _, day in pairs)
    if day > settled.day:
        settled.day, settled.pairs = day, set()
    settled.pairs |= new
    return [pair for pair in new if pair[0] not in NOBODY]


def _count(tally: Tally, fact: Fact, stored: Mapping[str, ActiveUser]) -> None:
    """Count a fact. After a permanent deletion the uid is that of a new user."""
    uid = fact[0] if isinstance(fact, tuple) else fact.uid
    user = tally.users[uid] if uid in tally.users else stored.get(uid)
    match fact:
        case BotCreated():
            tally.users[uid] = ActiveUser(uid, is_bot=True)
        case UserDeleted(permanent=is_permanent):
            if is_permanent and user is not None:
                tally.users[uid] = None
        case (_, day):
            before = user or ActiveUser(uid)
            after = add_active_day(before, day, tally.counts)
            if after is not before:
                tally.users[uid] = after


async def _apply(tx: Transaction, tally: Tally) -> None:
    erased = [uid for uid, user in tally.users.items() if user is None]
    await store.delete_active_users(tx, erased)
    await store.put_active_users(tx, [user for user in tally.users.values() if user is not None])
    await store.add_active_counts(tx, tally.counts)
    if tally.traffic:
        await store.add_traffic(tx, tally.traffic)
        await store.delete_traffic_before(tx, tally.traffic_since)
