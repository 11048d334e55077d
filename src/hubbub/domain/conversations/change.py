"""Tag, pin, reset and delete conversations."""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_conversation, access_conversation_to_clear
from hubbub.domain.access.people import access_actor
from hubbub.domain.conversations.find import ConversationView, see_conversation
from hubbub.domain.receipts.everybody import tell_of_everybody
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
from hubbub.records.settings.model import PINNED_CONVERSATIONS, settings_of
from hubbub.records.users.model import encode_tags
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

THE_APP_S = ""
"""Whose pins all see."""


async def tag_conversation(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey, tags: Sequence[str]
) -> ConversationView:
    """Give the acting user's conversation other tags, which are his alone.

    Raises:
        UidNotFound, FeatureRestricted, GuidNotFound, BannedMember, GroupNotJoined,
        ConversationNotAccessible: it is none that he takes part in.
    """

    async def within(tx: Transaction) -> ConversationView:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        conversation, participant = await access_conversation(tx, person, key)
        await store.store_tags(tx, conversation.number, participant.uid, tags)
        now = runtime.clock.now()
        tx.announce(ConversationUpdated(conversation.number, participant.uid, now))
        tagged = replace(participant, tags=encode_tags(tags))
        return await see_conversation(tx, person, conversation, tagged)

    return await runtime.database.write(app_id, within)


async def reset_conversation(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey
) -> Conversation:
    """Remove a conversation from the acting user's list, with all that was said in it so far.

    The others keep it. It comes back with the next message, but is not pinned any more.

    Raises:
        UidNotFound, FeatureRestricted, GuidNotFound, BannedMember, GroupNotJoined,
        ConversationNotAccessible: it is none that he takes part in.
    """

    async def within(tx: Transaction) -> Conversation:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        conversation, participant = await access_conversation_to_clear(tx, person, key)
        await reset_for(tx, conversation, participant.uid, runtime.clock.now())
        return conversation

    return await runtime.database.write(app_id, within)


async def reset_for(tx: Transaction, conversation: Conversation, uid: str, now: int) -> None:
    """Reset a conversation for one who takes part, who may be the last to have had it."""
    await store.reset_participant(tx, conversation, uid)
    tx.announce(ConversationReset(conversation.number, uid, conversation.last_id, now))
    if conversation.kind == GROUP:
        await tell_of_everybody(tx, [conversation.number], now)


async def pin_conversation(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey, *, is_pinned: bool
) -> ConversationView:
    """Pin a conversation for the acting user, or, as the app, for all; or let it go.

    Raises:
        UidNotFound, GuidNotFound, BannedMember, GroupNotJoined, ConversationNotAccessible: it is
            none, or none that he takes part in.
        PinnedByApp: the app has pinned it, which users leave as it is.
        TooManyPins, TooManySystemPins: he, or the app, has pinned as many as may be.
    """

    async def within(tx: Transaction) -> ConversationView:
        numbers = await lock_counters(tx)
        person = await access_actor(tx, actor)
        access = access_conversation if is_pinned else access_conversation_to_clear
        conversation, participant = await access(tx, person, key)
        whose = actor.uid or THE_APP_S
        pins = await store.find_pins(tx, conversation.number, [THE_APP_S, whose])
        if THE_APP_S in pins and whose != THE_APP_S:
            raise PinnedByApp
        if is_pinned and whose not in pins:
            most = settings_of(numbers.settings).limit(PINNED_CONVERSATIONS)
            if await store.count_pins(tx, whose) >= most:
                raise TooManyPins(most) if whose else TooManySystemPins(most)
        await _set_pin(tx, conversation.number, whose, runtime, is_pinned=is_pinned)
        return await see_conversation(tx, person, conversation, participant)

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
