"""Send messages: the one function behind every operation that sends, for lists of any length.

The first statement locks the app's counter row, so ids follow the order of commits. The messages,
their conversations and their events are written in one transaction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from hubbub.domain.access.sending import SendContext, receiver_in_thread
from hubbub.domain.messages.batch import Batch
from hubbub.domain.messages.begin import begin, make_row
from hubbub.domain.messages.look_up import find_context, find_earlier
from hubbub.domain.messages.past import Imported, prepare, write_brought
from hubbub.domain.messages.poll import begin_state, make_poll, refuse_time
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.conversations.model import GROUP
from hubbub.records.conversations.store import find_conversations
from hubbub.records.groups.model import Group
from hubbub.records.growing.model import GrowingRow, TooManyGrowing
from hubbub.records.growing.store import count_growing, insert_growing
from hubbub.records.mentions.model import ALL
from hubbub.records.mentions.store import insert_mentions
from hubbub.records.messages import store
from hubbub.records.messages.events import MessageSent, MessagesImported
from hubbub.records.messages.model import (
    HAS_MENTIONS,
    Draft,
    Message,
    MessageIdNotFound,
    MessageView,
    MuidAlreadyExists,
    PollTerms,
    erased_user,
)
from hubbub.records.moderated.model import flag_by_rule
from hubbub.records.moderated.store import store_flags
from hubbub.records.polls.store import insert_polls
from hubbub.records.settings.model import GROWING_PER_USER, GROWING_TEXT
from hubbub.records.users.model import User
from hubbub.storage.batched import Batched, always
from hubbub.storage.counters import Counters
from hubbub.storage.interface import Snapshot, Transaction


async def send_messages(
    tx: Transaction, drafts: Sequence[Draft], now: int
) -> list[MessageView | Refusal]:
    """Store messages; return one outcome each. A refusal does not affect other drafts.

    If the sender has used a muid before, the outcome is the earlier message; for an imported
    message it is a refusal.
    """
    counters = await lock_counters(tx)
    sending, freed, outcomes = await _prepare(tx, drafts, counters, now)
    if freed:
        await store.free_muids(tx, freed)
    await sending.batch.write(tx)
    if sending.mentions:
        await insert_mentions(tx, sending.mentions, next_event_number(tx))
    growing: list[GrowingRow] = []
    for view in sending.live:
        beginning = sending.growing.get(view.message.id)
        if beginning is not None:
            growing.append(make_row(view.message.id, beginning, next_event_number(tx), now))
        passed = view.message.id in sending.passed
        tx.announce(sent_event(view.message, beginning, passed=passed), view)
    if growing:
        await insert_growing(tx, growing)
    if sending.polls:
        await insert_polls(tx, [make_poll(*each, now) for each in sending.polls], 1000 * now)
    if sending.flags:
        await store_flags(tx, [flag_by_rule(*each, counters.event, now) for each in sending.flags])
    if sending.imported:
        tx.announce(MessagesImported(sending.imported[0], sending.imported[-1], now))
        await write_brought(tx, sending.brought, now)
    return outcomes


async def preview_message(snapshot: Snapshot, draft: Draft, now: int) -> MessageView | Refusal:
    """Return what `send_messages` would return of a draft now; nothing is stored.

    A new message has a negative id here, and so has a new conversation.
    """
    counters = Counters(message=-2, conversation=-2)  # no stored record has the number after it
    _, _, [outcome] = await _prepare(snapshot, [draft], counters, now)
    return outcome


async def reserve_message(tx: Transaction, draft: Draft, now: int) -> MessageView | Refusal:
    """Return what `send_messages` would return of a draft, and keep the id for it.

    The message itself is not stored; if the sender has used the muid, this is the earlier one.
    """
    counters = await lock_counters(tx)
    _, _, [outcome] = await _prepare(tx, [draft], counters, now, is_stored=False)
    return outcome


async def name_receiver(snapshot: Snapshot, reply: Draft) -> Draft:
    """Return a reply in a thread with its receiver, which it need not name, if there is a parent.

    Whether its sender may see the parent is not checked.
    """
    return _in_thread(reply, await store.find_messages(snapshot, reply.references))


async def _prepare(
    snapshot: Snapshot,
    drafts: Sequence[Draft],
    counters: Counters,
    now: int,
    *,
    is_stored: bool = True,
) -> tuple["_Sending", list[int], list[MessageView | Refusal]]:
    """Return the batch of drafts, the earlier messages whose muids are free, and the outcomes.

    A batch that is not stored leaves the conversations as they are, which may be cached.
    """
    ids = [id_ for each in drafts for id_ in each.references]
    referred = await store.find_messages(snapshot, ids)
    drafts = [_in_thread(each, referred) if each.is_in_thread else each for each in drafts]
    by_muid, freed = await find_earlier(snapshot, drafts)
    conversations = await find_conversations(snapshot, (draft.key for draft in drafts))
    if not is_stored:
        conversations = {key: msgspec.structs.replace(of) for key, of in conversations.items()}
    context = await find_context(snapshot, [*drafts, *by_muid.values()], conversations, referred)
    sizes = {guid: group.members_count for guid, group in context.groups.items()}
    batch = Batch(counters, conversations, sizes, now)
    sending = _Sending(context, by_muid, batch, await _count_growing(snapshot, drafts))
    outcomes = await _complete_views(snapshot, [sending.add(draft) for draft in drafts])
    return sending, freed, outcomes


async def _count_growing(snapshot: Snapshot, drafts: Sequence[Draft]) -> dict[str, int]:
    """Return how many messages grow of those users who begin another one."""
    uids = {each.sender for each in drafts if each.growing is not None and each.is_of_user}
    return await count_growing(snapshot, uids) if uids else {}


def _in_thread(draft: Draft, referred: Mapping[int, Message]) -> Draft:
    """Return a draft with its parent's conversation for receiver, unless it names another one."""
    parent = referred.get(draft.parent_id or 0)
    if parent is None:
        return draft
    receiver_type, receiver = receiver_in_thread(parent, draft.sender)
    return msgspec.structs.replace(
        draft,
        receiver_type=draft.receiver_type or receiver_type,
        receiver=draft.receiver or receiver,
    )


