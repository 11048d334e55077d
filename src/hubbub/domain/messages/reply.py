"""Reply in the thread of a message."""

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import refuse_verb
from hubbub.domain.messages.compose import Sending, compose
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import Draft, Message, WrongThread
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def compose_reply(
    runtime: Runtime, app_id: str, actor: Actor, parent_id: int, sending: Sending
) -> Draft:
    """A message into the thread of another, in the same conversation, ready to be sent.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or his role
            may not.
        MessageIdNotFound: there is no such parent, or none that he may see.
        WrongThread: it names another receiver than that conversation has.
        BadInput: as for every message.
    """

    async def within(snapshot: Snapshot) -> Message:
        person = await access_actor(snapshot, actor)
        refusal = refuse_verb(person.rules, "sendMessage")
        if refusal is not None:
            raise refusal
        return await access_message(snapshot, person, parent_id)

    parent = await runtime.database.read(app_id, within)
    receiver = _other_than(actor.name, parent)
    given = (sending.receiver or receiver).lower()
    if (given, sending.receiver_type or parent.receiver_type) != (receiver, parent.receiver_type):
        raise WrongThread(parent_id)
    reply = msgspec.structs.replace(
        sending, receiver=receiver, receiver_type=parent.receiver_type, parent_id=parent_id
    )
    return compose(actor, reply)


def _other_than(uid: str, parent: Message) -> str:
    """To whom a reply goes: the group, or the other one of the two."""
    if parent.receiver_type == GROUP or parent.sender == uid:
        return parent.receiver
    return parent.sender
