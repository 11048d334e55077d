"""Record in the audit log what an operator does; a change and its entry are one transaction."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from hubbub.domain.idempotency.carry_out import DeferredCache
from hubbub.kernel.errors import Unavailable
from hubbub.outbox.signals import HeldSignals
from hubbub.records.audit.model import AuditEntry, Doer
from hubbub.records.audit.store import insert_entry
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction
from hubbub.storage.one_transaction import OneTransaction, RunAgain

MOST_TRIES = 8
Result = TypeVar("Result")
Verb = Callable[[Runtime], Coroutine[Any, Any, Result]]
"""A change by the given parts of a node; may be run again from the start."""
Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What an operator does, for its entry: never a secret, never what people wrote."""

    action: str
    """Noun and verb, such as `key.delete`."""
    subject: str
    app: str = INSTALLATION
    before: Facts | None = None
    after: Facts | None = None


async def record(
    tx: Transaction, runtime: Runtime, doer: Doer, deed: Deed, *, events: str | None = None
) -> None:
    """Record a change in the transaction that makes it, whichever app that is of."""
    entry = AuditEntry(
        at=runtime.clock.milliseconds(),
        id=runtime.ids.hexadecimal(16),
        operator=doer.name,
        app=deed.app,
        action=deed.action,
        subject=deed.subject,
        before=_encode(deed.before),
        after=_encode(deed.after),
        address=doer.address,
        events=events,
    )
    await insert_entry(tx, entry)


async def record_look(runtime: Runtime, doer: Doer, deed: Deed) -> None:
    """Record that an operator looks at a secret or at content, before they are shown it."""
    await runtime.database.write(INSTALLATION, lambda tx: record(tx, runtime, doer, deed))


async def carry_out_recorded(
    runtime: Runtime, doer: Doer, deed: Deed, verb: Verb[Result]
) -> Result:
    """Return the result of a verb, whose writes and entry are one transaction.

    The verb writes in one app; after its first write it awaits nothing but the database.

    Raises:
        Refusal: the verb refused; nothing was changed or recorded.
    """
    for _ in range(MOST_TRIES):
        try:
            return await _try(runtime, doer, deed, verb)
        except RunAgain:
            continue
    raise Unavailable("The change conflicted with others too often. Try again shortly.")


async def _try(runtime: Runtime, doer: Doer, deed: Deed, verb: Verb[Result]) -> Result:
    database, cache = OneTransaction(runtime.database), DeferredCache(runtime.clock)
    signals = HeldSignals()

    async def call() -> Result:
        result = await verb(runtime.in_one_transaction(database, cache, signals))
        await database.write_last(
            INSTALLATION, lambda tx: record(tx, runtime, doer, deed, events=_events_of(tx))
        )
        return result

    try:
        result = await database.run(call(), _do_nothing)
    finally:
        cache.drop_from(runtime.cache)
    signals.release_to(runtime.signals)
    return result


def _events_of(tx: Transaction) -> str | None:
    """Return the ids of the events that a transaction announces: the first, and the last number.

    Events have the app as their actor, whichever operator it was; by this it is found.
    """
    counters, count = tx.counters, len(tx.announced)
    if counters is None or not count:
        return None
    first = f"{counters.epoch}-{counters.event + 1}"
    return first if count == 1 else f"{first}..{counters.event + count}"


async def _do_nothing(tx: Transaction) -> None:
    """Begin with the verb itself."""


def _encode(facts: Facts | None) -> str | None:
    return None if facts is None else msgspec.json.encode(facts).decode()
