"""Import messages, through the same function that sends live ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hubbub.domain.imports.details import create_missing_groups, create_missing_users
from hubbub.domain.imports.groups import GroupRow, hash_passwords, owners_of
from hubbub.domain.imports.outcome import OnConflict, Row, row_of
from hubbub.domain.messages.send import send_messages
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import Refusal
from hubbub.records.messages import store
from hubbub.records.messages.model import Draft, MessageView, MuidAlreadyExists
from hubbub.records.users.model import UserDraft
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message to be, and whom it names, should they not exist."""

    draft: Draft
    user_details: Sequence[UserDraft] = field(default=())
    group_details: GroupRow | None = None


async def import_messages(
    runtime: Runtime, app_id: str, rows: Sequence[MessageRow], on_conflict: OnConflict
) -> list[Row[MessageView]]:
    """Store messages with their past, ids in order of arrival; one row each, in order."""
    now = runtime.clock.now()
    users = [details for row in rows for details in row.user_details]
    group_rows = [row.group_details for row in rows if row.group_details is not None]
    groups = await hash_passwords(runtime, group_rows)

    async def within(tx: Transaction) -> list[Row[MessageView]]:
        await create_missing_users(tx, [*users, *owners_of(group_rows)], now)
        await create_missing_groups(tx, groups, now)
        drafts = [row.draft for row in rows]
        outcomes = await send_messages(tx, drafts, now)
        return [
            await _settle(tx, draft, outcome, on_conflict)
            for draft, outcome in zip(drafts, outcomes, strict=True)
        ]

    return await runtime.database.write(app_id, within)


async def _settle(
    tx: Transaction, draft: Draft, outcome: MessageView | Refusal, on_conflict: OnConflict
) -> Row[MessageView]:
    is_there = isinstance(outcome, MuidAlreadyExists)
    if not is_there or on_conflict is OnConflict.REFUSE:
        return row_of(outcome)
    pair = (draft.sender, draft.muid or "")
    present = await store.find_by_muid(tx, [pair])
    return Row((await view_messages(tx, [present[pair]]))[0], is_skipped=True)
