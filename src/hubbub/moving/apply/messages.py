"""Store the lines of messages, reactions and receipts."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.imports.change import ImportedChange, change_imported
from hubbub.domain.imports.messages import hold_files
from hubbub.domain.imports.reactions import AlreadyReacted, ImportedReaction, import_reactions
from hubbub.domain.imports.reads import ImportedRead, import_reads
from hubbub.domain.imports.times import check_sent_at, check_time
from hubbub.domain.messages.compose import MessageInput, check_kind, compose, with_grown
from hubbub.domain.messages.send import send_messages
from hubbub.http.decoding.decode import convert_body
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.text import SYSTEM_UID, normalise_id
from hubbub.moving.apply.files import Files, with_stored_files
from hubbub.moving.apply.outcome import (
    IMPORTED,
    SKIPPED,
    Conflicts,
    LineOutcome,
    refused,
    settle,
)
from hubbub.moving.compare import key_of
from hubbub.moving.lines import (
    GROWN,
    ActionOnMember,
    MessageLine,
    PlainLine,
    ReactionLine,
    ReceiptLine,
)
from hubbub.moving.plain import draft_of_plain, message_line
from hubbub.moving.stored.messages import find_messages
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.actions import MemberAction
from hubbub.records.messages.model import (
    ACTION,
    GROUP_MEMBER,
    MESSAGE,
    TEXT,
    Brought,
    Draft,
    ImportedPast,
    MessageView,
    MuidAlreadyExists,
    MuidReference,
)
from hubbub.storage.interface import Transaction

NO_DATA = "{}"
_encode = msgspec.json.Encoder().encode


async def apply_messages(
    tx: Transaction,
    lines: Sequence[MessageLine | PlainLine],
    conflicts: Conflicts,
    now: int,
    files: Files,
) -> list[LineOutcome]:
    """Store messages with their files; return an outcome for each."""
    drafts: dict[int, Draft] = {}
    faults: dict[int, Refusal] = {}
    for place, line in enumerate(lines):
        if files.stored and key_of(line) in files.stored:
            faults[place] = MuidAlreadyExists(line.muid)
            continue
        try:
            drafts[place] = (
                draft_of_plain(line, now) if isinstance(line, PlainLine) else draft_of(line, now)
            )
        except BadInput as fault:
            faults[place] = fault
    sent = iter(await send_messages(tx, list(drafts.values()), now))
    outcomes = [faults[place] if place in faults else next(sent) for place in range(len(lines))]
    for line, outcome in zip(lines, outcomes, strict=True):
        upload = files.uploads.get(key_of(line)) if files.uploads else None
        if upload is not None and isinstance(outcome, MessageView):
            await hold_files(tx, outcome.message.id, upload, now)
    if not any(isinstance(outcome, MuidAlreadyExists) for outcome in outcomes):
        return [
            refused(outcome) if isinstance(outcome, Refusal) else IMPORTED for outcome in outcomes
        ]
    whole = [message_line(line) if isinstance(line, PlainLine) else line for line in lines]
    return await settle(
        tx,
        whole,
        outcomes,
        conflicts,
        exists=(MuidAlreadyExists,),
        find=find_messages,
        update=partial(_update_message, files),
        now=now,
    )


def draft_of(line: MessageLine, now: int) -> Draft:
    """Return the draft of a message with its past.

    Raises:
        BadInput: the message is not valid.
    """
    past = _past(line, now)
    if line.category == ACTION:
        return _plain_draft(line, past, line.message_type or "", _action_of(line))
    if line.deleted_at is not None and not line.data:
        _, type_ = check_kind(line.category, line.message_type)
        return _plain_draft(line, past, type_, NO_DATA)
    grown = _grown_of(line)
    sending = MessageInput(
        receiver=line.receiver,
        receiver_type=line.receiver_type,
        category=line.category,
        type=line.message_type,
        data=line.data,
        tags=line.tags or (),
        muid=line.muid,
        update_conversation=line.update_conversation,
        conversation_text=line.conversation_text,
        has_grown=grown is not None,
    )
    draft = compose(Actor(None if line.sender == SYSTEM_UID else line.sender), sending, past)
    return draft if grown is None else replace(draft, data=with_grown(draft.data, grown))


def _plain_draft(line: MessageLine, past: ImportedPast, type_: str, data: str) -> Draft:
    """Return the draft of a message that no client can send."""
    return Draft(
        sender=line.sender,
        receiver_type=line.receiver_type,
        receiver=normalise_id(line.receiver, "receiver"),
        category=line.category or MESSAGE,
        type=type_,
        data=data,
        tags=tuple(line.tags or ()),
        muid=line.muid,
        imported=past,
    )


def _action_of(line: MessageLine) -> str:
    """Return the data of an action message as it is stored.

    Raises:
        BadInput: it is none on a member of a group.
    """
    if (line.message_type, line.receiver_type) != (GROUP_MEMBER, GROUP):
        raise BadInput.field(
            "messageType",
            f"A message of the category {ACTION} is of the type {GROUP_MEMBER} and to a group.",
        )
    given = convert_body(line.data, ActionOnMember, [], "data.")
    done = MemberAction(given.action, given.on.lower(), given.scope, given.old_scope)
    return _encode(done).decode()


class _Grown(msgspec.Struct):
    """How a message grew."""

    status: Literal["done", "failed"]
    appends: Annotated[int, Meta(ge=0)]


def _grown_of(line: MessageLine) -> dict[str, object] | None:
    """Return how a text message grew, as it is stored; None if it did not.

    Raises:
        BadInput: the field is not valid.
    """
    is_text = (line.category, line.message_type) == (MESSAGE, TEXT)
    if not is_text or not isinstance(line.data, dict) or GROWN not in line.data:
        return None
    found: dict[str, object] = msgspec.to_builtins(
        convert_body(line.data[GROWN], _Grown, [], f"data.{GROWN}.")
    )
    return found


def _past(line: MessageLine, now: int) -> ImportedPast:
    check_sent_at(line.sent_at, now)
    later = {"editedAt": line.edited_at, "deletedAt": line.deleted_at, "pinnedAt": line.pinned_at}
    for name, at in later.items():
        check_time(name, at, sent_at=line.sent_at, now=now)
    return ImportedPast(line.sent_at, line.delivered_at, line.read_at, _brought(line))


def _brought(line: MessageLine) -> Brought | None:
    brought = Brought(
        edited_at=line.edited_at,
        deleted_at=line.deleted_at,
        pinned_at=line.pinned_at,
        parent=_reference(line.parent_muid, line.parent_sender),
        quoted=_reference(line.quoted_muid, line.quoted_sender),
        refers_to_deleted=line.parent_muid is not None or line.quoted_muid is not None,
    )
    return None if brought == NOTHING_BROUGHT else brought


NOTHING_BROUGHT = Brought()


def _reference(muid: str | None, sender: str | None) -> MuidReference | None:
    return MuidReference(muid, (sender,)) if muid is not None and sender is not None else None


async def _update_message(
    files: Files, tx: Transaction, line: MessageLine, now: int
) -> Refusal | None:
    stored = files.stored.get(key_of(line))
    if stored is not None:
        line = with_stored_files(line, stored)
    try:
        draft = draft_of(line, now)
    except BadInput as fault:
        return fault
    change = ImportedChange(draft, line.edited_at, line.deleted_at)
    return await change_imported(tx, change, now)


async def apply_reactions(
    tx: Transaction, lines: Sequence[ReactionLine], conflicts: Conflicts, now: int
) -> list[LineOutcome]:
    """Store reactions; return an outcome for each."""
    given = [
        ImportedReaction(line.muid, line.sender, line.uid, line.reaction, line.at) for line in lines
    ]
    outcomes = await import_reactions(tx, given, now)
    is_strict = conflicts is Conflicts.ERROR
    return [
        SKIPPED
        if isinstance(outcome, AlreadyReacted) and not is_strict
        else refused(outcome)
        if isinstance(outcome, Refusal)
        else IMPORTED
        for outcome in outcomes
    ]


async def apply_receipts(
    tx: Transaction, lines: Sequence[ReceiptLine], conflicts: Conflicts, now: int
) -> list[LineOutcome]:
    """Store how far people have read; return an outcome for each.

    Whoever has read further is left there.
    """
    given = [
        ImportedRead(
            line.receiver_type, line.receiver, line.uid, line.read_up_to, line.sender, line.at
        )
        for line in lines
    ]
    outcomes = await import_reads(tx, given, now)
    return [
        refused(outcome) if isinstance(outcome, Refusal) else IMPORTED if outcome else SKIPPED
        for outcome in outcomes
    ]
