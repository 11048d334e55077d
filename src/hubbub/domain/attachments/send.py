"""Send drafts, with the files of their request or without any.

Messages and files are stored in the same transaction.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from hubbub.domain.attachments.upload import Upload
from hubbub.domain.messages.compose import MessageInput
from hubbub.domain.messages.review import Render, review_drafts
from hubbub.domain.messages.send import SEND, send_messages
from hubbub.domain.moderated.apply import Judged, judge_draft
from hubbub.domain.moderated.hold import hold_message
from hubbub.domain.moderated.penalize import penalize
from hubbub.domain.moderation.engine import announce_failed
from hubbub.kernel.errors import Refusal
from hubbub.records.attachments import store
from hubbub.records.attachments.model import NoMediaMessage, UploadTooSlow, check_media
from hubbub.records.messages.model import MEDIA_TYPES, MESSAGE, Draft, MessageView
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

JUDGED_AT_ONCE = 10
"""Of messages to several receivers: a custom engine may take its time for each."""


def with_files(sending: MessageInput, upload: Upload | None) -> MessageInput:
    """Return the message with the uploaded files after the attachments in its data.

    Raises:
        NoMediaMessage: messages of its category or type can't hold files.
    """
    if upload is None or not upload.files:
        return sending
    if sending.category not in (None, MESSAGE):
        raise NoMediaMessage("category", f"Files can be sent only with the category {MESSAGE}.")
    if sending.type not in MEDIA_TYPES:
        raise NoMediaMessage(
            "type", f"Files can be sent only with the types {', '.join(MEDIA_TYPES)}."
        )
    data: Any = {} if sending.data is None else sending.data
    given = data.get("attachments", []) if isinstance(data, dict) else None
    if not isinstance(given, list):
        return sending  # refused later, when its data is checked
    attachments = [*given, *(file.attachment() for file in upload.files)]
    return msgspec.structs.replace(sending, data={**data, "attachments": attachments})


async def send_draft(
    runtime: Runtime, app_id: str, draft: Draft, upload: Upload | None, render: Render
) -> MessageView:
    """Send a draft with its uploaded files, if there are any; `render` shows it to webhooks.

    Raises:
        UploadTooSlow: the files are due for removal already.
        WrongMedia: the content of a file is plainly not of the message's type.
        Refusal: the message may not be sent.
    """
    _check_files(draft, upload)
    [reviewed] = await review_drafts(runtime, app_id, [draft], render)
    if isinstance(reviewed, Refusal):
        raise reviewed
    judged = await judge_draft(runtime, app_id, reviewed)
    outcome = await _send_judged(runtime, app_id, judged, upload)
    if judged.decision is not None:
        await _follow_up(runtime, app_id, judged, outcome)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


async def _send_judged(
    runtime: Runtime, app_id: str, judged: Judged, upload: Upload | None
) -> MessageView | Refusal:
    """Send a draft that rules let pass, or hold it, if they do not refuse it."""
    if judged.refusal is not None:
        return judged.refusal
    if judged.is_held:
        return await _hold(runtime, app_id, judged, upload)
    draft = judged.draft
    if draft.growing is not None:
        growing = msgspec.structs.replace(draft.growing, owner=runtime.node)
        draft = msgspec.structs.replace(draft, growing=growing)
    if upload is None or not upload.files:
        return await SEND.call(runtime.batches, app_id, draft)
    [outcome] = await _send_with_files(runtime, upload, [draft])
    return outcome


async def _hold(
    runtime: Runtime, app_id: str, judged: Judged, upload: Upload | None
) -> MessageView | Refusal:
    assert judged.decision is not None
    if upload is None or not upload.files:
        return await hold_message(runtime, app_id, judged.draft, judged.decision)
    outcome = await hold_message(
        runtime,
        app_id,
        judged.draft,
        judged.decision,
        upload.files,
        are_files_held=upload.is_held,
    )
    if isinstance(outcome, MessageView) and not outcome.is_repeated:
        upload.is_held = True
    return outcome


async def _follow_up(
    runtime: Runtime, app_id: str, judged: Judged, outcome: MessageView | Refusal
) -> None:
    """Announce that the engine failed; carry out penalties, unless nothing could be sent anyway."""
    await announce_failed(runtime, app_id, judged.decision)
    is_sent = isinstance(outcome, MessageView) and not outcome.is_repeated
    if is_sent or judged.refusal is not None:
        await penalize(runtime, app_id, judged.draft, judged.decision)


async def send_drafts(
    runtime: Runtime, app_id: str, drafts: Sequence[Draft], upload: Upload | None, render: Render
) -> list[MessageView | Refusal]:
    """Send drafts that all hold the uploaded files; one outcome each.

    Raises:
        UploadTooSlow: the files are due for removal already.
        WrongMedia: the content of a file is plainly not of the message's type.
    """
    _check_files(drafts[0], upload)
    reviewed = await review_drafts(runtime, app_id, drafts, render)
    judged: list[Judged] = []
    for first in range(0, len(drafts), JUDGED_AT_ONCE):
        some = zip(drafts[first:], reviewed[first : first + JUDGED_AT_ONCE], strict=False)
        judged += await asyncio.gather(*(_judge(runtime, app_id, *each) for each in some))
    passed = [each.draft for each in judged if each.refusal is None and not each.is_held]
    sent = iter(await _send_all(runtime, app_id, passed, upload) if passed else [])
    outcomes = [
        each.refusal or (await _hold(runtime, app_id, each, upload) if each.is_held else next(sent))
        for each in judged
    ]
    for each, outcome in zip(judged, outcomes, strict=True):
        if each.decision is not None:
            await _follow_up(runtime, app_id, each, outcome)
    return outcomes


async def _judge(runtime: Runtime, app_id: str, draft: Draft, reviewed: Draft | Refusal) -> Judged:
    if isinstance(reviewed, Refusal):
        return Judged(draft, refusal=reviewed)
    return await judge_draft(runtime, app_id, reviewed)


async def _send_all(
    runtime: Runtime, app_id: str, drafts: Sequence[Draft], upload: Upload | None
) -> list[MessageView | Refusal]:
    if upload is None or not upload.files:
        return await SEND.call_all(runtime.batches, app_id, drafts)
    return await _send_with_files(runtime, upload, drafts)


def _check_files(draft: Draft, upload: Upload | None) -> None:
    if upload is not None and upload.files:
        check_media(draft.type, upload.files)


async def _send_with_files(
    runtime: Runtime, upload: Upload, drafts: Sequence[Draft]
) -> list[MessageView | Refusal]:
    """Store messages and their files in one transaction, not batched with other sends."""
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
