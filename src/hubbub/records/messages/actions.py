"""Action messages: what was done in a group, told in its conversation.

They hold references only, and are rendered when read: what is deleted is found nowhere in them.
"""

from dataclasses import dataclass

import msgspec

from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import ACTION, GROUP_MEMBER, Draft


class MemberAction(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a member, as it is stored: the action's name and whom it befell."""

    action: str
    on: str
    scope: str | None = None
    old_scope: str | None = None


class MessageAction(msgspec.Struct, frozen=True):
    """What was done to a message, as it is stored: the action's name, and the message's id."""

    action: str
    on: int


@dataclass(frozen=True, slots=True)
class Deed:
    """A member action in a group, by somebody."""

    guid: str
    by: str
    what: MemberAction


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(MemberAction).decode


def draft_of(deed: Deed) -> Draft:
    """The action message that tells of a deed."""
    return Draft(
        sender=deed.by,
        receiver_type=GROUP,
        receiver=deed.guid,
        category=ACTION,
        type=GROUP_MEMBER,
        data=_encode(deed.what).decode(),
    )


_decode_message_action = msgspec.json.Decoder(MessageAction).decode


def read_message_action(data: str) -> MessageAction:
    """What an action message of type message tells."""
    return _decode_message_action(data)


def read_member_action(data: str) -> MemberAction:
    """What an action message of type groupMember tells."""
    return _decode(data)
