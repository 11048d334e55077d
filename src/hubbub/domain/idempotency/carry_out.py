"""Carry a call out once, however often it comes: its work and its answer are one transaction.

The row of the key is the first thing that the transaction writes, the answer in it the last. So
there is the whole of a call, or nothing of it, whatever is killed; and of two calls with the same
key the second finds the row, and undoes what little it has done.
"""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from hubbub.domain.idempotency.subjects import check_subjects, find_subjects, names_in
from hubbub.kernel.cache import ExpiringCache
from hubbub.kernel.clock import Clock
from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.records.idempotency import store
from hubbub.records.idempotency.model import (
    Answer,
    CarriedOutElsewhere,
    Claim,
    IdempotencyKeyReused,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Operation, Transaction
from hubbub.storage.one_transaction import Ended, FirstWrite, OneTransaction, Play, in_app

Work = Callable[[Runtime], Coroutine[Any, Any, Answer]]
"""A call from its decoded request to its rendered answer; may be played again from the start."""

MOST_TRIES = 8


async def carry_out_once(runtime: Runtime, claim: Claim, work: Work) -> tuple[Answer, bool]:
    """The answer of `work`, which is carried out unless it was before; and whether it was.

    Raises:
        IdempotencyKeyReused: it was, and was something else.
        CarriedOutElsewhere: it is being carried out now.
        UidNotFound, GuidNotFound, MessageIdNotFound: it was, and what the answer is about was
            deleted for good since.
        Refusal: what `work` refuses; then nothing was done, and nothing is kept.
    """
    kept = await find_answer(runtime, claim)
    if kept is not None:
        return kept, True
    try:
        return await _carry_out(runtime, claim, work), False
    except Refusal as refusal:  # perhaps only because another call with the key was quicker
        return await _answer_instead_of(refusal, runtime, claim), True


async def find_answer(runtime: Runtime, claim: Claim) -> Answer | None:
    """What a call with this claim was answered with, if it came before.

    Raises:
        IdempotencyKeyReused: a call came with the key, and another request.
        UidNotFound, GuidNotFound, MessageIdNotFound: as in `carry_out_once`.
    """
    kept = await store.find_kept(runtime.database, claim)
    if kept is None or kept.is_expired(runtime.clock.now()):
        return None
    if kept.request != claim.request:
        raise IdempotencyKeyReused
    answer = store.open_answer(runtime.sealer, claim, kept)
    if answer.about:
        await runtime.database.read(
            claim.app_id, lambda snapshot: check_subjects(snapshot, answer.about)
        )
    return answer


async def _answer_instead_of(refusal: Refusal, runtime: Runtime, claim: Claim) -> Answer:
    try:
        kept = await find_answer(runtime, claim)
    except Unavailable:
        raise refusal from None  # it may know more of what was done
    if kept is None:
        raise refusal
    return kept


class _MustBeginAgain(Exception):
    """PostgreSQL tries a transaction again in which the call was played already."""


async def _carry_out(runtime: Runtime, claim: Claim, work: Work) -> Answer:
    for _ in range(MOST_TRIES):
        try:
            return await _Attempt(runtime, claim, work).run()
        except _MustBeginAgain:
            continue
    raise Unavailable("The change met others again and again; try again shortly.")


class _Attempt:
    """One play of a call, in one transaction."""

    def __init__(self, runtime: Runtime, claim: Claim, work: Work) -> None:
        self._runtime = runtime
        self._claim = claim
        self._database = OneTransaction(runtime.database)
        self._forgotten = Forgotten(runtime.clock)
        self._play = Play(work(runtime.for_one_call(self._database, self._forgotten)))

    async def run(self) -> Answer:
        played = await self._play.go_on()
        while isinstance(played, FirstWrite):
            try:
                return await self._write(played)
            except CarriedOutElsewhere:
                raise
            except Refusal as refusal:
                if self._database.is_entered:
                    raise
                played = await self._play.fail(refusal)
        return await self._keep(played.result)

    async def _write(self, write: FirstWrite) -> Answer:
        try:
            return await self._runtime.database.write(
                write.app_id, lambda tx: self._within(tx, write.operation)
            )
        finally:
            self._forgotten.forget_in(self._runtime.known)

    async def _within(self, tx: Transaction, operation: Operation[Any]) -> Answer:
        if self._database.is_entered:
            raise _MustBeginAgain
        await self._insert_claim(tx)
        done = await operation(tx)
        self._database.enter(tx)
        played = await self._play.go_on(done)
        assert isinstance(played, Ended), "inside of a transaction nothing is a first write"
        await self._store_answer(tx, played.result)
        return played.result

    async def _keep(self, answer: Answer) -> Answer:
        """Keep the answer of a call that wrote nothing."""

        async def within(tx: Transaction) -> None:
            await self._insert_claim(tx)
            await self._store_answer(tx, answer)

        await self._runtime.database.write(self._claim.app_id, within)
        return answer

    async def _insert_claim(self, tx: Transaction) -> None:
        if not await store.insert_claim(tx, self._claim, self._runtime.clock.now()):
            raise CarriedOutElsewhere

    async def _store_answer(self, tx: Transaction, answer: Answer) -> None:
        """Keep the answer, with what it is about of all that is there now."""
        if self._claim.app_id != INSTALLATION:
            with in_app(tx, self._claim.app_id):
                about = await find_subjects(tx, {*self._claim.named, *names_in(answer.body)})
            answer = replace(answer, about=about)
        await store.store_answer(tx, self._runtime.sealer, self._claim, answer)


class Forgotten(ExpiringCache[Any]):
    """Knows nothing, and notes what others must forget once its transaction is committed."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._noted: list[Callable[[ExpiringCache[Any]], None]] = []

    def drop(self, key: Any) -> None:
        self._noted.append(lambda known: known.drop(key))

    def drop_where(self, is_stale: Callable[[Any], bool]) -> None:
        self._noted.append(lambda known: known.drop_where(is_stale))

    def forget_in(self, known: ExpiringCache[Any]) -> None:
        """Have `known` forget what was noted."""
        for forget in self._noted:
            forget(known)
