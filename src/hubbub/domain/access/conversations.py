"""The door to conversations and messages: only those that the actor takes part in."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_user
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import (
    GROUP,
    Conversation,
    ConversationKey,
    Participant,
    conversation_id,
    nobody_in,
    possible_keys,
)
from hubbub.records.conversations.store import find_conversations, find_hidden_id, find_participants
from hubbub.records.messages.model import ConversationNotAccessible, Message, MessageIdNotFound
from hubbub.records.messages.store import find_message
from hubbub.records.users.model import THE_APP, Person
from hubbub.storage.interface import Snapshot


async def access_message(snapshot: Snapshot, person: Person, message_id: int) -> Message:
    """The message of that id, if the person may see it.

    Raises:
        MessageIdNotFound: there is none, or it is hidden from him, or his role shows none of its
            kind and he has not sent it himself.
    """
    message = await find_message(snapshot, message_id)
    if message is None:
        raise MessageIdNotFound(message_id)
    uid = None if person is THE_APP else person.user.uid
    hidden = await find_hidden_id(snapshot, message.conversation, uid)
    if hidden is None or message.id <= hidden:
        raise MessageIdNotFound(message_id)
    if person is not THE_APP and not is_shown(message, person):
        raise MessageIdNotFound(message_id)
    return message


def is_shown(message: Message, person: Person) -> bool:
    """Whether the person's role shows such a message; what he has sent himself it does."""
    is_own = message.sender == person.user.uid
    return is_own or person.rules.shows_messages_of(message.category, message.type)


async def access_conversation_id(snapshot: Snapshot, actor: Actor, text: str) -> int:
    """The number of the conversation that a wire id means to the actor.

    Raises:
        ConversationNotAccessible: it means none that he takes part in.
        BadInput: it may mean several.
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
            "Several conversations have this id; ask on behalf of a user, or by uid.",
        )
    return numbers[0]


async def access_conversation(
    snapshot: Snapshot, person: Person, key: ConversationKey
) -> tuple[Conversation, Participant]:
    """The conversation of somebody with another one, or in a group, in which he sees anything.

    Raises:
        UidNotFound: the other one does not exist, or is deactivated.
        GuidNotFound, BannedMember, GroupNotJoined: he is no member.
        ConversationNotAccessible: nothing was said in it yet, or he has removed it.
    """
    other = other_of(key, person.user.uid)
    if other is not None:
        await access_user(snapshot, other)
    return await access_conversation_to_clear(snapshot, person, key)


async def access_conversation_to_clear(
    snapshot: Snapshot, person: Person, key: ConversationKey
) -> tuple[Conversation, Participant]:
    """The same, also with one who is deactivated: to take something away, as friends are removed.

    Raises:
        UidNotFound, GuidNotFound, BannedMember, GroupNotJoined, ConversationNotAccessible: as it.
    """
    uid = person.user.uid
    conversation = (await find_conversations(snapshot, [key])).get(key)
    participant = None
    if conversation is not None and person is THE_APP:
        participant = nobody_in(conversation)
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
    """The user with whom somebody speaks; None: he speaks in a group, or with the app itself."""
    kind, left, right = key
    other = left if right == uid else right
    return None if kind == GROUP or other == SYSTEM_UID else other


async def refuse_conversation(snapshot: Snapshot, person: Person, key: ConversationKey) -> None:
    """Say why somebody has no such conversation, where that is known.

    Raises:
        UidNotFound: the other one does not exist.
        GuidNotFound, BannedMember, GroupNotJoined: he is no member.
    """
    kind, left, _ = key
    if kind == GROUP:
        await access_group_to_take_part(snapshot, person, left)
    other = other_of(key, person.user.uid)
    if other is not None:
        await access_user(snapshot, other)
