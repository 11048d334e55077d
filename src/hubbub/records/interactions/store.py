"""The tables `interactions` and `submissions`."""

from collections.abc import Iterable, Sequence

from hubbub.kernel.pages import SliceRequest
from hubbub.records.interactions.model import Submission, UsedElement
from hubbub.records.messages.model import Interaction
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__, submission_columns=Submission)
MessageUser = tuple[int, str]
"""A message, and the uid of a user."""


async def find_used(snapshot: Snapshot, message_id: int, uid: str) -> set[str]:
    """Return the elements of a message that a user has used, and `GOAL` if they completed it."""
    rows = await snapshot.fetch(SQL.list_used, message=message_id, uid=uid)
    return {row[0] for row in rows}


async def find_interactions(
    snapshot: Snapshot, uid: str | None, message_ids: Sequence[int]
) -> dict[int, list[Interaction]]:
    """Return a user's interactions by message id, the first first; the app has none."""
    if uid is None or not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.list_of_viewer, uid=uid, messages=list(message_ids))
    found: dict[int, list[Interaction]] = {}
    for message, element_id, interacted_at in rows:
        found.setdefault(message, []).append(Interaction(element_id, interacted_at))
    return found


async def list_uses(
    snapshot: Snapshot, pairs: Iterable[MessageUser]
) -> dict[MessageUser, list[Interaction]]:
    """Return the interactions of users with messages, by message and uid, the first first."""
    asked = [{"message": message, "uid": uid} for message, uid in pairs]
    found: dict[MessageUser, list[Interaction]] = {}
    for message, uid, element_id, interacted_at in await snapshot.fetch_many(
        SQL.list_of_user, asked
    ):
        found.setdefault((message, uid), []).append(Interaction(element_id, interacted_at))
    return found


async def find_submissions(
    snapshot: Snapshot, keys: Iterable[tuple[int, int]]
) -> dict[int, Submission]:
    """Return the submissions with these messages and numbers, by number."""
    asked = [{"message": message, "number": number} for message, number in keys]
    rows = await snapshot.fetch_many(SQL.find_submission, asked)
    return {each.number: each for each in (Submission(*row) for row in rows)}


async def insert_marks(tx: Transaction, marks: Sequence[UsedElement]) -> None:
    """Store the first uses of elements."""
    await tx.run_many(SQL.insert_mark, marks)


async def insert_submission(tx: Transaction, submission: Submission) -> None:
    """Store a submission."""
    await tx.run_many(SQL.insert_submission, [submission])


async def has_submitted(snapshot: Snapshot, message_id: int, uid: str) -> bool:
    """Return whether a user has submitted a form."""
    row = await snapshot.fetch_one(SQL.find_submission_of, message=message_id, uid=uid)
    return row is not None


async def list_submissions(
    snapshot: Snapshot, message_id: int, request: SliceRequest[int]
) -> list[Submission]:
    """Return the submissions of a slice, the first submitted first; ids are cursors."""
    where = Where()
    if request.cursor is not None:
        where.add_keyset("number", request.cursor, is_before=request.is_before)
    query = where.narrow(SQL.list_submissions, order="number DESC" if request.is_before else None)
    rows = await snapshot.fetch(query, message=message_id, limit=request.limit, **where.args)
    found = [Submission(*row) for row in rows]
    return found[::-1] if request.is_before else found


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete all interactions and submissions of messages that are deleted permanently."""
    await tx.run(SQL.delete_interactions_of_messages, messages=list(message_ids))
    await tx.run(SQL.delete_submissions_of_messages, messages=list(message_ids))


async def delete_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Delete up to `limit` interactions and submissions of a user, up to an event.

    Returns the number of rows deleted.
    """
    count = await tx.run(SQL.delete_interactions_of_user, uid=uid, upto=upto, limit=limit)
    left = limit - count
    if left == 0:
        return limit
    return count + await tx.run(SQL.delete_submissions_of_user, uid=uid, upto=upto, limit=left)
