"""Reply in the thread of a message."""

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import check_verb
from hubbub.domain.messages.compose import MessageInput, compose
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import Draft, Message, WrongThread
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def compose_reply(
    runtime: Runtime, app_id: str, actor: Actor, parent_id: int, message: MessageInput
) -> Draft:
    """Return a draft of a reply in the thread of a message, in its conversation.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or their role
            may not send messages.
        MessageIdNotFound: there is no such parent, or the acting user may not see it.
        WrongThread: the receiver is not that of the parent's conversation.
        BadInput: as for every message.
    """

    async def within(snapshot: Snapshot) -> Message:
        person = await access_actor(snapshot, actor)
        check_verb(person.rules, "sendMessage")
        return await access_message(snapshot, person, parent_id)

    parent = await runtime.database.read(app_id, within)
    is_to_group = parent.receiver_type == GROUP
    receiver = parent.receiver if is_to_group else parent.other_than(actor.name)
    given = (message.receiver or receiver).lower()
    if (given, message.receiver_type or parent.receiver_type) != (receiver, parent.receiver_type):
        raise WrongThread(parent_id)
    reply = msgspec.structs.replace(
        message, receiver=receiver, receiver_type=parent.receiver_type, parent_id=parent_id
    )
    return compose(actor, reply)
