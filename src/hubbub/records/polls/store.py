"""The tables of polls: `polls`, `poll_options`, `poll_votes` and `poll_queues`."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace

from hubbub.kernel.clock import NEVER
from hubbub.kernel.pages import SliceRequest
from hubbub.outbox.work.queue import Bounds, Due, Queue
from hubbub.records.messages.model import PollState
from hubbub.records.polls.model import Poll, Vote, options_in
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__, poll_columns=Poll, vote_columns=Vote, queue_columns=Queue)

VoteKey = tuple[int, str]
"""The message, and the uid of who has voted."""
NOBODY = ""
"""Bound as the uid of the viewer for the app, which does not vote."""


async def insert_polls(tx: Transaction, polls: Sequence[Poll], now_ms: int) -> None:
    """Store new polls without votes, and have them closed at their times."""
    due = [replace(each, due_at=each.find_due()) for each in polls]
    await tx.run_many(SQL.insert_poll, due)
    await _insert_options(tx, polls)
    await _open_queue(tx, due, now_ms)


async def _insert_options(tx: Transaction, polls: Sequence[Poll]) -> None:
    await tx.run_many(
        SQL.insert_option,
        [{"message": poll.message, "option": at} for poll in polls for at in range(poll.options)],
    )


async def store_polls(tx: Transaction, polls: Sequence[Poll], now_ms: int) -> None:
    """Store changed polls, and have done what is due by that; the number of options stays."""
    due = [replace(each, due_at=each.find_due()) for each in polls]
    rows = [asdict(each) for each in due]
    for row in rows:
        del row["conversation"]
    await tx.run_many(SQL.store_poll, rows)
    await _open_queue(tx, due, now_ms)


async def store_options(tx: Transaction, poll: Poll) -> None:
    """Give a poll that has no votes counters for as many options as it has now."""
    await tx.run(SQL.delete_options_of_messages, messages=[poll.message])
    await _insert_options(tx, [poll])


async def _open_queue(tx: Transaction, polls: Iterable[Poll], now_ms: int) -> None:
    """Make the queue of the app due when the first of some polls is, if it is not due earlier."""
    due_at = min((each.due_at for each in polls), default=NEVER)
    if due_at < NEVER:
        await tx.run(SQL.open_queue, due_at=due_at, now=now_ms)


async def find_polls(snapshot: Snapshot, message_ids: Collection[int]) -> dict[int, Poll]:
    """Return polls by the ids of their messages."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.list_polls, messages=list(message_ids))
    return {row[0]: _poll(row) for row in rows}


def _poll(row: Sequence[object]) -> Poll:
    poll = Poll(*row)  # type: ignore[arg-type]  # the columns are the fields
    return replace(poll, is_anonymous=bool(poll.is_anonymous), is_stale=bool(poll.is_stale))


