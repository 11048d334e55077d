"""Import messages, with the function that sends live ones."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from hubbub.domain.attachments.upload import Upload
from hubbub.domain.imports.groups import ImportedGroup, hash_passwords, owners_of
from hubbub.domain.imports.outcome import ImportOutcome, OnConflict
from hubbub.domain.imports.parts import import_in_parts
from hubbub.domain.messages.send import send_messages
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import Refusal
from hubbub.records.attachments.model import UploadTooSlow
from hubbub.records.attachments.store import insert_files
from hubbub.records.conversations.model import USER
from hubbub.records.messages import store
from hubbub.records.messages.model import (
    Brought,
    Draft,
    MessageView,
    MuidAlreadyExists,
    MuidReference,
)
from hubbub.records.users.model import UserDraft
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


class ImportedMessage(msgspec.Struct, frozen=True):
    """A message to store, and the users and the group of it that are to be created."""

    draft: Draft
    user_details: Sequence[UserDraft] = ()
    group_details: ImportedGroup | None = None
    upload: Upload | None = None
    """The files of its attachments, if they were fetched."""


async def import_messages(
    runtime: Runtime, app_id: str, rows: Sequence[ImportedMessage], on_conflict: OnConflict
) -> list[ImportOutcome[MessageView]]:
    """Store messages with their past, ids in order of arrival; one outcome each, in order.

    A message may refer by muid to an earlier one of these, or to one that is stored.
    """
    now = runtime.clock.now()
    users = [details for row in rows for details in row.user_details]
    group_rows = [row.group_details for row in rows if row.group_details is not None]
    groups = await hash_passwords(runtime, app_id, group_rows)
    has_brought = any(_brought_by(row.draft) for row in rows)
    has_files = any(row.upload for row in rows)
    if has_brought:
        senders = {row.draft.muid: row.draft.sender for row in rows}
        rows = [replace(row, draft=_with_senders(row.draft, senders)) for row in rows]

    async def store_rows(
        some: Sequence[ImportedMessage], tx: Transaction
    ) -> list[ImportOutcome[MessageView]]:
        drafts = [row.draft for row in some]
        outcomes = await send_messages(tx, drafts, now)
        if has_brought:
            outcomes = await _show_brought(tx, outcomes, drafts)
        if has_files:
            await _hold_files(tx, some, outcomes, now)
        return [
            await _find_stored(tx, draft)
            if isinstance(outcome, MuidAlreadyExists) and on_conflict is not OnConflict.REFUSE
            else ImportOutcome.of(outcome)
            for draft, outcome in zip(drafts, outcomes, strict=True)
        ]

    # Users, groups and files are created with several statements, and what a message brings along
    # is read.
    is_optimistic = not (users or group_rows or has_brought or has_files)
    return await import_in_parts(
        runtime,
        app_id,
        rows,
        store_rows,
        now=now,
        users=[*users, *owners_of(group_rows)],
        groups=groups,
        is_optimistic=is_optimistic,
    )


def _brought_by(draft: Draft) -> Brought | None:
    return draft.imported.brought if draft.imported is not None else None


def _with_senders(draft: Draft, senders: Mapping[str | None, str]) -> Draft:
    """Return a draft whose references name the possible senders of the other messages.

    Without a sender, that is the sender of the row with the muid, or else one who takes part.
    """
    past, brought = draft.imported, _brought_by(draft)
    if past is None or brought is None:
        return draft

    def complete(reference: MuidReference | None) -> MuidReference | None:
        if reference is None or reference.senders:
            return reference
        is_to_user = draft.receiver_type == USER
        known = (draft.sender, draft.receiver) if is_to_user else (draft.sender,)
        if reference.muid in senders:
            known = (senders[reference.muid], *known)
        return MuidReference(reference.muid, known)

    completed = replace(brought, parent=complete(brought.parent), quoted=complete(brought.quoted))
    return replace(draft, imported=replace(past, brought=completed))


async def _show_brought(
    tx: Transaction, outcomes: Sequence[MessageView | Refusal], drafts: Sequence[Draft]
) -> list[MessageView | Refusal]:
    """Return outcomes whose views show what messages brought along, now that it is stored."""
    stored = [
        outcome.message
        for outcome, draft in zip(outcomes, drafts, strict=True)
        if isinstance(outcome, MessageView) and _brought_by(draft)
    ]
    views = {view.message.id: view for view in await view_messages(tx, stored)}
    return [
        views.get(each.message.id, each) if isinstance(each, MessageView) else each
        for each in outcomes
    ]


async def _hold_files(
    tx: Transaction,
    rows: Sequence[ImportedMessage],
    outcomes: Sequence[MessageView | Refusal],
    now: int,
) -> None:
    """Store which new messages hold which fetched files.

    Raises:
        UploadTooSlow: the files are due for removal already.
    """
    for row, outcome in zip(rows, outcomes, strict=True):
        if row.upload is not None and not isinstance(outcome, Refusal):
            await hold_files(tx, outcome.message.id, row.upload, now)


async def hold_files(tx: Transaction, message_id: int, upload: Upload, now: int) -> None:
    """Store that a message holds the files of an upload.

    Raises:
        UploadTooSlow: the files are due for removal already.
    """
    if not upload.files:
        return
    if not await insert_files(tx, [message_id], upload.files, now):
        raise UploadTooSlow
    upload.is_held = True


async def _find_stored(tx: Transaction, draft: Draft) -> ImportOutcome[MessageView]:
    """Return the outcome of a row that is skipped: the message that its sender's muid has."""
    pair = (draft.sender, draft.muid or "")
    stored = await store.find_by_muid(tx, [pair])
    view = (await view_messages(tx, [stored[pair]]))[0]
    return ImportOutcome(replace(view, is_repeated=True), is_skipped=True)
