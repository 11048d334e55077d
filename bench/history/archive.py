"""The conversations of a store full of messages: participants and sizes.

The same conversations each time, as far as the size allows; nothing is written here.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bench.crowd import FROM
from hubbub.records.conversations.model import (
    GROUP,
    USER,
    Conversation,
    ConversationKey,
    group_key,
    user_key,
)

VIEWER = "viewer"
OF_VIEWER = 2_000
"""The number of the viewer's conversations: half of them one-to-one, half of them groups."""
MESSAGES_OF_OTHERS = 200
"""There is one more conversation, of others, for each this many messages."""
PEOPLE_IN_GROUP = 5
LARGE_SHARE, SMALL_SHARE = 10, 1_000
"""Of this many messages, one is in a large conversation, or in a small one."""
LEAST_IN_SMALL = 400
FEW, MANY = 3, 300


@dataclass(frozen=True, slots=True)
class Size:
    """The number of messages, and the members of the largest group."""

    messages: int
    members: int

    @property
    def users(self) -> int:
        """Return the number of users: more than members, as some are deactivated."""
        return self.members + self.members // 20 + 2 * OF_VIEWER

    @property
    def large(self) -> int:
        """Return the approximate number of messages in a large conversation."""
        return self.messages // LARGE_SHARE

    @property
    def small(self) -> int:
        """Return the approximate number of messages in a small conversation."""
        return max(LEAST_IN_SMALL, self.messages // SMALL_SHARE)

    @property
    def rows(self) -> int:
        """Return the number of rows to write, for the progress bar."""
        return self.users + self.messages


@dataclass(slots=True)
class Talk:
    """A conversation and its participants."""

    conversation: Conversation
    people: Sequence[str]
    weight: float | None = None
    """Its approximate number of messages; None: a share of the rest."""

    @property
    def is_group(self) -> bool:
        return self.conversation.kind == GROUP

    @property
    def guid(self) -> str:
        return self.conversation.left_id

    @property
    def is_viewed(self) -> bool:
        """Return whether the viewer takes part."""
        return self.people[0] == VIEWER

    def receiver(self, sender: str) -> str:
        """Return the receiver of a message of the sender."""
        return self.conversation.other_than(sender)


@dataclass
class Archive:
    """An app full of messages; the viewer takes part in the large and small conversations."""

    app_id: str
    key: str
    size: Size
    large: Mapping[str, Talk]
    """One with another user, and one in a group, by the kind of the conversation."""
    small: Mapping[str, Talk]
    rooms: Sequence[Talk]
    """Groups with ever more members."""
    others: Sequence[Talk]
    held: Counter[tuple[str, int]] = field(default_factory=Counter)
    """The number of messages that contain a searched word, by word and conversation number."""

    @cached_property
    def talks(self) -> list[Talk]:
        """Return all conversations."""
        return [*self.large.values(), *self.small.values(), *self.rooms, *self.others]

    @cached_property
    def conversations(self) -> dict[ConversationKey, Conversation]:
        """Return all conversations by key."""
        return {talk.conversation.key: talk.conversation for talk in self.talks}

    @cached_property
    def members(self) -> dict[str, int]:
        """Return the number of members of each group."""
        return {talk.guid: len(talk.people) for talk in self.talks if talk.is_group}

    def count_holding(self, word: str, talks: Iterable[Talk]) -> int:
        """Return the number of messages in some conversations that contain a word."""
        return sum(self.held[word, talk.conversation.number] for talk in talks)


def plan(
    chance: random.Random,
    app_id: str,
    key: str,
    size: Size,
    uids: Sequence[str],
    known: Sequence[str],
) -> Archive:
    """Plan the conversations and their participants."""
    of_viewer = iter(_of_viewer(chance, uids, known))
    large = {USER: next(of_viewer), GROUP: next(of_viewer)}
    small = {USER: next(of_viewer), GROUP: next(of_viewer)}
    for talk in large.values():
        talk.weight = size.large
    for talk in small.values():
        talk.weight = size.small
    rooms = [
        _in_group(f"room-{count}", chance.sample(uids, count))
        for count in (FEW, MANY, size.members)
    ]
    others = [*of_viewer, *_of_others(chance, uids, size.messages // MESSAGES_OF_OTHERS)]
    return Archive(app_id, key, size, large, small, rooms, others)


def _of_viewer(chance: random.Random, uids: Sequence[str], known: Sequence[str]) -> Iterator[Talk]:
    """Yield conversations of the viewer: with one user and in a group, in turn."""
    for place, uid in enumerate(known):
        yield _with_one(VIEWER, uid)
        yield _in_group(f"own-{place}", [VIEWER, *chance.sample(uids, PEOPLE_IN_GROUP - 1)])


def _of_others(chance: random.Random, uids: Sequence[str], count: int) -> Iterator[Talk]:
    pairs = {tuple(sorted(chance.sample(uids, 2))) for _ in range(count // 2)}
    yield from (_with_one(one, other) for one, other in sorted(pairs))
    for place in range(count // 2):
        yield _in_group(f"group-{place}", chance.sample(uids, PEOPLE_IN_GROUP))


def _with_one(one: str, other: str) -> Talk:
    return Talk(_conversation(user_key(one, other)), (one, other))


def _in_group(guid: str, members: Sequence[str]) -> Talk:
    return Talk(_conversation(group_key(guid)), members)


def _conversation(key: ConversationKey) -> Conversation:
    """Return a conversation that is not stored yet, and so has no number."""
    return Conversation(0, *key, FROM, FROM, 0, 0, 0, 0, 0)