async def find_states(
    snapshot: Snapshot, message_ids: Collection[int], viewer: str | None = None
) -> dict[int, PollState]:
    """Return what is shown of polls, by the ids of their messages."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.list_shown, messages=list(message_ids), viewer=viewer or NOBODY)
    counts: dict[int, list[int]] = {}
    polls: dict[int, PollState] = {}
    for message, voters, closes_at, closed_at, mine, votes in rows:
        counts.setdefault(message, []).append(votes)
        polls[message] = PollState(voters, counts[message], mine, closes_at, closed_at)
    return polls


async def find_votes(snapshot: Snapshot, keys: Iterable[VoteKey]) -> dict[VoteKey, Vote]:
    """Return the votes with these keys, by key."""
    asked = [{"message": message, "uid": uid} for message, uid in dict.fromkeys(keys)]
    votes = [Vote(*row) for row in await snapshot.fetch_many(SQL.find_vote, asked)]
    return {vote.key: vote for vote in votes}


async def list_votes(
    snapshot: Snapshot, message_id: int, request: SliceRequest[int], option: int | None = None
) -> list[Vote]:
    """Return the votes of a slice, in the order in which they were given; numbers are cursors."""
    where = Where()
    if option is not None:
        where.add("(v.options & :bit) <> 0", bit=1 << option)
    if request.cursor is not None:
        where.add_keyset("v.number", request.cursor, is_before=request.is_before)
    query = where.narrow(SQL.list_votes, order="v.number DESC" if request.is_before else None)
    rows = await snapshot.fetch(query, message=message_id, limit=request.limit, **where.args)
    found = [Vote(*row) for row in rows]
    return found[::-1] if request.is_before else found


async def store_votes(
    tx: Transaction,
    *,
    given: Sequence[Vote],
    taken: Sequence[VoteKey],
    steps: Mapping[tuple[int, int], int],
) -> None:
    """Store votes, delete those that were taken back, and add steps to the counts of options."""
    await tx.run_many(SQL.store_vote, given)
    await tx.run_many(SQL.delete_vote, [{"message": at, "uid": uid} for at, uid in taken])
    await _add_votes(tx, steps)


async def _add_votes(tx: Transaction, steps: Mapping[tuple[int, int], int]) -> None:
    await tx.run_many(
        SQL.add_votes,
        [
            {"message": message, "option": option, "step": step}
            for (message, option), step in sorted(steps.items())
            if step
        ],
    )


async def delete_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> list[Vote]:
    """Delete up to `limit` votes of a user, up to an event, and subtract them; return them."""
    rows = await tx.fetch(SQL.list_of_user, uid=uid, upto=upto, limit=limit)
    votes = [Vote(*row) for row in rows]
    steps = Counter((each.message, at) for each in votes for at in options_in(each.options))
    await store_votes(
        tx,
        given=(),
        taken=[each.key for each in votes],
        steps={key: -count for key, count in steps.items()},
    )
    return votes


async def delete_some_of_messages(
    tx: Transaction, message_ids: Sequence[int], *, limit: int
) -> int:
    """Delete up to `limit` votes in polls that are deleted permanently; return their number."""
    if not message_ids:
        return 0
    rows = await tx.fetch(SQL.list_some_of_messages, messages=list(message_ids), limit=limit)
    await tx.run_many(SQL.delete_vote, [{"message": message, "uid": uid} for message, uid in rows])
    return len(rows)


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete the polls of messages that are deleted permanently, with their votes."""
    await tx.run(SQL.delete_votes_of_messages, messages=list(message_ids))
    await tx.run(SQL.delete_options_of_messages, messages=list(message_ids))
    await tx.run(SQL.delete_of_messages, messages=list(message_ids))


async def list_due(snapshot: Snapshot, now_ms: int, *, limit: int) -> list[int]:
    """Return the messages of polls of which something is to be done now."""
    rows = await snapshot.fetch(SQL.list_due, now=now_ms, limit=limit)
    return [row[0] for row in rows]


async def find_next_due(snapshot: Snapshot) -> int:
    """Return when something is to be done next, in milliseconds; `NEVER` if nothing is."""
    row = await snapshot.fetch_one(SQL.find_next_due)
    return NEVER if row is None or row[0] is None else row[0]


async def hurry_telling(tx: Transaction, now_ms: int) -> None:
    """Have all counts told now that wait to be told."""
    await tx.run(SQL.hurry_telling, now=now_ms)


async def put_off(tx: Transaction, message_id: int, due_at: int) -> None:
    """Leave a poll alone until a time, in milliseconds."""
    await tx.run(SQL.put_off, message=message_id, due_at=due_at)


async def lock_queue(tx: Transaction, _: str) -> Queue | None:
    """Lock the queue of the app until the commit, and return it."""
    row = await tx.fetch_one(SQL.lock_queue)
    return Queue(*row) if row else None


async def store_queue(tx: Transaction, queue: Queue) -> None:
    """Store the changed queue of the app, which is locked."""
    await tx.run(SQL.store_queue, **asdict(queue))


async def list_due_queues(snapshot: Snapshot, bounds: Bounds) -> list[Due[str]]:
    """Return the queues of all apps that are due and that nobody works on."""
    rows = await snapshot.fetch(SQL.list_due_queues, **bounds)
    return [Due(app_id, "polls") for (app_id,) in rows]
