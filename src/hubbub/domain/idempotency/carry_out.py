"""Carry out a call once per idempotency key: its work and its answer are one transaction.

The row of the key is the transaction's first write, the answer in it the last. So either all of a
call is stored or nothing, whatever is killed. Of two calls with the same key, the second one finds
the row and rolls back.
"""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any

from hubbub.domain.idempotency.subjects import check_subjects, collect_names, find_subjects
from hubbub.kernel.cache import ExpiringCache
from hubbub.kernel.clock import Clock
from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.outbox.signals import HeldSignals
from hubbub.records.idempotency import store
from hubbub.records.idempotency.model import (
    CarriedOutElsewhere,
    Claim,
    IdempotencyKeyReused,
    StoredAnswer,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction
from hubbub.storage.one_transaction import OneTransaction, RunAgain, in_app

Work = Callable[[Runtime], Coroutine[Any, Any, StoredAnswer]]
"""A call from its decoded request to its rendered answer; may be run again from the start."""

MOST_TRIES = 8


async def carry_out_once(runtime: Runtime, claim: Claim, work: Work) -> tuple[StoredAnswer, bool]:
    """Return the answer of `work`, and whether it is that of an earlier call with the claim.

    Raises:
        IdempotencyKeyReused: the key was used for another request.
        CarriedOutElsewhere: another call with the key is being carried out.
        UidNotFound, GuidNotFound, MessageIdNotFound: the call was carried out earlier, and what its
            answer is about has been deleted permanently since.
        Refusal: `work` refused; nothing was stored, and the key is free.
    """
    stored = await find_answer(runtime, claim)
    if stored is not None:
        return stored, True
    try:
        return await _carry_out(runtime, claim, work), False
    except Refusal as refusal:  # perhaps only because another call with the key was faster
        return await _find_answer_instead_of(refusal, runtime, claim), True


async def find_answer(runtime: Runtime, claim: Claim) -> StoredAnswer | None:
    """Return the stored answer of an earlier call with this claim, if there was one.

    Raises:
        IdempotencyKeyReused: the key was used for another request.
        UidNotFound, GuidNotFound, MessageIdNotFound: as in `carry_out_once`.
    """
    row = await store.find_key(runtime.database, claim)
    if row is None or row.is_expired(runtime.clock.now()):
        return None
    if row.request != claim.request:
        raise IdempotencyKeyReused
    answer = store.open_answer(runtime.sealer, claim, row)
    if answer.about:
        await runtime.database.read(
            claim.app_id, lambda snapshot: check_subjects(snapshot, answer.about)
        )
    return answer


async def _find_answer_instead_of(refusal: Refusal, runtime: Runtime, claim: Claim) -> StoredAnswer:
    try:
        stored = await find_answer(runtime, claim)
    except Unavailable:
        raise refusal from None  # the first refusal may say more about what was done
    if stored is None:
        raise refusal
    return stored


async def _carry_out(runtime: Runtime, claim: Claim, work: Work) -> StoredAnswer:
    for _ in range(MOST_TRIES):
        try:
            return await _try(runtime, claim, work)
        except RunAgain:
            continue
    raise Unavailable("The change conflicted with others too often. Try again shortly.")


async def _try(runtime: Runtime, claim: Claim, work: Work) -> StoredAnswer:
    """Run the call once, in one transaction with the key and the answer."""
    database, cache = OneTransaction(runtime.database), DeferredCache(runtime.clock)
    signals = HeldSignals()

    async def call() -> StoredAnswer:
        answer = await work(runtime.in_one_transaction(database, cache, signals))
        await database.write_last(claim.app_id, partial(_store_answer, runtime, claim, answer))
        return answer

    try:
        answer = await database.run(call(), partial(_insert_claim, runtime, claim))
    finally:
        cache.drop_from(runtime.cache)
    signals.release_to(runtime.signals)
    return answer


async def _insert_claim(runtime: Runtime, claim: Claim, tx: Transaction) -> None:
    if not await store.insert_claim(tx, claim, runtime.clock.now()):
        raise CarriedOutElsewhere


async def _store_answer(
    runtime: Runtime, claim: Claim, answer: StoredAnswer, tx: Transaction
) -> None:
    """Store the answer, and the subjects of it that exist now."""
    if claim.app_id != INSTALLATION:
        with in_app(tx, claim.app_id):
            names = {*claim.names, *collect_names(answer.body)}
            answer = replace(answer, about=await find_subjects(tx, names))
    await store.store_answer(tx, runtime.sealer, claim, answer)


class DeferredCache(ExpiringCache[Any]):
    """The cache of one call; what the call drops is dropped from the shared one at the end."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._drops_later: list[Callable[[ExpiringCache[Any]], None]] = []

    def drop(self, key: Any, *, app_id: str) -> None:
        self._drops_later.append(lambda cache: cache.drop(key, app_id=app_id))

    def drop_all(self, app_id: str) -> None:
        self._drops_later.append(lambda cache: cache.drop_all(app_id))

    def drop_from(self, cache: ExpiringCache[Any]) -> None:
        """Drop from `cache` what the call has dropped."""
        for drop in self._drops_later:
            drop(cache)
