"""Send messages with files: what is uploaded belongs to them from the same moment on."""

from collections.abc import Sequence
from typing import Any

import msgspec

from hubbub.domain.attachments.upload import Upload
from hubbub.domain.messages.compose import MessageInput
from hubbub.domain.messages.send import SEND, send_messages
from hubbub.kernel.errors import Refusal
from hubbub.records.attachments import store
from hubbub.records.attachments.model import NoMediaMessage, UploadTooSlow
from hubbub.records.messages.model import MEDIA_TYPES, MESSAGE, Draft, MessageView
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


def with_files(sending: MessageInput, upload: Upload | None) -> MessageInput:
    """The message with the uploaded files behind the attachments that it names itself.

    Raises:
        NoMediaMessage: it is of a kind that holds no files.
    """
    if upload is None or not upload.files:
        return sending
    if sending.category not in (None, MESSAGE):
        raise NoMediaMessage("category", f"Files go with the category {MESSAGE}.")
    if sending.type not in MEDIA_TYPES:
        raise NoMediaMessage("type", f"Files go with the types {', '.join(MEDIA_TYPES)}.")
    data: Any = {} if sending.data is None else sending.data
    named = data.get("attachments", []) if isinstance(data, dict) else None
    if not isinstance(named, list):
        return sending  # which is refused for what it is
    attachments = [*named, *(file.attachment() for file in upload.files)]
    return msgspec.structs.replace(sending, data={**data, "attachments": attachments})


async def send_draft(
    runtime: Runtime, app_id: str, draft: Draft, upload: Upload | None
) -> MessageView:
    """Send a draft with the uploaded files that it names, if there are some.

    Raises:
        UploadTooSlow: the files were removed before.
        Refusal: why it may not be sent.
    """
    if upload is None or not upload.files:
        return await SEND.call(runtime.batches, app_id, draft)
    [outcome] = await _send_with_files(runtime, upload, [draft])
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


async def send_drafts(
    runtime: Runtime, app_id: str, drafts: Sequence[Draft], upload: Upload | None
) -> list[MessageView | Refusal]:
    """Send drafts, each of which holds the uploaded files; one outcome each.

    Raises:
        UploadTooSlow: the files were removed before.
    """
    if upload is None or not upload.files:
        return await SEND.call_all(runtime.batches, app_id, drafts)
    return await _send_with_files(runtime, upload, drafts)


async def _send_with_files(
    runtime: Runtime, upload: Upload, drafts: Sequence[Draft]
) -> list[MessageView | Refusal]:
    """The messages and what they hold are one transaction, which is not shared with others."""
    now = runtime.clock.now()

    async def within(tx: Transaction) -> tuple[list[MessageView | Refusal], list[int]]:
        outcomes = await send_messages(tx, drafts, now)
        sent = [
            each.message.id
            for each in outcomes
            if isinstance(each, MessageView) and not each.is_repeated
        ]
        if sent and not await store.insert_files(tx, sent, upload.files, now):
            raise UploadTooSlow
        return outcomes, sent

    outcomes, sent = await runtime.database.write(upload.app_id, within)
    upload.is_held = bool(sent)
    return outcomes
