"""Hold messages that rules block: they get an id and a time, and wait for a review."""

from collections.abc import Sequence

import msgspec

from hubbub.domain.messages.compose import with_moderation
from hubbub.domain.messages.held import show_held
from hubbub.domain.messages.send import reserve_message
from hubbub.domain.moderation.decision import Decision
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters
from hubbub.records.attachments.model import UploadedFile, UploadTooSlow
from hubbub.records.attachments.store import insert_files
from hubbub.records.messages.model import Draft, MessageView
from hubbub.records.messages.store import find_message
from hubbub.records.moderated import store
from hubbub.records.moderated.events import ModerationEngineBlocked
from hubbub.records.moderated.held import find_held_by_muid, insert_held
from hubbub.records.moderated.model import HELD, PENDING, BlockingRule, HeldMessage, hold
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def hold_message(
    runtime: Runtime,
    app_id: str,
    draft: Draft,
    decision: Decision,
    files: Sequence[UploadedFile] = (),
    *,
    are_files_held: bool = False,
) -> MessageView | Refusal:
    """Hold a message, with its files, and return it as its sender sees it.

    If the sender has used the muid before, this is the earlier message. What may not be sent is
    not held: the refusal is that of sending it. `are_files_held` says that another message of the
    call holds the files.

    Raises:
        UploadTooSlow: the files are due for removal already.
    """
    now = runtime.clock.now()
    return await runtime.database.write(
        app_id,
        lambda tx: hold_draft(tx, draft, decision, now, files, are_files_held=are_files_held),
    )


async def hold_draft(
    tx: Transaction,
    draft: Draft,
    decision: Decision,
    now: int,
    files: Sequence[UploadedFile] = (),
    *,
    are_files_held: bool = False,
) -> MessageView | Refusal:
    """Hold a message as `hold_message` does, within a transaction.

    Raises:
        UploadTooSlow: the files are due for removal already.
    """
    await lock_counters(tx)
    if draft.muid is not None:
        earlier = await find_held_by_muid(tx, draft.sender, draft.muid)
        if earlier is not None:
            return await _show_again(tx, earlier)
    outcome = await reserve_message(tx, draft, now)
    if isinstance(outcome, Refusal) or outcome.is_repeated:
        return outcome
    message = outcome.message
    sent = msgspec.structs.replace(
        draft, receiver_type=message.receiver_type, receiver=message.receiver
    )
    held = hold(sent, _rules(decision), message_id=message.id, sent_at=message.sent_at)
    await insert_held(tx, held)
    await store.open_review(tx, HELD, message.id, now)
    if files and not await insert_files(tx, [message.id], files, now, are_held=are_files_held):
        raise UploadTooSlow
    tx.announce(
        ModerationEngineBlocked(
            message.id, draft.sender, message.receiver_type, message.receiver, now
        )
    )
    data = with_moderation(message.data, {"status": PENDING})
    return msgspec.structs.replace(outcome, message=msgspec.structs.replace(message, data=data))


async def _show_again(tx: Transaction, held: HeldMessage) -> MessageView:
    """Return the view of a message that was held before, or delivered since."""
    draft = held.read_draft()
    if draft is None:
        message = await find_message(tx, held.message)
        assert message is not None  # its row goes with the message
    else:
        message = show_held(held, draft, await store.find_review(tx, HELD, held.message))
    [view] = await view_messages(tx, [message], held.sender)
    return msgspec.structs.replace(view, is_repeated=True)


def _rules(decision: Decision) -> list[BlockingRule]:
    return [
        BlockingRule(
            each.rule_id,
            each.rule_name,
            each.revision_id,
            dict(each.condition),
            each.action,
            each.term,
        )
        for each in decision.matches
    ]
