"""The table `held_messages`: messages that rules have blocked."""

from collections.abc import Collection, Mapping, Sequence

from hubbub.records.conversations.model import GROUP, ConversationKey
from hubbub.records.moderated.model import HELD, HeldMessage
from hubbub.records.moderated.store import SQL
from hubbub.storage.interface import Snapshot, Transaction


async def insert_held(tx: Transaction, held: HeldMessage) -> None:
    """Insert a message that is held from now on."""
    await tx.run_many(SQL.insert_held, [held])


async def find_held(snapshot: Snapshot, message_ids: Collection[int]) -> Mapping[int, HeldMessage]:
    """Return held messages by id, also those that were delivered."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.find_held, messages=sorted(message_ids))
    found = [HeldMessage(*row) for row in rows]
    return {each.message: each for each in found}


async def find_held_by_muid(snapshot: Snapshot, sender: str, muid: str) -> HeldMessage | None:
    """Return the held message with a sender's muid."""
    row = await snapshot.fetch_one(SQL.find_held_by_muid, sender=sender, muid=muid)
    return HeldMessage(*row) if row else None


async def set_delivered(tx: Transaction, message_id: int) -> None:
    """Remove the content of a held message, which is stored as a message from now on."""
    await tx.run(SQL.set_delivered, message=message_id)


async def store_appeal(tx: Transaction, message_id: int, remark: str, at: int) -> None:
    """Store that the sender appeals; an earlier appeal is replaced."""
    await tx.run(SQL.store_appeal, message=message_id, appeal=remark, appealed_at=at)


async def delete_held_of_user(tx: Transaction, uid: str) -> list[int]:
    """Delete the held messages that a user sent, or that are for them; return their ids."""
    rows = await tx.fetch(SQL.list_held_of_user, uid=uid)
    return await _delete(tx, [row[0] for row in rows])


async def delete_held_of_conversation(tx: Transaction, key: ConversationKey) -> list[int]:
    """Delete the held messages of a group, or between two users; return their ids."""
    kind, left, right = key
    if kind == GROUP:
        rows = await tx.fetch(SQL.list_held_of_group, guid=left)
    else:
        rows = await tx.fetch(SQL.list_held_between, left=left, right=right)
    return await _delete(tx, [row[0] for row in rows])


async def _delete(tx: Transaction, message_ids: Sequence[int]) -> list[int]:
    if message_ids:
        await tx.run(SQL.delete_held, messages=list(message_ids))
        await tx.run(SQL.delete_reviews, kinds=[HELD], messages=list(message_ids))
    return list(message_ids)