SEND = Batched[Draft, MessageView](send_messages, lock_counters, is_optimistic=always)


async def _complete_views(
    snapshot: Snapshot, outcomes: Sequence[MessageView | Refusal]
) -> list[MessageView | Refusal]:
    """Return outcomes whose views have the quoted messages, and all of messages sent earlier."""
    by_viewer: dict[str | None, dict[int, MessageView]] = {}
    for each in outcomes:
        if isinstance(each, MessageView) and (
            each.is_repeated or each.message.quoted_id is not None
        ):
            sender = each.message.sender
            of_viewer = by_viewer.setdefault(None if sender == SYSTEM_UID else sender, {})
            of_viewer.setdefault(each.message.id, each)
    if not by_viewer:
        return list(outcomes)
    views: dict[int, MessageView] = {}
    for viewer, incomplete in by_viewer.items():
        messages = [each.message for each in incomplete.values()]
        for view in await view_messages(snapshot, messages, viewer):
            views[view.message.id] = _with_new_mentions(view, incomplete[view.message.id])
    return [
        msgspec.structs.replace(views[each.message.id], is_repeated=each.is_repeated)
        if isinstance(each, MessageView) and each.message.id in views
        else each
        for each in outcomes
    ]


def _with_new_mentions(view: MessageView, sent: MessageView) -> MessageView:
    """Return a view with the mentions of a message of this call, which are not stored yet."""
    if not (sent.mentions or sent.mentions_all):
        return view
    return msgspec.structs.replace(view, mentions=sent.mentions, mentions_all=sent.mentions_all)


