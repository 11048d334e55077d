"""The tables `interactions` and `submissions`."""

from collections.abc import Sequence

from hubbub.records.interactions.model import Mark, Submission
from hubbub.records.messages.model import Interaction
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__, submission_columns=Submission)


async def find_used(snapshot: Snapshot, message_id: int, uid: str) -> set[str]:
    """The elements of a message that somebody has used; `GOAL` among them: he completed it."""
    rows = await snapshot.fetch(SQL.list_used, message=message_id, uid=uid)
    return {row[0] for row in rows}


async def find_interactions(
    snapshot: Snapshot, uid: str | None, message_ids: Sequence[int]
) -> dict[int, list[Interaction]]:
    """What somebody has used of messages, the first used first; the app itself uses nothing."""
    if uid is None or not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.list_of_viewer, uid=uid, messages=list(message_ids))
    found: dict[int, list[Interaction]] = {}
    for message, element_id, interacted_at in rows:
        found.setdefault(message, []).append(Interaction(element_id, interacted_at))
    return found


async def insert_marks(tx: Transaction, marks: Sequence[Mark]) -> None:
    """Store that elements were used for the first time."""
    await tx.run_many(
        SQL.insert_mark,
        [
            {
                "message": each.message,
                "uid": each.uid,
                "element_id": each.element_id,
                "number": each.number,
                "interacted_at": each.interacted_at,
            }
            for each in marks
        ],
    )


async def insert_submission(tx: Transaction, submission: Submission) -> None:
    """Store what somebody submitted."""
    await tx.run(
        SQL.insert_submission,
        message=submission.message,
        number=submission.number,
        uid=submission.uid,
        form_data=submission.form_data,
        submitted_at=submission.submitted_at,
    )


async def has_submitted(snapshot: Snapshot, message_id: int, uid: str) -> bool:
    """Whether somebody has submitted a form before."""
    row = await snapshot.fetch_one(SQL.find_submission_of, message=message_id, uid=uid)
    return row is not None


async def list_submissions(
    snapshot: Snapshot, message_id: int, place: int | None, *, is_before: bool, limit: int
) -> list[Submission]:
    """Submissions beyond or before a place (from either end without one), always ascending."""
    where = Where()
    if place is not None and is_before:
        where.add("number < :place", place=place)
    elif place is not None:
        where.add("number > :place", place=place)
    query = where.narrow(SQL.list_submissions, order="number DESC" if is_before else None)
    rows = await snapshot.fetch(query, message=message_id, limit=limit, **where.args)
    found = [Submission(*row) for row in rows]
    return found[::-1] if is_before else found


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Remove all that was done with messages that go for good."""
    await tx.run(SQL.delete_interactions_of_messages, messages=list(message_ids))
    await tx.run(SQL.delete_submissions_of_messages, messages=list(message_ids))


async def delete_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Remove up to `limit` marks and submissions of a user, up to an event; how many there were."""
    count = await tx.run(SQL.delete_interactions_of_user, uid=uid, upto=upto, limit=limit)
    left = limit - count
    if left == 0:
        return limit
    return count + await tx.run(SQL.delete_submissions_of_user, uid=uid, upto=upto, limit=left)
