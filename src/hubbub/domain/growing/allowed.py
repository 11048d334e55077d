"""Check that the senders of messages that grow may still send there."""

from collections.abc import Sequence

from hubbub.domain.messages.look_up import find_context
from hubbub.kernel.errors import Refusal
from hubbub.records.conversations.store import find_conversations
from hubbub.records.messages.model import Draft, Message
from hubbub.records.messages.store import find_messages
from hubbub.storage.interface import Snapshot

SEND = "createMessage"
"""The feature that a user needs to send, and to append."""


async def find_refused(
    snapshot: Snapshot, growing: Sequence[tuple[Message, bool]]
) -> dict[int, Refusal]:
    """Return why messages could not be sent now, by the ids of those that could not.

    With each message is given whether the rights of its sender apply.
    """
    if not growing:
        return {}
    drafts = [_draft_of(message, is_of_user=is_of_user) for message, is_of_user in growing]
    parents = await find_messages(snapshot, [id_ for each in drafts for id_ in each.references])
    conversations = await find_conversations(snapshot, [each.key for each in drafts])
    context = await find_context(snapshot, drafts, conversations, parents)
    refused: dict[int, Refusal] = {}
    for (message, _), draft in zip(growing, drafts, strict=True):
        refusal = context.refuse(draft)
        if refusal is not None:
            refused[message.id] = refusal
    return refused


def _draft_of(message: Message, *, is_of_user: bool) -> Draft:
    return Draft(
        sender=message.sender,
        receiver_type=message.receiver_type,
        receiver=message.receiver,
        category=message.category,
        type=message.type,
        data="{}",
        parent_id=message.parent_id,
        features=(SEND,) if is_of_user else (),
        within=message.within,
    )
