"""Edit messages: properties of the data are replaced, the others stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import check_blocks
from hubbub.domain.access.sending import refuse_mime_types, refuse_stranger
from hubbub.domain.messages.change import (
    MessageChange,
    access_message_to_change,
    event_fields,
    store_action_message,
)
from hubbub.domain.messages.compose import MessageInput, compose, with_checked_data
from hubbub.domain.messages.review import Render, ReviewedAction, ReviewSubject, review
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.conversations.model import GROUP
from hubbub.records.friends.store import find_friends
from hubbub.records.members.store import find_members
from hubbub.records.mentions import store as mentions_store
from hubbub.records.mentions.model import ALL
from hubbub.records.messages import store
from hubbub.records.messages.events import MessageEdited
from hubbub.records.messages.model import (
    GIVEN_LATER,
    HAS_MENTIONS,
    Draft,
    Message,
    MessageActionNotAllowed,
    MessageView,
    erased_user,
)
from hubbub.records.users.model import encode_tags
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

EDITED = "edited"
_decode = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(frozen=True, slots=True)
class Edit:
    """The changes of a message; None for what stays."""

    data: Any = None
    tags: Sequence[str] | None = None
    is_whole: bool = False
    """Whether properties that `data` lacks are removed."""


async def edit_message(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, edit: Edit, *, render: Render
) -> MessageView:
    """Change the content of a message, and return the action message that announces it.

    `render` shows webhooks the message as it would be.

    Raises:
        BadInput: there is no change, or the result could not be sent.
        UidNotFound, FeatureRestricted, RoleForbids, MessageIdNotFound, ScopeForbids,
            MessageNotASender: the acting user may not edit it.
        RoleForbids, BlockedSender, BlockedReceiver: the two users may not write to each other.
        MessageActionNotAllowed: it is an action message, or is deleted.
        BlockedByWebhook, MessageNotChecked: a webhook refuses it, or has failed.
    """
    _check_edit(edit)
    reviewed = await _EditReview(runtime, app_id, actor, message_id, render).decide(edit)

    async def within(tx: Transaction) -> MessageView:
        await lock_counters(tx)
        found, draft = await _prepare(tx, actor, message_id, reviewed)
        action = await store_action_message(tx, found, EDITED, runtime.clock.now())
        await _store_edit(tx, found, draft, action.sent_at)
        tx.announce(MessageEdited(**event_fields(found, action)))
        return (await view_messages(tx, [action], actor.uid))[0]

    return await runtime.database.write(app_id, within)


@dataclass(slots=True)
class _EditReview:
    """An edit about which the webhooks are asked."""

    runtime: Runtime
    app_id: str
    actor: Actor
    message_id: int
    render: Render
    _draft: Draft | None = None
    """The message as it would be, when it was shown last."""

    async def decide(self, edit: Edit) -> Edit:
        """Return the edit as the webhooks have changed it."""
        return await review(
            self.runtime,
            self.app_id,
            edit,
            ReviewSubject(ReviewedAction.EDIT, self._show, self._change),
        )

    async def _show(self, edit: Edit) -> bytes:
        async def within(snapshot: Snapshot) -> MessageView:
            found, self._draft = await _prepare(snapshot, self.actor, self.message_id, edit)
            return await _preview(snapshot, found.message, self._draft)

        return self.render(await self.runtime.database.read(self.app_id, within, is_short=True))

    def _change(self, edit: Edit, data: Mapping[str, Any]) -> Edit:
        assert self._draft is not None
        changed = with_checked_data(self._draft, data)
        return replace(edit, data=_decode(changed.data), is_whole=True)


async def _prepare(
    snapshot: Snapshot, actor: Actor, message_id: int, edit: Edit
) -> tuple[MessageChange, Draft]:
    """Return a message that the actor may edit like this, and what it becomes."""
    found = await access_message_to_change(snapshot, actor, message_id, "editMessage")
    if found.message.deleted_at is not None:
        raise MessageActionNotAllowed(message_id)
    await _check_relation(snapshot, found)
    draft = _compose_edited(actor, found.message, edit)
    refusal = refuse_mime_types(found.person.rules, draft)
    if refusal is not None:
        raise refusal
    return found, draft


async def _preview(snapshot: Snapshot, message: Message, draft: Draft) -> MessageView:
    """Return a message as the app would see it after an edit."""
    edited = msgspec.structs.replace(message, data=draft.data, tags=encode_tags(draft.tags))
    [view] = await view_messages(snapshot, [edited])
    mentioned = await _find_mentioned(snapshot, message, draft)
    users = await find_users(snapshot, [uid for uid in mentioned if uid != ALL])
    return msgspec.structs.replace(
        view,
        mentions={
            uid: users.get(uid) or erased_user(uid) for uid in sorted(mentioned) if uid != ALL
        },
        mentions_all=ALL in mentioned,
    )


def _check_edit(edit: Edit) -> None:
    if edit.data is None and edit.tags is None:
        raise BadInput.field("data", "There is nothing to change: send data, tags, or both.")
    if edit.data is not None and not isinstance(edit.data, dict):
        raise BadInput.field("data", "The data must be an object.", code="ERR_INVALID_MESSAGE_DATA")


async def _check_relation(snapshot: Snapshot, found: MessageChange) -> None:
    """Check that an edit does not bring to a user what could not be sent to them.

    Raises:
        RoleForbids, SettingForbids: the editor may write to friends only, and the other user is
            no friend.
        BlockedSender, BlockedReceiver: one of the two has blocked the other.
    """
    if found.group is not None:
        return
    rules, pair = found.person.rules, (found.by, found.message.other_than(found.by))
    if rules.writes_to_friends_only and not await find_friends(snapshot, [pair]):
        raise refuse_stranger(rules)
    await check_blocks(snapshot, pair)


def _compose_edited(actor: Actor, message: Message, edit: Edit) -> Draft:
    """Return a draft of the edited message, checked as if it were sent."""
    kept = {} if edit.is_whole else _decode(message.data)
    return compose(
        actor,
        MessageInput(
            receiver=message.receiver,
            receiver_type=message.receiver_type,
            category=message.category,
            type=message.type,
            data={**kept, **(edit.data or {})},
            tags=message.tag_list if edit.tags is None else edit.tags,
        ),
    )


async def _store_edit(tx: Transaction, found: MessageChange, draft: Draft, at: int) -> None:
    message = found.message
    after = msgspec.structs.replace(
        message, tags=encode_tags(draft.tags), updated_at=at, edited_at=at, edited_by=found.by
    )
    if draft.data != message.data:
        has_mentions = await _store_mentions(tx, message, draft)
        after.data = draft.data
        after.traits = message.traits & GIVEN_LATER | draft.traits | has_mentions
    await store.update_message(tx, message, after, next_event_number(tx))


async def _store_mentions(tx: Transaction, message: Message, draft: Draft) -> int:
    """Replace the mentions of a message; return the trait that tells whether it has some."""
    mentioned = await _find_mentioned(tx, message, draft)
    if message.traits & HAS_MENTIONS:
        await mentions_store.delete_of_messages(tx, [message.id])
    await mentions_store.insert_mentions(tx, {message.id: mentioned}, next_event_number(tx))
    return HAS_MENTIONS if mentioned else 0


async def _find_mentioned(snapshot: Snapshot, message: Message, draft: Draft) -> list[str]:
    """Return the mentioned users who take part in the conversation, and `@all`."""
    if message.receiver_type != GROUP:
        return [uid for uid in draft.mentioned if uid in (message.sender, message.receiver)]
    pairs = [(message.conversation, uid) for uid in draft.mentioned if uid != ALL]
    members = await find_members(snapshot, pairs)
    return [uid for uid in draft.mentioned if uid == ALL or (message.conversation, uid) in members]
