"""Send messages: the one function behind every way in, with lists of different length.

The app's counter row is held from the first statement on, so ids follow the order of commits; the
messages, their conversations and their events are one transaction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hubbub.domain.access.sending import Grounds
from hubbub.domain.blocks.store import find_blocks
from hubbub.domain.conversations.model import GROUP
from hubbub.domain.conversations.store import find_conversations, is_there
from hubbub.domain.erasure.store import find_erased_senders
from hubbub.domain.friends.store import find_friends
from hubbub.domain.groups.model import Group
from hubbub.domain.groups.store import find_groups
from hubbub.domain.members.store import Pair, find_bans, find_members
from hubbub.domain.messages import store
from hubbub.domain.messages.batch import Batch
from hubbub.domain.messages.events import MessageSent, MessagesImported
from hubbub.domain.messages.model import (
    Draft,
    Message,
    MessageIdNotFound,
    MuidAlreadyExists,
    Told,
    gone,
)
from hubbub.domain.users.model import THE_APP, Person, User
from hubbub.domain.users.store import find_people
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import take_numbers
from hubbub.storage.interface import Transaction


async def send_messages(tx: Transaction, drafts: Sequence[Draft], now: int) -> list[Told | Refusal]:
    """Store messages; one outcome each, and one refusal never undoes another.

    A live message whose muid the sender has used before is answered with the first one, an
    imported one is refused.
    """
    numbers = await take_numbers(tx)
    by_muid = await _find_by_muid(tx, drafts)
    grounds = await _look_up(tx, [*drafts, *by_muid.values()])
    sizes = {guid: group.members_count for guid, group in grounds.groups.items()}
    conversations = await find_conversations(tx, (draft.key for draft in drafts))
    sending = _Sending(grounds, by_muid, Batch(numbers, conversations, sizes, now))
    outcomes = [sending.take(draft) for draft in drafts]
    await sending.batch.write(tx)
    for message in sending.live:
        tx.announce(_sent(message))
    if sending.imported:
        tx.announce(MessagesImported(sending.imported[0], sending.imported[-1], now))
    return outcomes


async def _look_up(tx: Transaction, named: Sequence[Draft | Message]) -> Grounds:
    """What drafts name; and earlier messages, as a repeated muid may have gone to somebody else."""
    uids = {each.sender for each in named}
    uids.update(each.receiver for each in named if each.receiver_type != GROUP)
    people = await find_people(tx, uids - {SYSTEM_UID})
    groups = await find_groups(tx, {each.receiver for each in named if each.receiver_type == GROUP})
    acting = [each for each in named if isinstance(each, Draft) and each.is_of_user]
    pairs = list(_member_pairs(acting, groups))
    members = await find_members(tx, pairs)
    to_users = [(each.sender, each.receiver) for each in acting if each.receiver_type != GROUP]
    return Grounds(
        people={**people, SYSTEM_UID: THE_APP},
        groups=groups,
        members=members,
        bans=await find_bans(tx, [pair for pair in pairs if pair not in members]),
        friends=await find_friends(tx, _bound_to_friends(to_users, people)),
        blocks=await find_blocks(
            tx, [pair for one, other in to_users for pair in ((one, other), (other, one))]
        ),
    )


def _member_pairs(acting: Sequence[Draft], groups: dict[str, Group]) -> Iterator[Pair]:
    for draft in acting:
        if draft.receiver_type == GROUP and draft.receiver in groups:
            yield groups[draft.receiver].conversation, draft.sender


def _bound_to_friends(
    pairs: Sequence[tuple[str, str]], people: dict[str, Person]
) -> list[tuple[str, str]]:
    """The pairs whose sender may write to friends only."""
    return [
        (sender, receiver)
        for sender, receiver in pairs
        if sender in people and people[sender].rules.writes_to_friends_only
    ]


async def _find_by_muid(
    tx: Transaction, drafts: Sequence[Draft]
) -> dict[store.SenderMuid, Message]:
    """The messages whose muids are repeated.

    What is left of somebody, or of a group, that was deleted for good is none: the id may be
    another one's now.
    """
    found = await store.find_by_muid(tx, _muids(drafts))
    erased = await find_erased_senders(tx, {message.sender for message in found.values()})
    left = [
        message
        for message in found.values()
        if message.id <= erased.get(message.sender, 0)
        or not await is_there(tx, message.conversation)
    ]
    if left:
        await store.free_muids(tx, [message.id for message in left])
    return {pair: message for pair, message in found.items() if message not in left}


def _muids(drafts: Sequence[Draft]) -> Iterator[store.SenderMuid]:
    return ((draft.sender, draft.muid) for draft in drafts if draft.muid is not None)


@dataclass(slots=True)
class _Sending:
    """The drafts of a call, decided one after the other."""

    grounds: Grounds
    by_muid: dict[store.SenderMuid, Message]
    batch: Batch
    live: list[Message] = field(default_factory=list)
    imported: list[int] = field(default_factory=list)

    def take(self, draft: Draft) -> Told | Refusal:
        """Make a draft's message, or say why not."""
        refusal = self.grounds.refuse(draft)
        if refusal is not None:
            return refusal
        earlier = self.by_muid.get((draft.sender, draft.muid)) if draft.muid else None
        if earlier is not None:
            return self._repeat(draft, earlier)
        message = self.batch.add(draft)
        if draft.muid is not None:
            self.by_muid[draft.sender, draft.muid] = message
        if draft.past is None:
            self.live.append(message)
        else:
            self.imported.append(message.id)
        return Told(message, *self._people(message))

    def _repeat(self, draft: Draft, earlier: Message) -> Told | Refusal:
        if draft.past is not None:
            return MuidAlreadyExists(draft.muid or "")
        if earlier.is_erased:
            return MessageIdNotFound(earlier.id)
        return Told(earlier, *self._people(earlier), is_repeated=True)

    def _people(self, message: Message) -> tuple[User, User | Group]:
        sender, receiver = self.grounds.people[message.sender].user, message.receiver
        if message.receiver_type == GROUP:
            return sender, self.grounds.groups.get(receiver) or gone(receiver)
        person = self.grounds.people.get(receiver)
        return sender, person.user if person else gone(receiver)


def _sent(message: Message) -> MessageSent:
    return MessageSent(
        message=message.id,
        conversation=message.conversation,
        sender=message.sender,
        receiver_type=message.receiver_type,
        receiver=message.receiver,
        counts=message.counts,
        shows=message.shows,
        counted=message.ordinal,
        at=message.sent_at,
    )
