"""Tag, pin and reset conversations."""

from collections.abc import Sequence

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_conversation, access_conversation_to_clear
from hubbub.domain.access.people import access_actor
from hubbub.domain.conversations.find import ConversationView, view_conversation
from hubbub.domain.receipts.announce import announce_receipts_of_all
from hubbub.outbox import lock_counters
from hubbub.records.conversations import store
from hubbub.records.conversations.events import ConversationReset, ConversationUpdated
from hubbub.records.conversations.model import (
    GROUP,
    Conversation,
    ConversationKey,
    PinnedByApp,
    TooManyPins,
    TooManySystemPins,
)
from hubbub.records.conversations.store import APP_PINS
from hubbub.records.settings.model import PINNED_CONVERSATIONS, settings_of
from hubbub.records.users.model import encode_tags
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def tag_conversation(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey, tags: Sequence[str]
) -> ConversationView:
    """Replace the acting user's tags of a conversation; other participants do not see them.

    Raises:
        UidNotFound, FeatureRestricted, GuidNotFound, BannedMember, GroupNotJoined,
            ConversationNotAccessible: there is no such conversation of the acting user.
    """

    async def within(tx: Transaction) -> ConversationView:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        conversation, participant = await access_conversation(tx, person, key)
        await store.store_tags(tx, conversation.number, participant.uid, tags)
        now = runtime.clock.now()
        tx.announce(ConversationUpdated(conversation.number, participant.uid, now))
        tagged = msgspec.structs.replace(participant, tags=encode_tags(tags))
        return await view_conversation(tx, person, conversation, tagged)

    return await runtime.database.write(app_id, within)


async def reset_conversation(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey
) -> Conversation:
    """Remove a conversation, with its messages so far, from the acting user's list.

    Other participants keep it. The next message brings it back, no longer pinned.

    Raises:
        UidNotFound, FeatureRestricted, GuidNotFound, BannedMember, GroupNotJoined,
            ConversationNotAccessible: there is no such conversation of the acting user.
    """

    async def within(tx: Transaction) -> Conversation:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        conversation, participant = await access_conversation_to_clear(tx, person, key)
        await reset_for(tx, conversation, participant.uid, runtime.clock.now())
        return conversation

    return await runtime.database.write(app_id, within)


async def reset_for(tx: Transaction, conversation: Conversation, uid: str, now: int) -> None:
    """Reset a conversation for a participant, and announce it.

    In a group this may advance the receipts of all members: the participant may have been the one
    furthest behind.
    """
    await store.reset_participant(tx, conversation, uid)
    tx.announce(ConversationReset(conversation.number, uid, conversation.last_id, now))
    if conversation.kind == GROUP:
        await announce_receipts_of_all(tx, [conversation.number], now)


async def pin_conversation(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey, *, is_pinned: bool
) -> ConversationView:
    """Pin a conversation, or unpin it: for the acting user, or, as the app, for everybody.

    Raises:
        UidNotFound, GuidNotFound, BannedMember, GroupNotJoined, ConversationNotAccessible: there
            is no such conversation of the acting user.
        PinnedByApp: the app has pinned it, which users can't change.
        TooManyPins, TooManySystemPins: the user's, or the app's, limit of pins is reached.
    """

    async def within(tx: Transaction) -> ConversationView:
        counters = await lock_counters(tx)
        person = await access_actor(tx, actor)
        access = access_conversation if is_pinned else access_conversation_to_clear
        conversation, participant = await access(tx, person, key)
        owner = actor.uid or APP_PINS
        pins = await store.find_pins(tx, conversation.number, [APP_PINS, owner])
        if APP_PINS in pins and owner != APP_PINS:
            raise PinnedByApp
        if is_pinned and owner not in pins:
            limit = settings_of(counters.settings).limit(PINNED_CONVERSATIONS)
            if await store.count_pins(tx, owner) >= limit:
                raise TooManyPins(limit) if owner else TooManySystemPins(limit)
        await _set_pin(tx, conversation.number, owner, runtime, is_pinned=is_pinned)
        return await view_conversation(tx, person, conversation, participant)

    return await runtime.database.write(app_id, within)


async def _set_pin(
    tx: Transaction, number: int, uid: str, runtime: Runtime, *, is_pinned: bool
) -> None:
    now = runtime.clock.now()
    if is_pinned:
        await store.insert_pin(tx, number, uid, now)
    else:
        await store.delete_pin(tx, number, uid)
    tx.announce(ConversationUpdated(number, uid, now))
