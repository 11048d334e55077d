"""The table `drafts`."""

from collections.abc import Iterable
from dataclasses import asdict

from hubbub.kernel.pages import PageRequest
from hubbub.records.drafts.model import ConversationDraft, DraftKey
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, draft_columns=ConversationDraft)
_KEY = ("uid", "receiver_type", "receiver")


async def store_draft(tx: Transaction, draft: ConversationDraft) -> None:
    """Store a draft in place of the user's earlier one in the conversation."""
    await tx.run(SQL.store_draft, **asdict(draft))


async def find_draft(snapshot: Snapshot, key: DraftKey) -> ConversationDraft | None:
    """Return a user's draft to a user or a group."""
    row = await snapshot.fetch_one(SQL.find_draft, **dict(zip(_KEY, key, strict=True)))
    return ConversationDraft(*row) if row else None


async def find_drafts(
    snapshot: Snapshot, keys: Iterable[DraftKey]
) -> dict[DraftKey, ConversationDraft]:
    """Return drafts by their keys."""
    asked = [dict(zip(_KEY, key, strict=True)) for key in dict.fromkeys(keys)]
    rows = await snapshot.fetch_many(SQL.find_draft, asked)
    return {found.key: found for found in (ConversationDraft(*row) for row in rows)}


async def count_drafts(snapshot: Snapshot, uid: str) -> int:
    """Return how many drafts a user has."""
    row = await snapshot.fetch_one(SQL.count_of_user, uid=uid)
    return int(row[0]) if row else 0


async def list_drafts(snapshot: Snapshot, uid: str, page: PageRequest) -> list[ConversationDraft]:
    """Return a page of a user's drafts, the latest first."""
    rows = await snapshot.fetch(SQL.list_of_user, uid=uid, limit=page.per_page, offset=page.offset)
    return [ConversationDraft(*row) for row in rows]


async def delete_draft(tx: Transaction, key: DraftKey) -> bool:
    """Delete a user's draft to a user or a group; return whether there was one."""
    return bool(await tx.run(SQL.delete_draft, **dict(zip(_KEY, key, strict=True))))


async def delete_of_user(tx: Transaction, uid: str) -> None:
    """Delete all drafts of a user."""
    await tx.run(SQL.delete_of_user, uid=uid)


async def delete_to_receiver(tx: Transaction, receiver_type: str, receiver: str) -> None:
    """Delete all drafts to a user or a group."""
    await tx.run(SQL.delete_to_receiver, receiver_type=receiver_type, receiver=receiver)
