"""A batch of messages: it assigns ids and advances conversations, and writes all at its end.

The caller has checked that each draft may be sent, and holds the app's counter row, so that ids
follow the order of commits.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hubbub.kernel.clock import MOST_IMPORTED_AHEAD_SECONDS, believe
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters
from hubbub.records.conversations import store as conversations_store
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey
from hubbub.records.groups.model import Group
from hubbub.records.messages import store
from hubbub.records.messages.model import ACTION, GROUP_MEMBER, Draft, Message
from hubbub.records.settings.model import (
    GROUP_UPDATE_MEMBERS,
    THREADS_UPDATE_ON_MESSAGE_ACTIONS,
    UPDATE_ON_GROUP_ACTIONS,
    UPDATE_ON_MESSAGE_ACTIONS,
    UPDATE_ON_REPLIES,
    AppSettings,
    settings_of,
)
from hubbub.records.users.model import encode_tags
from hubbub.storage.counters import Counters
from hubbub.storage.interface import Transaction


@dataclass(slots=True)
class Batch:
    """Messages that are stored together, with one statement per table."""

    counters: Counters
    conversations: dict[ConversationKey, Conversation]
    """The existing conversations of the drafts; new one-to-one conversations are added."""
    sizes: Mapping[str, int]
    """The number of members of each of the drafts' groups."""
    now: int
    settings: AppSettings = field(init=False)
    """The app's settings, which are read with its counters."""
    messages: list[Message] = field(default_factory=list)
    _latest: int = field(init=False)
    """The last time of a conversation that is believed: imports may have brought some ahead."""
    _new: dict[int, Conversation] = field(default_factory=dict)
    _touched: dict[int, Conversation] = field(default_factory=dict)
    _own: Counter[tuple[int, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.settings = settings_of(self.counters.settings)
        self._latest = self.now + MOST_IMPORTED_AHEAD_SECONDS
        self.counters.sent_at = believe(self.counters.sent_at, self.now)

    def add(self, draft: Draft) -> Message:
        """Add a draft to the batch, and return its message."""
        conversation = self.conversation_of(draft)
        self.counters.message += 1
        counts, shows = self.counts_and_shows(draft)
        conversation.counted += counts
        message = make_message(draft, self.counters.message, self._sent_at(draft, conversation))
        message.conversation = conversation.number
        message.counts, message.shows, message.ordinal = counts, shows, conversation.counted
        self._advance(conversation, message, is_imported=draft.imported is not None)
        self.messages.append(message)
        if counts and message.sender != SYSTEM_UID:
            if conversation.kind == GROUP:
                self._own[conversation.number, message.sender] += 1
            else:
                conversation.count_own(message.sender)
        return message

    async def write(self, tx: Transaction) -> None:
        """Write the batch."""
        if not self.messages:
            return
        await conversations_store.advance_conversations(tx, self._touched.values())
        await conversations_store.add_own(tx, self._own)
        await conversations_store.insert_conversations(tx, list(self._new.values()))
        await store.insert_messages(tx, self.messages)

    def conversation_of(self, draft: Draft) -> Conversation:
        """Return the conversation of a draft; a one-to-one's first message creates it."""
        conversation = self.conversations.get(draft.key)
        if conversation is None:
            self.counters.conversation += 1
            created_at = draft.imported.sent_at if draft.imported else self.now
            conversation = Conversation(
                self.counters.conversation, *draft.key, created_at, created_at, 0, 0, 0, 0, 0
            )
            self.conversations[draft.key] = conversation
            self._new[conversation.number] = conversation
        elif conversation.number not in self._new:
            self._touched[conversation.number] = conversation
        return conversation

    def counts_and_shows(self, draft: Draft) -> tuple[bool, bool]:
        """Return whether a draft counts as unread, and whether it may become the lastMessage."""
        if draft.receiver_type == GROUP:
            most = self.settings.limit(GROUP_UPDATE_MEMBERS)
            if self.sizes.get(draft.receiver, 0) > most:
                return False, False
        if draft.category == ACTION:
            return False, self.settings.is_on(_action_setting(draft))
        if draft.parent_id is not None:
            return False, draft.updates_conversation and self.settings.is_on(UPDATE_ON_REPLIES)
        was_read = draft.imported is not None and draft.imported.read_at is not None
        return draft.updates_conversation and not was_read, draft.updates_conversation

    def _sent_at(self, draft: Draft, conversation: Conversation) -> int:
        """Return the time of a draft; live messages never go back in time, even if clocks do.

        Except after times that are not believed: one moment of a wrong clock must not last.
        """
        if draft.imported is not None:
            return draft.imported.sent_at
        newest = conversation.newest_sent_at
        before = max(self.counters.sent_at, self.now)
        self.counters.sent_at = max(before, newest if newest <= self._latest else 0)
        return self.counters.sent_at

    def _advance(self, conversation: Conversation, message: Message, *, is_imported: bool) -> None:
        """Note in a conversation that a message was added to it."""
        conversation.last_id = message.id
        if is_imported or message.sent_at < conversation.newest_sent_at:
            conversation.imported_id = message.id  # ids and times are not in the same order
        # What is known is not later, or lies so far ahead that it is not believed.
        if not message.sent_at < conversation.newest_sent_at <= self._latest:
            conversation.newest_sent_at = message.sent_at
        if message.shows and not message.sent_at < conversation.shown_at <= self._latest:
            conversation.shown_id = message.id
            conversation.shown_at = message.sent_at
            if not message.sent_at < conversation.updated_at <= self._latest:
                conversation.updated_at = message.sent_at


def make_message(draft: Draft, message_id: int, sent_at: int) -> Message:
    """Return the message of a draft, in no conversation yet."""
    return Message(
        id=message_id,
        conversation=0,
        muid=draft.muid,
        sender=draft.sender,
        receiver_type=draft.receiver_type,
        receiver=draft.receiver,
        category=draft.category,
        type=draft.type,
        parent_id=draft.parent_id,
        quoted_id=draft.quoted_id,
        data=draft.data,
        tags=encode_tags(draft.tags) if draft.tags else "[]",
        options=draft.options,
        sent_at=sent_at,
        updated_at=sent_at,
        edited_at=None,
        edited_by=None,
        deleted_at=None,
        deleted_by=None,
        delivered_at=draft.imported.delivered_at if draft.imported else None,
        read_at=draft.imported.read_at if draft.imported else None,
        counts=False,
        shows=False,
        ordinal=0,
        is_erased=False,
        traits=draft.traits,
    )


async def store_draft(tx: Transaction, draft: Draft, group: Group | None, now: int) -> Message:
    """Store one message in a batch of its own, and return it; `group` is its receiver, if any."""
    conversations = await conversations_store.find_conversations(tx, [draft.key])
    sizes = {group.guid: group.members_count} if group else {}
    batch = Batch(await lock_counters(tx), conversations, sizes, now)
    message = batch.add(draft)
    await batch.write(tx)
    return message


def _action_setting(draft: Draft) -> str:
    """Return the setting that decides whether an action message moves its conversation up."""
    if draft.type == GROUP_MEMBER:
        return UPDATE_ON_GROUP_ACTIONS
    if draft.parent_id is not None:
        return THREADS_UPDATE_ON_MESSAGE_ACTIONS
    return UPDATE_ON_MESSAGE_ACTIONS
