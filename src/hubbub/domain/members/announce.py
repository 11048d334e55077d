"""Announce changes of members: an action message in the group, and the fields of the event."""

from typing import TypedDict

from hubbub.domain.messages.batch import store_draft
from hubbub.records.groups.model import Group
from hubbub.records.messages.actions import GroupAction, MemberAction, draft_action_message
from hubbub.records.messages.model import Message
from hubbub.storage.interface import Transaction


class MemberEventFields(TypedDict):
    """The fields of all events about members."""

    guid: str
    conversation: int
    uid: str
    message: int
    shows: bool
    members_count: int
    at: int


async def post_member_action(
    tx: Transaction, group: Group, by: str, action: MemberAction, now: int
) -> Message:
    """Store the action message of a change in a group; return it."""
    draft = draft_action_message(GroupAction(group.guid, by, action))
    return await store_draft(tx, draft, group, now)


def member_event_fields(group: Group, uid: str, message: Message) -> MemberEventFields:
    """Return the fields of an event about a member."""
    return {
        "guid": group.guid,
        "conversation": group.conversation,
        "uid": uid,
        "message": message.id,
        "shows": message.shows,
        "members_count": group.members_count,
        "at": message.sent_at,
    }
