"""Edit messages: keys of the data are replaced, the others stay."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.sending import refuse_mime_types, stranger_to
from hubbub.domain.messages.change import (
    Changeable,
    access_message_to_change,
    facts_of,
    tell_of_change,
)
from hubbub.domain.messages.compose import Sending, compose
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.blocks.store import find_blocks
from hubbub.records.conversations.model import GROUP
from hubbub.records.friends.store import find_friends
from hubbub.records.members.store import find_members
from hubbub.records.mentions import store as mentions_store
from hubbub.records.mentions.model import ALL
from hubbub.records.messages import store
from hubbub.records.messages.events import MessageEdited
from hubbub.records.messages.model import Draft, Message, MessageActionNotAllowed, MessageView
from hubbub.records.messages.traits import GIVEN_LATER, HAS_MENTIONS
from hubbub.records.users.model import encode_tags
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

EDITED = "edited"
_decode = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to be other about a message; None is what was not given."""

    data: Any = None
    tags: Sequence[str] | None = None


async def edit_message(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, edit: Edit
) -> MessageView:
    """Change the content of a message; the action message that tells of it.

    Raises:
        BadInput: nothing is to change, or what would come of it could not be sent.
        UidNotFound, FeatureRestricted, RoleForbids, MessageIdNotFound, ScopeForbids,
            MessageNotASender: the acting user may not.
        RoleForbids, BlockedSender, BlockedReceiver: the two whom it is between are not on speaking
            terms.
        MessageActionNotAllowed: it tells of an action, or is deleted.
    """
    _check(edit)

    async def within(tx: Transaction) -> MessageView:
        await lock_counters(tx)
        found = await access_message_to_change(tx, actor, message_id, "editMessage")
        if found.message.deleted_at is not None:
            raise MessageActionNotAllowed(message_id)
        await _check_terms(tx, found)
        draft = _compose(actor, found.message, edit)
        refusal = refuse_mime_types(found.person.rules, draft)
        if refusal is not None:
            raise refusal
        action = await tell_of_change(tx, found, EDITED, runtime.clock.now())
        await _store(tx, found, draft, action.sent_at)
        tx.announce(MessageEdited(**facts_of(found, action)))
        return (await view_messages(tx, [action], actor.uid))[0]

    return await runtime.database.write(app_id, within)


def _check(edit: Edit) -> None:
    if edit.data is None and edit.tags is None:
        raise BadInput.field("data", "There is nothing to change: give data, tags, or both.")
    if edit.data is not None and not isinstance(edit.data, dict):
        raise BadInput.field("data", "The data must be an object.", code="ERR_INVALID_MESSAGE_DATA")


async def _check_terms(tx: Transaction, found: Changeable) -> None:
    """What could not be sent to somebody can't be brought to him by an edit.

    Raises:
        RoleForbids: whoever edits may write to friends only, and the other one is none.
        BlockedSender, BlockedReceiver: one has blocked the other.
    """
    if found.group is not None:
        return
    uid, other = found.by, found.message.other_than(found.by)
    if found.person.rules.writes_to_friends_only and not await find_friends(tx, [(uid, other)]):
        raise stranger_to(found.person.rules)
    blocks = await find_blocks(tx, [(other, uid), (uid, other)])
    if (other, uid) in blocks:
        raise BlockedSender(uid, other)
    if (uid, other) in blocks:
        raise BlockedReceiver(uid, other)


def _compose(actor: Actor, message: Message, edit: Edit) -> Draft:
    """The message as if it were sent as it is to be."""
    return compose(
        actor,
        Sending(
            receiver=message.receiver,
            receiver_type=message.receiver_type,
            category=message.category,
            type=message.type,
            data={**_decode(message.data), **(edit.data or {})},
            tags=message.tag_list if edit.tags is None else edit.tags,
        ),
    )


async def _store(tx: Transaction, found: Changeable, draft: Draft, at: int) -> None:
    message = found.message
    after = replace(
        message, tags=encode_tags(draft.tags), updated_at=at, edited_at=at, edited_by=found.by
    )
    if draft.data != message.data:
        has_mentions = await _mention_others(tx, message, draft)
        after.data = draft.data
        after.traits = message.traits & GIVEN_LATER | draft.traits | has_mentions
    await store.update_message(tx, message, after, next_event_number(tx))


async def _mention_others(tx: Transaction, message: Message, draft: Draft) -> int:
    """Store whom the message mentions now; the bit that says whether it does."""
    mentioned = await _mentioned(tx, message, draft)
    if message.traits & HAS_MENTIONS:
        await mentions_store.delete_of_messages(tx, [message.id])
    await mentions_store.insert_mentions(tx, {message.id: mentioned}, next_event_number(tx))
    return HAS_MENTIONS if mentioned else 0


async def _mentioned(tx: Transaction, message: Message, draft: Draft) -> list[str]:
    """Whom the message mentions now, of those whom it is for."""
    if message.receiver_type != GROUP:
        return [uid for uid in draft.mentioned if uid in (message.sender, message.receiver)]
    uids = [uid for uid in draft.mentioned if uid != ALL]
    members = await find_members(tx, [(message.conversation, uid) for uid in uids])
    return [uid for uid in draft.mentioned if uid == ALL or (message.conversation, uid) in members]
