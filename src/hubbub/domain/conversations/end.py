"""Delete a conversation for all who take part; what was said goes for good, in the background."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_conversation_id, access_conversation_to_clear
from hubbub.domain.access.groups import access_group_to_administer
from hubbub.domain.access.people import access_actor
from hubbub.domain.conversations.change import reset_for
from hubbub.domain.conversations.find import ConversationView, see_conversation
from hubbub.domain.erasure.erase import (
    request_conversation_erasure,
    request_history_erasure,
    request_own_erasure,
)
from hubbub.domain.messages.delete import access_group_to_delete_messages, check_may_delete
from hubbub.outbox import lock_counters
from hubbub.records.conversations import store
from hubbub.records.conversations.events import ConversationDeleted
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey, nobody_in
from hubbub.records.erasure.model import ENDED
from hubbub.records.messages.model import MessageNoAccess
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def get_by_id(
    runtime: Runtime, app_id: str, actor: Actor, conversation_id: str
) -> ConversationView:
    """The acting user's conversation that a wire id means.

    Raises:
        UidNotFound, FeatureRestricted: he does not exist, or his role may not.
        ConversationNotAccessible: it means none that he takes part in.
    """

    async def within(snapshot: Snapshot) -> ConversationView:
        person = await access_actor(snapshot, actor)
        number = await access_conversation_id(snapshot, actor, conversation_id)
        conversation = await store.find_by_number(snapshot, number)
        participant = nobody_in(conversation)
        if actor.uid is not None:
            pair = (number, actor.uid)
            participant = (await store.find_participants(snapshot, [pair]))[pair]
        return await see_conversation(snapshot, person, conversation, participant)

    return await runtime.database.read(app_id, within)


async def delete_conversation(
    runtime: Runtime, app_id: str, actor: Actor, conversation_id: str, *, is_by_token: bool
) -> None:
    """Delete a conversation for all: with an API key, or as an admin of the group.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or may not;
            deleting messages has to be open to him, too.
        ConversationNotAccessible: the id means none that he takes part in.
        MessageNoAccess: with an auth token nobody deletes what another one said to him.
        NoAdminScope: in a group only admins do.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        check_may_delete(person)
        number = await access_conversation_id(tx, actor, conversation_id)
        conversation = await store.find_by_number(tx, number)
        if conversation.kind == GROUP:
            guid = conversation.left_id
            await access_group_to_delete_messages(tx, person, guid, of_others=True)
        if is_by_token and conversation.kind == GROUP:
            await access_group_to_administer(tx, person, conversation.left_id)
        elif is_by_token:
            raise MessageNoAccess(conversation_id)
        await end_conversation(tx, conversation, runtime.clock.now())

    await runtime.database.write(app_id, within)


async def end_conversation(tx: Transaction, conversation: Conversation, now: int) -> None:
    """Let nobody find what was said in a conversation; a group's goes on from here."""
    if conversation.kind == GROUP:
        await _empty(tx, conversation, now)
        return
    await request_conversation_erasure(tx, conversation.number, now, ENDED)
    tx.announce(ConversationDeleted(conversation.number, conversation.last_id, now))


async def _empty(tx: Transaction, conversation: Conversation, now: int) -> None:
    """Let a conversation go on for all without what was said so far."""
    await store.empty_conversation(tx, conversation)
    await request_history_erasure(tx, conversation.number, now)
    tx.announce(ConversationDeleted(conversation.number, conversation.last_id, now))


async def reset_with_messages(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey, *, is_by_token: bool
) -> Conversation:
    """Reset the acting user's conversation, and delete messages of it for good.

    With an API key all of them go, for all; with an auth token only those that he sent.

    Raises:
        As `reset_conversation`.
        RoleForbids: he may delete no messages.
    """

    async def within(tx: Transaction) -> Conversation:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        check_may_delete(person)
        conversation, participant = await access_conversation_to_clear(tx, person, key)
        if conversation.kind == GROUP:
            guid = conversation.left_id
            await access_group_to_delete_messages(tx, person, guid, of_others=not is_by_token)
        now = runtime.clock.now()
        if is_by_token:
            await reset_for(tx, conversation, participant.uid, now)
            await request_own_erasure(tx, conversation.number, participant.uid, now)
            return conversation
        await _empty(tx, conversation, now)
        return conversation

    return await runtime.database.write(app_id, within)
