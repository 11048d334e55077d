"""Change a message as an import says that it was changed since; nobody is told."""

from dataclasses import dataclass

import msgspec

from hubbub.kernel.errors import Conflict, Refusal
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.messages import store
from hubbub.records.messages.events import MessagesImported
from hubbub.records.messages.model import GIVEN_LATER, Draft, MessageIdNotFound
from hubbub.records.users.model import encode_tags
from hubbub.storage.interface import Transaction


class MessageElsewhere(Conflict):
    """The message with the muid was sent at another time, or in another conversation."""

    code = "ERR_IMPORT_DIFFERS"

    def __init__(self, muid: str) -> None:
        super().__init__(
            f"The message {muid} is stored with another sentAt, receiver, category or type,"
            " which can't be changed."
        )


@dataclass(frozen=True, slots=True)
class ImportedChange:
    """A message as it is now in the earlier system: what can change is its data and tags."""

    draft: Draft
    edited_at: int | None = None
    deleted_at: int | None = None


async def change_imported(tx: Transaction, change: ImportedChange, now: int) -> Refusal | None:
    """Store the data and tags of a message anew, and that it was edited or deleted."""
    await lock_counters(tx)
    draft = change.draft
    pair = draft.sender, draft.muid or ""
    before = (await store.find_by_muid(tx, [pair])).get(pair)
    if before is None or before.is_erased:
        return MessageIdNotFound(draft.muid or "")
    if _place(draft) != (before.key, before.category, before.type, before.sent_at):
        return MessageElsewhere(draft.muid or "")
    after = msgspec.structs.replace(
        before,
        data=draft.data if change.deleted_at is None else before.data,
        tags=encode_tags(draft.tags) if draft.tags else before.tags,
        traits=draft.traits | before.traits & GIVEN_LATER,
        edited_at=change.edited_at or before.edited_at,
        edited_by=before.sender if change.edited_at else before.edited_by,
        updated_at=max(before.updated_at, change.edited_at or 0, change.deleted_at or 0),
    )
    await store.update_message(tx, before, after, next_event_number(tx))
    if change.deleted_at is not None and before.deleted_at is None:
        await store.set_deleted(
            tx, before.id, by=before.sender, at=change.deleted_at, number=next_event_number(tx)
        )
    tx.announce(MessagesImported(before.id, before.id, now, has_changed=True))
    return None


def _place(draft: Draft) -> tuple[object, ...]:
    sent_at = draft.imported.sent_at if draft.imported else 0
    return draft.key, draft.category, draft.type, sent_at
