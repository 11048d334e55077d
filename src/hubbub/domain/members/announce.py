"""Tell of what became of a member: an action message in the group's conversation."""

from typing import TypedDict

from hubbub.domain.messages.batch import Batch
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import group_key
from hubbub.records.conversations.store import find_conversations
from hubbub.records.groups.model import Group
from hubbub.records.messages.actions import GroupAction, MemberAction, draft_action_message
from hubbub.records.messages.model import Message
from hubbub.storage.interface import Transaction


class Facts(TypedDict):
    """The fields that all events about members have."""

    guid: str
    conversation: int
    uid: str
    message: int
    shows: bool
    members_count: int
    at: int


async def tell(tx: Transaction, group: Group, by: str, what: MemberAction, now: int) -> Message:
    """Store the action message of a deed in `group`."""
    conversations = await find_conversations(tx, [group_key(group.guid)])
    sizes = {group.guid: group.members_count}
    batch = Batch(await lock_counters(tx), conversations, sizes, now)
    message = batch.add(draft_action_message(GroupAction(group.guid, by, what)))
    await batch.write(tx)
    return message


def facts_of(group: Group, uid: str, message: Message) -> Facts:
    """What every event about a member tells."""
    return {
        "guid": group.guid,
        "conversation": group.conversation,
        "uid": uid,
        "message": message.id,
        "shows": message.shows,
        "members_count": group.members_count,
        "at": message.sent_at,
    }
