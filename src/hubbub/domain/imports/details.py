"""The `…Details` of rows: users and groups that are created only if they don't exist."""

from collections.abc import Sequence

from hubbub.domain.groups.create import create_groups
from hubbub.domain.users.create import create_users
from hubbub.records.groups.model import GroupDraft
from hubbub.records.groups.store import find_groups
from hubbub.records.users.model import UserDraft
from hubbub.records.users.store import find_users
from hubbub.storage.interface import Transaction


async def create_missing_users(tx: Transaction, details: Sequence[UserDraft], now: int) -> None:
    """Create the users that don't exist; the row of a refused one fails with "not found"."""
    if not details:
        return
    wanted = {draft.uid: draft for draft in details}
    stored = await find_users(tx, wanted)
    await create_users(tx, [draft for uid, draft in wanted.items() if uid not in stored], now)


async def create_missing_groups(tx: Transaction, details: Sequence[GroupDraft], now: int) -> None:
    """Create the groups that don't exist; the row of a refused one fails with "not found"."""
    if not details:
        return
    wanted = {draft.guid: draft for draft in details}
    stored = await find_groups(tx, wanted)
    missing = [draft for guid, draft in wanted.items() if guid not in stored]
    await create_groups(tx, missing, now, is_import=True)
