"""Vote in polls, and take votes back.

Works on lists: concurrent calls of an app become one batch. A request that changes nothing writes
and announces nothing.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.taking_part import PartContext, load_part_context
from hubbub.domain.polls.tell import with_news
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.erasure.store import find_erased_people
from hubbub.records.polls import store
from hubbub.records.polls.events import PollVoted
from hubbub.records.polls.model import (
    NO_VOTES,
    NotAPoll,
    Poll,
    PollIsClosed,
    Vote,
    bits_of,
    options_in,
)
from hubbub.storage.batched import Batched
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class VoteRequest:
    """A user votes for these options of a poll, and for no others; for none: it is a removal."""

    actor: Actor
    message_id: int
    options: Collection[int] = ()

    @property
    def uid(self) -> str:
        return self.actor.name

    @property
    def is_removal(self) -> bool:
        return not self.options

    @property
    def key(self) -> store.VoteKey:
        return self.message_id, self.uid


async def vote(tx: Transaction, requests: Sequence[VoteRequest], now: int) -> list[Refusal | None]:
    """Carry out requests; one outcome each, and a refusal affects only its own request."""
    await lock_counters(tx)
    batch = _Votes(
        tx,
        now,
        context=await load_part_context(tx, requests),
        polls=await store.find_polls(tx, {each.message_id for each in requests}),
        given=await store.find_votes(tx, (each.key for each in requests)),
        erased=await find_erased_people(tx, {each.uid for each in requests}),
    )
    outcomes = [batch.apply(each) for each in requests]
    await batch.write()
    return outcomes


VOTE = Batched[VoteRequest, None](vote, lock_counters)


@dataclass(slots=True)
class _Votes:
    """The votes of a batch; a later request sees the changes of earlier ones."""

    tx: Transaction
    now: int
    context: PartContext
    polls: Mapping[int, Poll]
    given: dict[store.VoteKey, Vote]
    erased: Mapping[str, int]
    """The last events of former holders of uids, whose erasure is still running."""
    changed: dict[store.VoteKey, Vote | None] = field(default_factory=dict)
    """The votes that are stored; None for those that are taken back."""
    steps: Counter[tuple[int, int]] = field(default_factory=Counter)
    voters: Counter[int] = field(default_factory=Counter)

    def apply(self, request: VoteRequest) -> Refusal | None:
        """Carry out a request; return its refusal. One that changes nothing succeeds."""
        refusal = self.context.refuse(request)
        if refusal is not None:
            return refusal
        poll = self.polls.get(request.message_id)
        refusal = _refuse(poll, request, self.now)
        if poll is None or refusal is not None:
            return refusal
        before, options = self.given.get(request.key), bits_of(request.options)
        if before is not None and before.number <= self.erased.get(before.uid, 0):
            self._count(before, -1)
            self.changed[request.key] = None
            del self.given[request.key]
            before = None
        if options != (before.options if before is not None else NO_VOTES):
            self._change(poll, request, before, options)
        return None

    def _change(self, poll: Poll, request: VoteRequest, before: Vote | None, options: int) -> None:
        if before is not None:
            self._count(before, -1)
        self.given.pop(request.key, None)
        self.changed[request.key] = None
        if options != NO_VOTES:
            after = Vote(*request.key, options, next_event_number(self.tx), self.now)
            self._count(after, 1)
            self.given[request.key] = self.changed[request.key] = after
        self.tx.announce(
            PollVoted(
                message=poll.message,
                conversation=poll.conversation,
                uid=request.uid,
                at=self.now,
            )
        )

    def _count(self, of: Vote, step: int) -> None:
        self.voters[of.message] += step
        for option in options_in(of.options):
            self.steps[of.message, option] += step

    async def write(self) -> None:
        """Write the changed votes and the counts, and have the counts told."""
        if not self.changed:
            return
        await store.store_votes(
            self.tx,
            given=[each for each in self.changed.values() if each is not None],
            taken=[key for key, each in self.changed.items() if each is None],
            steps=self.steps,
        )
        changed = sorted({message for message, _ in self.changed})
        polls = [
            with_news(self.tx, self.polls[id_], self.now, voters=self.voters[id_])
            for id_ in changed
        ]
        await store.store_polls(self.tx, polls, 1000 * self.now)


def _refuse(poll: Poll | None, request: VoteRequest, now: int) -> Refusal | None:
    """Return why a poll does not take these votes."""
    if poll is None:
        return NotAPoll(request.message_id)
    if poll.is_closed(now):
        return PollIsClosed(request.message_id)
    if any(option >= poll.options for option in request.options):
        return BadInput.field("options", f"The options have the numbers 0 to {poll.options - 1}.")
    if len(set(request.options)) > poll.votes_per_user:
        return BadInput.field("options", f"A user has at most {poll.votes_per_user} votes here.")
    return None
