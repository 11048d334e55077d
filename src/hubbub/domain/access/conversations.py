"""Access checks of conversations and messages: users reach only those that they take part in."""

from collections.abc import Sequence

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_user, uid_of
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import (
    GROUP,
    Conversation,
    ConversationKey,
    Participant,
    app_participant,
    conversation_id,
    possible_keys,
)
from hubbub.records.conversations.store import find_conversations, find_hidden_id, find_participants
from hubbub.records.messages.model import ConversationNotAccessible, Message, MessageIdNotFound
from hubbub.records.messages.store import find_message, find_messages
from hubbub.records.users.model import THE_APP, Person
from hubbub.storage.interface import Snapshot


async def access_message(snapshot: Snapshot, person: Person, message_id: int) -> Message:
    """Return a message that a person may see.

    Raises:
        MessageIdNotFound: there is no such message, it is hidden from the person, or their role
            may not list its kind and somebody else sent it.
    """
    message = await find_message(snapshot, message_id)
    if message is None:
        raise MessageIdNotFound(message_id)
    hidden = await find_hidden_id(snapshot, message.conversation, uid_of(person))
    if not _may_see(person, message, hidden):
        raise MessageIdNotFound(message_id)
    return message


async def find_seen(
    snapshot: Snapshot, person: Person, message_ids: Sequence[int]
) -> dict[int, Message]:
    """Return those of several messages that a person may see, by id and in the given order."""
    found = await find_messages(snapshot, message_ids)
    numbers = {message.conversation for message in found.values()}
    hidden = {each: await find_hidden_id(snapshot, each, uid_of(person)) for each in numbers}
    given = [found[id_] for id_ in message_ids if id_ in found]
    return {each.id: each for each in given if _may_see(person, each, hidden[each.conversation])}


def _may_see(person: Person, message: Message, hidden: int | None) -> bool:
    """Return whether a person sees a message; `hidden` is the id before their history."""
    return hidden is not None and message.id > hidden and is_shown(message, person)


def is_shown(message: Message, person: Person) -> bool:
    """Return whether a person's role may list this kind of message, or they sent it themselves."""
    is_own = message.sender == person.user.uid
    return is_own or person.rules.shows_messages_of(message.category, message.type)


async def access_conversation_id(snapshot: Snapshot, actor: Actor, text: str) -> int:
    """Return the number of the conversation that has this wire id for the actor.

    Raises:
        ConversationNotAccessible: the actor takes part in no conversation with this id.
        BadInput: several conversations have this id.
    """
    found = (await find_conversations(snapshot, possible_keys(text.lower()))).values()
    numbers = [
        each.number
        for each in found
        if await find_hidden_id(snapshot, each.number, actor.uid) is not None
    ]
    if not numbers:
        raise ConversationNotAccessible(text)
    if len(numbers) > 1:
        raise BadInput.field(
            "conversationId",
            "Several conversations have this id. Send onBehalfOf, or name the other user by uid.",
        )
    return numbers[0]


async def access_conversation(
    snapshot: Snapshot, person: Person, key: ConversationKey
) -> tuple[Conversation, Participant]:
    """Return a person's conversation with a user or in a group, and their participant record.

    Raises:
        UidNotFound: the other user does not exist, or is deactivated.
        GuidNotFound, BannedMember, GroupNotJoined: the person is not a member of the group.
        ConversationNotAccessible: it has no message that the person may see.
    """
    other = other_of(key, person.user.uid)
    if other is not None:
        await access_user(snapshot, other)
    return await access_conversation_to_clear(snapshot, person, key)


async def access_conversation_to_clear(
    snapshot: Snapshot, person: Person, key: ConversationKey
) -> tuple[Conversation, Participant]:
    """Return the same as `access_conversation`, also if the other user is deactivated.

    Removing something must be possible then, as it is for friends.

    Raises:
        UidNotFound: the other user does not exist.
        GuidNotFound, BannedMember, GroupNotJoined, ConversationNotAccessible: as there.
    """
    uid = person.user.uid
    conversation = (await find_conversations(snapshot, [key])).get(key)
    participant = None
    if conversation is not None and person is THE_APP:
        participant = app_participant(conversation)
    elif conversation is not None:
        pair = (conversation.number, uid)
        participant = (await find_participants(snapshot, [pair])).get(pair)
    if conversation is None or participant is None:
        await refuse_conversation(snapshot, person, key)
        raise ConversationNotAccessible(conversation_id(key))
    if conversation.last_id <= participant.hidden_id:
        raise ConversationNotAccessible(conversation_id(key))
    return conversation, participant


def other_of(key: ConversationKey, uid: str) -> str | None:
    """Return the other user of a conversation; None in a group, or if that is the app itself."""
    kind, left, right = key
    other = left if right == uid else right
    return None if kind == GROUP or other == SYSTEM_UID else other


async def refuse_conversation(snapshot: Snapshot, person: Person, key: ConversationKey) -> None:
    """Raise the reason why a person has no such conversation, if there is one.

    Raises:
        UidNotFound: the other user does not exist, or is deactivated.
        GuidNotFound, BannedMember, GroupNotJoined: the person is not a member of the group.
    """
    kind, left, _ = key
    if kind == GROUP:
        await access_group_to_take_part(snapshot, person, left)
    other = other_of(key, person.user.uid)
    if other is not None:
        await access_user(snapshot, other)
