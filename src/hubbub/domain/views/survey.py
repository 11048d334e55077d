"""What a set of messages refers to, found in one pass over them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import ACTION, GROUP_MEMBER, INTERACTIVE, MESSAGE, Message

Address = tuple[int, str, str, str]
"""The conversation of a message, its sender, the kind of its receiver, and the receiver."""


class Survey(msgspec.Struct, frozen=True):
    """What is to be looked up for some messages."""

    messages: Sequence[Message]
    traits: int
    """The traits that any of them has."""
    ids_by_address: Mapping[Address, Sequence[int]]
    interactive: Sequence[int]
    member_actions: Sequence[Message]

    def ids_with(self, trait: int) -> list[int]:
        """Return the ids of the messages with a trait."""
        if not self.traits & trait:
            return []
        return [message.id for message in self.messages if message.traits & trait]

    def names(self) -> tuple[set[str], set[str]]:
        """Return the uids and guids of the senders and receivers of the messages."""
        uids: set[str] = set()
        guids: set[str] = set()
        for _, sender, kind, receiver in self.ids_by_address:
            uids.add(sender)
            (guids if kind == GROUP else uids).add(receiver)
        return uids, guids


def survey_messages(messages: Sequence[Message]) -> Survey:
    """Return what messages refer to."""
    traits = 0
    ids_by_address: defaultdict[Address, list[int]] = defaultdict(list)
    others: list[Message] = []
    for each in messages:
        traits |= each.traits
        address = each.conversation, each.sender, each.receiver_type, each.receiver
        ids_by_address[address].append(each.id)
        if each.category != MESSAGE:
            others.append(each)
    interactive = [each.id for each in others if each.category == INTERACTIVE]
    member_actions = [
        each for each in others if each.category == ACTION and each.type == GROUP_MEMBER
    ]
    return Survey(messages, traits, ids_by_address, interactive, member_actions)
