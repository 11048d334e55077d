"""The door to conversations and messages: only those that the actor takes part in."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.conversations.model import possible_keys
from hubbub.domain.conversations.store import find_conversations, find_hidden_id, is_there
from hubbub.domain.messages.model import ConversationNotAccessible, Message, MessageIdNotFound
from hubbub.domain.messages.store import find_message
from hubbub.kernel.errors import BadInput
from hubbub.storage.interface import Snapshot


async def access_message(snapshot: Snapshot, actor: Actor, message_id: int) -> Message:
    """The message of that id, if the actor may see it.

    Raises:
        MessageIdNotFound: there is none, or it is hidden from the acting user.
    """
    message = await find_message(snapshot, message_id)
    if message is None:
        raise MessageIdNotFound(message_id)
    if actor.uid is None:
        if not await is_there(snapshot, message.conversation):
            raise MessageIdNotFound(message_id)
    else:
        hidden = await find_hidden_id(snapshot, message.conversation, actor.uid)
        if hidden is None or message.id <= hidden:
            raise MessageIdNotFound(message_id)
    return message


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
        if actor.uid is None or await find_hidden_id(snapshot, each.number, actor.uid) is not None
    ]
    if not numbers:
        raise ConversationNotAccessible(text)
    if len(numbers) > 1:
        raise BadInput.field(
            "conversationId",
            "Several conversations have this id; ask on behalf of a user, or by uid.",
        )
    return numbers[0]
