"""Send messages: the one function behind every way in, with lists of different length.

The app's counter row is held from the first statement on, so ids follow the order of commits; the
messages, their conversations and their events are one transaction.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hubbub.domain.conversations import store as conversations_store
from hubbub.domain.conversations.model import GROUP, Conversation, Key
from hubbub.domain.erasure.store import find_erased_senders
from hubbub.domain.groups import store as groups_store
from hubbub.domain.groups.model import (
    PRIVATE,
    BannedMember,
    Group,
    GroupNotJoined,
    GuidNotFound,
    Member,
)
from hubbub.domain.messages import store
from hubbub.domain.messages.events import MessageSent, MessagesImported
from hubbub.domain.messages.model import (
    GROUP_UPDATE_MEMBERS,
    Draft,
    Message,
    MessageIdNotFound,
    MuidAlreadyExists,
    Told,
    gone,
)
from hubbub.domain.users import store as users_store
from hubbub.domain.users.model import SYSTEM, UidNotFound, User, encode_tags
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import take_numbers
from hubbub.storage.interface import Numbers, Transaction


async def send_messages(tx: Transaction, drafts: Sequence[Draft], now: int) -> list[Told | Refusal]:
    """Store messages; one outcome each, and one refusal never undoes another.

    A live message whose muid the sender has used before is answered with the first one, an
    imported one is refused.
    """
    numbers = await take_numbers(tx)
    found = await _look_up(tx, drafts)
    sending = _Sending(numbers, found, now)
    outcomes = [sending.take(draft) for draft in drafts]
    await sending.write(tx)
    return outcomes


@dataclass(slots=True)
class _Found:
    """What the drafts name, as it is in the store."""

    users: dict[str, User]
    groups: dict[str, Group]
    members: dict[groups_store.Pair, Member]
    bans: set[groups_store.Pair]
    conversations: dict[Key, Conversation]
    by_muid: dict[store.SenderMuid, Message]


async def _look_up(tx: Transaction, drafts: Sequence[Draft]) -> _Found:
    by_muid = await _find_by_muid(tx, drafts)
    # A repeated muid may have gone to somebody else before.
    named: list[Draft | Message] = [*drafts, *by_muid.values()]
    uids = {each.sender for each in named}
    uids.update(each.receiver for each in named if each.receiver_type != GROUP)
    uids.discard(SYSTEM_UID)
    users = await users_store.find_users(tx, uids)
    groups = await groups_store.find_groups(
        tx, {each.receiver for each in named if each.receiver_type == GROUP}
    )
    pairs = [
        (draft.receiver, draft.sender)
        for draft in drafts
        if draft.receiver_type == GROUP and draft.past is None
    ]
    members = await groups_store.find_members(tx, pairs)
    strangers = [pair for pair in pairs if pair not in members and pair[1] != SYSTEM_UID]
    return _Found(
        users={**users, SYSTEM_UID: SYSTEM},
        groups=groups,
        members=members,
        bans=await groups_store.find_bans(tx, strangers),
        conversations=await conversations_store.find_conversations(
            tx, (draft.key for draft in drafts)
        ),
        by_muid=by_muid,
    )


async def _find_by_muid(
    tx: Transaction, drafts: Sequence[Draft]
) -> dict[store.SenderMuid, Message]:
    """The messages whose muids are repeated.

    What is left of somebody who was deleted for good is none: his uid may be another one's now.
    """
    found = await store.find_by_muid(tx, _muids(drafts))
    erased = await find_erased_senders(tx, {message.sender for message in found.values()})
    left = [message for message in found.values() if message.id <= erased.get(message.sender, 0)]
    if left:
        await store.free_muids(tx, [message.id for message in left])
    return {pair: message for pair, message in found.items() if message not in left}


def _muids(drafts: Sequence[Draft]) -> Iterator[store.SenderMuid]:
    return ((draft.sender, draft.muid) for draft in drafts if draft.muid is not None)


@dataclass(slots=True)
class _Sending:
    """The batch as it grows: messages made, conversations moved on, to be written at its end."""

    numbers: Numbers
    found: _Found
    now: int
    messages: list[Message] = field(default_factory=list)
    new_conversations: list[Conversation] = field(default_factory=list)
    touched: dict[int, Conversation] = field(default_factory=dict)
    own: Counter[tuple[int, str]] = field(default_factory=Counter)
    events: list[MessageSent] = field(default_factory=list)
    imported: list[int] = field(default_factory=list)

    def take(self, draft: Draft) -> Told | Refusal:
        """Make a draft's message, or say why not."""
        refusal = self._refusal(draft)
        if refusal is not None:
            return refusal
        earlier = self._earlier(draft)
        if earlier is not None:
            return self._repeat(draft, earlier)
        return self._told(draft, self._make(draft))

    def _refusal(self, draft: Draft) -> Refusal | None:
        sender = self.found.users.get(draft.sender)
        is_import = draft.past is not None
        if sender is None or not (sender.is_active or is_import):
            return UidNotFound(draft.sender)
        if draft.receiver_type == GROUP:
            return self._group_refusal(draft)
        receiver = self.found.users.get(draft.receiver)
        if receiver is None or receiver is SYSTEM or not (receiver.is_active or is_import):
            return UidNotFound(draft.receiver)
        return None

    def _group_refusal(self, draft: Draft) -> Refusal | None:
        group = self.found.groups.get(draft.receiver)
        if group is None:
            return GuidNotFound(draft.receiver)
        if draft.past is not None or draft.sender == SYSTEM_UID:
            return None
        pair = (draft.receiver, draft.sender)
        if pair in self.found.members:
            return None
        if group.type == PRIVATE:
            return GuidNotFound(draft.receiver)
        if pair in self.found.bans:
            return BannedMember(draft.sender, draft.receiver)
        return GroupNotJoined(draft.sender, draft.receiver)

    def _earlier(self, draft: Draft) -> Message | None:
        return self.found.by_muid.get((draft.sender, draft.muid)) if draft.muid else None

    def _repeat(self, draft: Draft, earlier: Message) -> Told | Refusal:
        if draft.past is not None:
            return MuidAlreadyExists(draft.muid or "")
        if earlier.is_erased:
            return MessageIdNotFound(earlier.id)
        return Told(earlier, *self._people(earlier), is_repeated=True)

    def _people(self, message: Message | Draft) -> tuple[User, User | Group]:
        sender, receiver = self.found.users[message.sender], message.receiver
        if message.receiver_type == GROUP:
            return sender, self.found.groups.get(receiver) or gone(receiver)
        return sender, self.found.users.get(receiver) or gone(receiver)

    def _told(self, draft: Draft, message: Message) -> Told:
        return Told(message, *self._people(draft))

    def _make(self, draft: Draft) -> Message:
        conversation = self._conversation(draft)
        numbers = self.numbers
        numbers.message += 1
        counts, shows = self._weight(draft)
        conversation.counted += counts
        sent_at = self._sent_at(draft, conversation)
        message = Message(
            id=numbers.message,
            conversation=conversation.number,
            muid=draft.muid,
            sender=draft.sender,
            receiver_type=draft.receiver_type,
            receiver=draft.receiver,
            category=draft.category,
            type=draft.type,
            parent_id=None,
            quoted_id=None,
            data=draft.data,
            tags=encode_tags(draft.tags) if draft.tags else "[]",
            options=draft.options,
            sent_at=sent_at,
            updated_at=sent_at,
            edited_at=None,
            edited_by=None,
            deleted_at=None,
            deleted_by=None,
            delivered_at=draft.past.delivered_at if draft.past else None,
            read_at=draft.past.read_at if draft.past else None,
            counts=counts,
            shows=shows,
            ordinal=conversation.counted,
            is_erased=False,
        )
        self._advance(conversation, message)
        self._record(draft, message)
        return message

    def _conversation(self, draft: Draft) -> Conversation:
        """The conversation of a draft; two people's is made with their first message."""
        conversation = self.found.conversations.get(draft.key)
        if conversation is None:
            self.numbers.conversation += 1
            created_at = draft.past.sent_at if draft.past else self.now
            conversation = Conversation(
                self.numbers.conversation, *draft.key, created_at, created_at, 0, 0, 0, 0, 0
            )
            self.found.conversations[draft.key] = conversation
            self.new_conversations.append(conversation)
        self.touched[conversation.number] = conversation
        return conversation

    def _weight(self, draft: Draft) -> tuple[bool, bool]:
        """Whether it counts as unread, and whether it may become the lastMessage."""
        group = self.found.groups.get(draft.receiver) if draft.receiver_type == GROUP else None
        is_silent = group is not None and group.members_count > GROUP_UPDATE_MEMBERS
        shows = draft.updates_conversation and not is_silent
        was_read = draft.past is not None and draft.past.read_at is not None
        return shows and not was_read, shows

    def _sent_at(self, draft: Draft, conversation: Conversation) -> int:
        """Live messages never go back in time, whatever the nodes' clocks say."""
        if draft.past is not None:
            return draft.past.sent_at
        sent_at = max(self.now, self.numbers.sent_at, conversation.newest_sent_at)
        self.numbers.sent_at = sent_at
        return sent_at

    def _advance(self, conversation: Conversation, message: Message) -> None:
        conversation.last_id = message.id
        conversation.newest_sent_at = max(conversation.newest_sent_at, message.sent_at)
        if message.shows and message.sent_at >= conversation.shown_at:
            conversation.shown_id = message.id
            conversation.shown_at = message.sent_at
            conversation.updated_at = max(conversation.updated_at, message.sent_at)

    def _record(self, draft: Draft, message: Message) -> None:
        self.messages.append(message)
        if draft.muid is not None:
            self.found.by_muid[draft.sender, draft.muid] = message
        if message.counts and message.sender != SYSTEM_UID:
            self.own[message.conversation, message.sender] += 1
        if draft.past is not None:
            self.imported.append(message.id)
            return
        self.events.append(
            MessageSent(
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
        )

    async def write(self, tx: Transaction) -> None:
        """Write the batch, one statement per table."""
        if not self.messages:
            return
        await conversations_store.insert_conversations(tx, self.new_conversations)
        await store.insert_messages(tx, self.messages)
        await conversations_store.advance_conversations(tx, self.touched.values())
        await conversations_store.add_own(tx, self.own)
        for event in self.events:
            tx.announce(event)
        if self.imported:
            tx.announce(MessagesImported(self.imported[0], self.imported[-1], self.now))