@dataclass(slots=True)
class _Sending:
    """The drafts of a call, checked and added to the batch one after the other."""

    context: SendContext
    by_muid: dict[store.SenderMuid, Message]
    batch: Batch
    growing_of: dict[str, int]
    """How many messages grow, of users who begin one."""
    mentions: dict[int, list[str]] = field(default_factory=dict)
    live: list[MessageView] = field(default_factory=list)
    imported: list[int] = field(default_factory=list)
    brought: list[Imported] = field(default_factory=list)
    passed: set[int] = field(default_factory=set)
    """The messages that rules have let pass."""
    flags: list[tuple[int, str]] = field(default_factory=list)
    """Messages, and the rules that flag them."""
    growing: dict[int, Draft] = field(default_factory=dict)
    polls: list[tuple[Message, PollTerms]] = field(default_factory=list)

    def add(self, draft: Draft) -> MessageView | Refusal:
        """Add a draft to the batch; return its message, or why it may not be sent."""
        refusal = self.context.refuse(draft)
        if refusal is not None:
            return refusal
        earlier = self.by_muid.get((draft.sender, draft.muid)) if draft.muid else None
        if earlier is not None:
            return self._repeat(draft, earlier)
        brought = draft.imported.brought if draft.imported is not None else None
        if brought is not None:
            prepared = prepare(draft, brought, self.by_muid, self.context)
            if isinstance(prepared, Refusal):
                return prepared
            draft = prepared
        if draft.growing is not None:
            begun = self._begin(draft)
            if isinstance(begun, Refusal):
                return begun
            draft = begun
        if draft.poll is not None and draft.imported is None:
            late = refuse_time(draft.poll, self.batch.now)
            if late is not None:
                return late
        mentioned = self._mentioned_receivers(draft)
        if mentioned:
            draft = msgspec.structs.replace(draft, traits=draft.traits | HAS_MENTIONS)
        message = self.batch.add(draft)
        if draft.growing is not None:
            self.growing[message.id] = draft
        if draft.poll is not None:
            self.polls.append((message, draft.poll))
        if draft.passed is not None:
            self.passed.add(message.id)
            self.flags += ((message.id, rule) for rule in draft.passed.flagged_by)
        if mentioned:
            self.mentions[message.id] = mentioned
        if draft.muid is not None:
            self.by_muid[draft.sender, draft.muid] = message
        view = self._view(message, poll=draft.poll)
        if draft.imported is None:
            self.live.append(view)
        else:
            self.imported.append(message.id)
            if brought is not None:
                self.brought.append((message, brought))
        return view

    def _begin(self, draft: Draft) -> Draft | Refusal:
        """Return a draft that grows as it is stored at first, or why it may not grow."""
        settings, sender = self.batch.settings, draft.sender
        count, most = self.growing_of.get(sender, 0), settings.limit(GROWING_PER_USER)
        if draft.is_of_user and count >= most:
            return TooManyGrowing(sender, most)
        begun = begin(draft, settings.limit(GROWING_TEXT))
        if not isinstance(begun, Refusal):
            self.growing_of[sender] = count + 1
        return begun

    def _mentioned_receivers(self, draft: Draft) -> list[str]:
        """Return the mentioned users who take part in the conversation, and `@all`."""
        if draft.receiver_type != GROUP:
            return [uid for uid in draft.mentioned if uid in (draft.sender, draft.receiver)]
        number = self.context.groups[draft.receiver].conversation
        members = self.context.members
        return [uid for uid in draft.mentioned if uid == ALL or (number, uid) in members]

    def _repeat(self, draft: Draft, earlier: Message) -> MessageView | Refusal:
        if draft.imported is not None:
            return MuidAlreadyExists(draft.muid or "")
        if earlier.is_erased:
            return MessageIdNotFound(earlier.id)
        return self._view(earlier, is_repeated=True)

    def _view(
        self, message: Message, *, poll: PollTerms | None = None, is_repeated: bool = False
    ) -> MessageView:
        mentioned = self.mentions.get(message.id, ())
        receiver: User | Group | None
        if message.receiver_type == GROUP:
            receiver = self.context.groups.get(message.receiver) or erased_user(message.receiver)
        else:
            receiver = self._user(message.receiver)
        return MessageView(
            message=message,
            sender=self._user(message.sender),
            receiver=receiver,
            delivered_at=message.delivered_at,
            read_at=message.read_at,
            mentions={uid: self._user(uid) for uid in sorted(mentioned) if uid != ALL},
            mentions_all=ALL in mentioned,
            poll=begin_state(poll) if poll is not None else None,
            is_repeated=is_repeated,
        )

    def _user(self, uid: str) -> User:
        person = self.context.people.get(uid)
        return person.user if person else erased_user(uid)


def sent_event(
    message: Message, beginning: Draft | None = None, *, passed: bool = False
) -> MessageSent:
    """Return the event that a message was sent; `beginning` is the draft of one that may grow."""
    growing = beginning.growing if beginning is not None else None
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
        growing=growing is not None,
        quiet=growing is not None and growing.notifies,
        passed=passed,
    )
