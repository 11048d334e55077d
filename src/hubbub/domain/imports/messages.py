"""Import messages, with the function that sends live ones."""

from collections.abc import Sequence

import msgspec

from hubbub.domain.imports.details import create_missing_groups, create_missing_users
from hubbub.domain.imports.groups import ImportedGroup, hash_passwords, owners_of
from hubbub.domain.imports.outcome import ImportOutcome, OnConflict
from hubbub.domain.messages.send import send_messages
from hubbub.domain.views.messages import view_messages
from hubbub.records.messages import store
from hubbub.records.messages.model import Draft, MessageView, MuidAlreadyExists
from hubbub.records.users.model import UserDraft
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


class ImportedMessage(msgspec.Struct, frozen=True):
    """A message to store, and the users and the group of it that are to be created."""

    draft: Draft
    user_details: Sequence[UserDraft] = ()
    group_details: ImportedGroup | None = None


async def import_messages(
    runtime: Runtime, app_id: str, rows: Sequence[ImportedMessage], on_conflict: OnConflict
) -> list[ImportOutcome[MessageView]]:
    """Store messages with their past, ids in order of arrival; one outcome each, in order."""
    now = runtime.clock.now()
    users = [details for row in rows for details in row.user_details]
    group_rows = [row.group_details for row in rows if row.group_details is not None]
    groups = await hash_passwords(runtime, group_rows)

    async def within(tx: Transaction) -> list[ImportOutcome[MessageView]]:
        await create_missing_users(tx, [*users, *owners_of(group_rows)], now)
        await create_missing_groups(tx, groups, now)
        drafts = [row.draft for row in rows]
        outcomes = await send_messages(tx, drafts, now)
        return [
            await _find_stored(tx, draft)
            if isinstance(outcome, MuidAlreadyExists) and on_conflict is not OnConflict.REFUSE
            else ImportOutcome.of(outcome)
            for draft, outcome in zip(drafts, outcomes, strict=True)
        ]

    # Users and groups are created with several statements.
    is_optimistic = not (users or group_rows)
    return await runtime.database.write(app_id, within, is_optimistic=is_optimistic)


async def _find_stored(tx: Transaction, draft: Draft) -> ImportOutcome[MessageView]:
    """Return the outcome of a row that is skipped: the message that its sender's muid has."""
    pair = (draft.sender, draft.muid or "")
    stored = await store.find_by_muid(tx, [pair])
    view = (await view_messages(tx, [stored[pair]]))[0]
    return ImportOutcome(msgspec.structs.replace(view, is_repeated=True), is_skipped=True)
