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
from hubbub.domain.messages.compose import (
    GROWN,
    MessageInput,
    compose,
    compose_grown,
    with_checked_data,
    with_grown,
)
from hubbub.domain.messages.mention import find_mentioned, store_mentions
from hubbub.domain.messages.poll import change_poll
from hubbub.domain.messages.review import Render, ReviewedAction, ReviewSubject, review
from hubbub.domain.messages.ruled import KEPT_BACK, flagging_rules, refuse, show_passed
from hubbub.domain.moderation.decision import Decision, Occasion, Ruling
from hubbub.domain.moderation.engine import announce_failed
from hubbub.domain.moderation.judge import judge
from hubbub.domain.moderation.load import find_rules
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.friends.store import find_friends
from hubbub.records.growing.model import MessageGrowing, text_too_long
from hubbub.records.history.model import version_of
from hubbub.records.history.store import insert_version
from hubbub.records.mentions.model import ALL
from hubbub.records.messages import store
from hubbub.records.messages.events import MessageEdited
from hubbub.records.messages.model import (
    GIVEN_LATER,
    IS_GROWING,
    LARGEST_DATA_BYTES,
    Draft,
    Message,
    MessageActionNotAllowed,
    MessageView,
    erased_user,
)
from hubbub.records.moderated.model import flag_by_rule
from hubbub.records.moderated.store import store_flags
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
        MessageGrowing: it still grows.
        PollHasVotes, PollIsClosed: it is a poll, whose options stay as they are.
        BlockedByWebhook, MessageNotChecked: a webhook refuses it, or has failed.
        BlockedByRule: a rule of the app would block or refuse such a message.
    """
    _check_edit(edit)
    reviewed = await _EditReview(runtime, app_id, actor, message_id, render).decide(edit)
    reviewed, decision = await _judge_edit(runtime, app_id, actor, message_id, reviewed)

    async def within(tx: Transaction) -> MessageView:
        counters = await lock_counters(tx)
        found, draft = await _prepare(tx, actor, message_id, reviewed)
        action = await store_action_message(tx, found, EDITED, runtime.clock.now())
        if decision is not None:
            draft = msgspec.structs.replace(draft, data=show_passed(draft.data, decision))
            await store_flags(
                tx,
                [
                    flag_by_rule(message_id, rule, counters.event, action.sent_at)
                    for rule in flagging_rules(decision)
                ],
            )
        await _store_edit(tx, found, draft, action.sent_at)
        tx.announce(MessageEdited(**event_fields(found, action)))
        if decision is not None and decision.failed is not None:
            tx.announce(decision.failed)
        return (await view_messages(tx, [action], actor.uid))[0]

    return await runtime.database.write(app_id, within)


async def _judge_edit(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, edit: Edit
) -> tuple[Edit, Decision | None]:
    """Return an edit as rules let it pass, and what they decide; None if none is asked.

    Raises:
        BlockedByRule: they would block or refuse such a message.
        Refusal: the actor may not make this edit.
    """
    if actor.is_app or not (await find_rules(runtime, app_id)).rules:
        return edit, None

    async def within(snapshot: Snapshot) -> Draft:
        return (await _prepare(snapshot, actor, message_id, edit))[1]

    draft = await runtime.database.read(app_id, within, is_short=True)
    decision = await judge(runtime, app_id, draft, Occasion.EDIT)
    if decision is None:
        return edit, None
    if decision.outcome in KEPT_BACK:
        await announce_failed(runtime, app_id, decision)
        raise refuse(decision)
    if decision.outcome is Ruling.MASK and decision.data is not None:
        try:
            masked = with_checked_data(draft, decision.data)
        except BadInput:  # with stars it is no valid message any more
            await announce_failed(runtime, app_id, decision)
            raise refuse(decision) from None
        edit = replace(edit, data=_decode(masked.data), is_whole=True)
    return edit, decision


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
    if found.message.traits & IS_GROWING:
        raise MessageGrowing(message_id)
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
    mentioned = await find_mentioned(snapshot, message, draft)
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
    stored = _decode(message.data) if not edit.is_whole or GROWN in message.data else {}
    kept = {} if edit.is_whole else stored
    if "grown" in stored:
        return _compose_grown(message, {**kept, **(edit.data or {})}, stored, edit.tags)
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


def _compose_grown(
    message: Message, data: Mapping[str, Any], stored: Mapping[str, Any], tags: Sequence[str] | None
) -> Draft:
    """Return a draft of an edited message that has grown: its text may be as long as it was."""
    draft = compose_grown(message, data)
    text, before = data.get("text", ""), stored.get("text", "")
    if text == "":
        raise BadInput.field("data.text", "The text is empty.", code="ERR_EMPTY_MESSAGE_TEXT")
    size, limit = len(text.encode()), max(len(before.encode()), LARGEST_DATA_BYTES)
    if size > limit:
        raise text_too_long("data.text", size, limit)
    return msgspec.structs.replace(
        draft,
        data=with_grown(draft.data, stored["grown"]),
        tags=tuple(dict.fromkeys(message.tag_list if tags is None else tags)),
    )


async def _store_edit(tx: Transaction, found: MessageChange, draft: Draft, at: int) -> None:
    message = found.message
    after = msgspec.structs.replace(
        message, tags=encode_tags(draft.tags), updated_at=at, edited_at=at, edited_by=found.by
    )
    if draft.data != message.data:
        if draft.poll is not None:
            await change_poll(tx, message, draft, at)
        has_mentions = await store_mentions(tx, message, draft)
        after.data = draft.data
        after.traits = message.traits & GIVEN_LATER | draft.traits | has_mentions
    number = next_event_number(tx)
    await insert_version(tx, version_of(message, number))
    await store.update_message(tx, message, after, number)
