"""The tables `moderation_reasons`, `message_flags` and `reviews`."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from hubbub.kernel.pages import PageRequest
from hubbub.records.listing import count_rows
from hubbub.records.moderated.model import FLAGGED, HELD, Flag, FlagReason, HeldMessage, Review
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(
    __package__,
    reason_columns=FlagReason,
    flag_columns=Flag,
    review_columns=Review,
    held_columns=HeldMessage,
)


async def insert_reason(tx: Transaction, reason: FlagReason) -> None:
    """Insert a new reason."""
    await tx.run_many(SQL.insert_reason, [reason])


async def find_reason(snapshot: Snapshot, reason_id: str) -> FlagReason | None:
    """Return the reason with an id."""
    row = await snapshot.fetch_one(SQL.find_reason, id=reason_id)
    return FlagReason(*row) if row else None


async def list_reasons(snapshot: Snapshot, page: PageRequest) -> list[FlagReason]:
    """Return a page of the app's reasons, newest first."""
    rows = await snapshot.fetch(SQL.list_reasons, limit=page.per_page, offset=page.offset)
    return [FlagReason(*row) for row in rows]


async def count_reasons(snapshot: Snapshot) -> int:
    """Return the number of the app's reasons."""
    return await count_rows(snapshot, SQL.count_reasons)


async def update_reason(tx: Transaction, reason: FlagReason) -> None:
    """Update a reason."""
    await tx.run_many(SQL.update_reason, [reason])


async def delete_reason(tx: Transaction, reason_id: str) -> bool:
    """Delete a reason; return whether there was one. Flags keep its id."""
    return bool(await tx.run(SQL.delete_reason, id=reason_id))


async def store_flags(tx: Transaction, flags: Sequence[Flag]) -> None:
    """Store flags, in place of earlier ones by the same user or rule, and open the reviews."""
    await tx.run_many(SQL.store_flag, flags)
    opened = [Review(FLAGGED, each.message, "", each.flagged_at) for each in flags]
    await tx.run_many(SQL.open_review, opened)


async def find_flags(
    snapshot: Snapshot, message_ids: Sequence[int]
) -> Mapping[int, Sequence[Flag]]:
    """Return the flags of messages by id, newest first."""
    flags: defaultdict[int, list[Flag]] = defaultdict(list)
    if message_ids:
        for row in await snapshot.fetch(SQL.list_flags, messages=list(message_ids)):
            flag = Flag(*row)
            flags[flag.message].append(flag)
    return flags


async def find_review(snapshot: Snapshot, kind: str, message_id: int) -> Review | None:
    """Return the review of a message."""
    row = await snapshot.fetch_one(SQL.find_review, kind=kind, message=message_id)
    return Review(*row) if row else None


async def list_pending(snapshot: Snapshot, kind: str, page: PageRequest) -> list[Review]:
    """Return a page of what is to be reviewed, newest first."""
    rows = await snapshot.fetch(
        SQL.list_pending, kind=kind, limit=page.per_page, offset=page.offset
    )
    return [Review(*row) for row in rows]


async def list_waiting(
    snapshot: Snapshot, kind: str, after: tuple[int, int], *, limit: int
) -> list[Review]:
    """Return what is to be reviewed and was opened after a time and message, oldest first."""
    opened_at, message = after
    rows = await snapshot.fetch(
        SQL.list_waiting, kind=kind, opened_at=opened_at, message=message, limit=limit
    )
    return [Review(*row) for row in rows]


async def count_first_pending(snapshot: Snapshot, kind: str, *, most: int) -> int:
    """Return the number of open reviews of a kind, `most` if there are more."""
    row = await snapshot.fetch_one(SQL.count_first_pending, kind=kind, most=most)
    return row[0] if row else 0


async def list_oldest_of_apps(
    snapshot: Snapshot, before: int, *, limit: int, most: int
) -> list[tuple[str, int]]:
    """Return apps with since when their oldest review is open, if that was up to `before`.

    They are those of the oldest open reviews of all apps, of which `most` are looked at.
    """
    rows = await snapshot.fetch(SQL.list_oldest_of_apps, before=before, limit=limit, most=most)
    return [(app, since) for app, since in rows]


async def count_pending(snapshot: Snapshot, kind: str) -> int:
    """Return the number of messages that are to be reviewed."""
    row = await snapshot.fetch_one(SQL.count_pending, kind=kind)
    return int(row[0]) if row else 0


async def list_reviewed(snapshot: Snapshot, page: PageRequest) -> list[Review]:
    """Return a page of what was reviewed, newest first."""
    rows = await snapshot.fetch(SQL.list_reviewed, limit=page.per_page, offset=page.offset)
    return [Review(*row) for row in rows]


async def count_reviewed(snapshot: Snapshot) -> int:
    """Return the number of messages that were reviewed."""
    return await count_rows(snapshot, SQL.count_reviewed)


async def open_review(tx: Transaction, kind: str, message_id: int, now: int) -> None:
    """Store that a message is to be reviewed."""
    await tx.run_many(SQL.open_review, [Review(kind, message_id, "", now)])


async def find_reviews(
    snapshot: Snapshot, kind: str, message_ids: Sequence[int]
) -> dict[int, Review]:
    """Return the reviews of messages by id."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.find_reviews, kind=kind, messages=list(message_ids))
    reviews = [Review(*row) for row in rows]
    return {review.message: review for review in reviews}


async def close_review(tx: Transaction, review: Review) -> None:
    """Store how a review has ended."""
    await tx.run_many(SQL.close_review, [review])


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete the flags and reviews of messages that are deleted permanently."""
    await tx.run(SQL.delete_flags, messages=list(message_ids))
    await tx.run(SQL.delete_reviews, kinds=[FLAGGED, HELD], messages=list(message_ids))
    await tx.run(SQL.delete_held, messages=list(message_ids))


async def delete_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Delete up to `limit` flags of a user, up to an event; return their number."""
    rows = await tx.fetch(SQL.list_flags_of_user, uid=uid, upto=upto, limit=limit)
    messages = [row[0] for row in rows]
    if messages:
        await tx.run(SQL.delete_flags_of_user, uid=uid, messages=messages)
        await tx.run(SQL.delete_unflagged_reviews, messages=messages)
    return len(messages)
