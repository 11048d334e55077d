"""Delete a conversation for all participants; its messages are erased in the background."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_conversation_id, access_conversation_to_clear
from hubbub.domain.access.groups import access_group_to_administer
from hubbub.domain.access.people import access_actor
from hubbub.domain.conversations.change import reset_for
from hubbub.domain.erasure.erase import (
    request_conversation_erasure,
    request_history_erasure,
    request_own_erasure,
)
from hubbub.domain.messages.delete import access_group_to_delete_messages, check_may_delete
from hubbub.domain.messages.erase import erase_belongings
from hubbub.outbox import lock_counters
from hubbub.records.conversations import store
from hubbub.records.conversations.events import ConversationDeleted
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey
from hubbub.records.erasure.model import ENDED
from hubbub.records.messages.model import MessageNoAccess
from hubbub.records.moderated.held import delete_held_of_conversation
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def delete_conversation(
    runtime: Runtime, app_id: str, actor: Actor, conversation_id: str, *, is_by_token: bool
) -> None:
    """Delete a conversation for all participants: with an API key, or as an admin of the group.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or may not
            delete conversations or messages.
        ConversationNotAccessible: the acting user takes part in no conversation with this id.
        MessageNoAccess: with an auth token users can't delete messages that others sent to them.
        NoAdminScope: with an auth token only admins delete the conversation of a group.
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
        await _delete(tx, conversation, actor, runtime.clock.now())

    await runtime.database.write(app_id, within)


async def _delete(tx: Transaction, conversation: Conversation, actor: Actor, now: int) -> None:
    """Delete a one-to-one conversation; empty that of a group, which goes on."""
    await erase_belongings(tx, await delete_held_of_conversation(tx, conversation.key))
    if conversation.kind == GROUP:
        await _empty_conversation(tx, conversation, actor, now)
        return
    await request_conversation_erasure(tx, conversation.number, now, ENDED)
    tx.announce(_deleted_event(conversation, actor, now))


async def _empty_conversation(
    tx: Transaction, conversation: Conversation, actor: Actor, now: int
) -> None:
    """Hide and erase all messages of a conversation so far; the conversation goes on."""
    await store.empty_conversation(tx, conversation)
    await request_history_erasure(tx, conversation.number, now)
    tx.announce(_deleted_event(conversation, actor, now))


def _deleted_event(conversation: Conversation, actor: Actor, now: int) -> ConversationDeleted:
    number, upto = conversation.number, conversation.last_id
    return ConversationDeleted(number, upto, now, actor.name, *conversation.key)


async def reset_with_messages(
    runtime: Runtime, app_id: str, actor: Actor, key: ConversationKey, *, is_by_token: bool
) -> Conversation:
    """Reset the acting user's conversation, and erase messages of it.

    With an API key all messages are erased, for all participants; with an auth token only those
    that the acting user sent.

    Raises:
        As `reset_conversation`.
        RoleForbids: the acting user's role may not delete messages.
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
        await _empty_conversation(tx, conversation, actor, now)
        return conversation

    return await runtime.database.write(app_id, within)
