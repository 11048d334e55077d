"""Action messages: entries in a conversation about actions on members or messages.

They store references only and are rendered when read, so they hold no deleted content.
"""

from dataclasses import dataclass

import msgspec

from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import ACTION, GROUP_MEMBER, Draft


class MemberAction(msgspec.Struct, frozen=True, omit_defaults=True):
    """A member action as it is stored: its name, and the uid of its target."""

    action: str
    on: str
    scope: str | None = None
    old_scope: str | None = None


class MessageAction(msgspec.Struct, frozen=True):
    """A message action as it is stored: its name, and the id of its target."""

    action: str
    on: int


@dataclass(frozen=True, slots=True)
class GroupAction:
    """A member action of the user `by` in a group."""

    guid: str
    by: str
    action: MemberAction


_encode = msgspec.json.Encoder().encode
_decode_member_action = msgspec.json.Decoder(MemberAction).decode
_decode_message_action = msgspec.json.Decoder(MessageAction).decode


def draft_action_message(done: GroupAction) -> Draft:
    """Return the draft of the action message about a member action."""
    return Draft(
        sender=done.by,
        receiver_type=GROUP,
        receiver=done.guid,
        category=ACTION,
        type=GROUP_MEMBER,
        data=_encode(done.action).decode(),
    )


def read_member_action(data: str) -> MemberAction:
    """Return the action in the data of an action message of type `groupMember`."""
    return _decode_member_action(data)


def read_message_action(data: str) -> MessageAction:
    """Return the action in the data of an action message of type `message`."""
    return _decode_message_action(data)
