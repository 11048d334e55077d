"""Send messages: the one function behind every operation that sends, for lists of any length.

The first statement locks the app's counter row, so ids follow the order of commits. The messages,
their conversations and their events are written in one transaction.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from hubbub.domain.access.people import find_revoked_tokens
from hubbub.domain.access.sending import SendContext, receiver_in_thread
from hubbub.domain.messages.batch import Batch
from hubbub.domain.messages.past import Imported, prepare, references_of, write_brought
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.blocks.store import find_blocks
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey
from hubbub.records.conversations.store import find_conversations, find_hidden_id, find_participants
from hubbub.records.erasure.store import find_erased_senders
from hubbub.records.friends.store import find_friends
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.members.store import MemberPair, find_bans, find_members
from hubbub.records.mentions.model import ALL
from hubbub.records.mentions.store import insert_mentions
from hubbub.records.messages import store
from hubbub.records.messages.events import MessageSent, MessagesImported
from hubbub.records.messages.model import (
    Draft,
    Message,
    MessageIdNotFound,
    MessageView,
    MuidAlreadyExists,
    erased_user,
)
from hubbub.records.messages.traits import HAS_MENTIONS
from hubbub.records.users.model import THE_APP, Person, User
from hubbub.records.users.store import find_people
from hubbub.storage.batched import Batched, always
from hubbub.storage.interface import Transaction


async def send_messages(
    tx: Transaction, drafts: Sequence[Draft], now: int
) -> list[MessageView | Refusal]:
    """Store messages; return one outcome each. A refusal does not affect other drafts.

    If the sender has used a muid before, the outcome is the earlier message; for an imported
    message it is a refusal.
    """
    counters = await lock_counters(tx)
    referred = await store.find_messages(tx, [id_ for each in drafts for id_ in each.references])
    drafts = [_in_thread(each, referred) if each.is_in_thread else each for each in drafts]
    by_muid = await _find_by_muid(tx, drafts)
    conversations = await find_conversations(tx, (draft.key for draft in drafts))
    context = await _find_context(tx, [*drafts, *by_muid.values()], conversations, referred)
    sizes = {guid: group.members_count for guid, group in context.groups.items()}
    sending = _Sending(context, by_muid, Batch(counters, conversations, sizes, now))
    outcomes = await _complete_views(tx, [sending.add(draft) for draft in drafts])
    await sending.batch.write(tx)
    await insert_mentions(tx, sending.mentions, next_event_number(tx))
    for message in sending.live:
        tx.announce(_sent_event(message))
    if sending.imported:
        tx.announce(MessagesImported(sending.imported[0], sending.imported[-1], now))
        await write_brought(tx, sending.brought, now)
    return outcomes


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
    tx: Transaction, outcomes: Sequence[MessageView | Refusal]
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
        for view in await view_messages(tx, messages, viewer):
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


async def _find_context(
    tx: Transaction,
    named: Sequence[Draft | Message],
    conversations: dict[ConversationKey, Conversation],
    referred: dict[int, Message],
) -> SendContext:
    """Return the records that drafts refer to, and earlier messages with the same muids."""
    drafts = [each for each in named if isinstance(each, Draft)]
    uids = {each.sender for each in named}
    uids.update(each.receiver for each in named if each.receiver_type != GROUP)
    for draft in drafts:
        uids.update(draft.mentioned)
        if draft.imported is not None and draft.imported.brought is not None:
            uids.update(each.uid for each in draft.imported.brought.reactions)
    people = await find_people(tx, uids - {SYSTEM_UID, ALL})
    groups = await find_groups(tx, {each.receiver for each in named if each.receiver_type == GROUP})
    acting = [draft for draft in drafts if draft.is_of_user]
    pairs = [*_member_pairs(acting, groups), *_mentioned_pairs(drafts, groups)]
    members = await find_members(tx, pairs)
    to_users = [(each.sender, each.receiver) for each in acting if each.receiver_type != GROUP]
    return SendContext(
        people={**people, SYSTEM_UID: THE_APP},
        groups=groups,
        members=members,
        bans=await find_bans(tx, [pair for pair in pairs if pair not in members]),
        friends=await find_friends(tx, _friend_pairs(to_users, people)),
        blocks=await find_blocks(
            tx, [pair for one, other in to_users for pair in ((one, other), (other, one))]
        ),
        conversations=conversations,
        hidden=await _find_hidden(tx, drafts, referred),
        messages=referred,
        revoked=await find_revoked_tokens(tx, (draft.token for draft in drafts)),
    )


async def _find_hidden(
    tx: Transaction, drafts: Sequence[Draft], referred: Mapping[int, Message]
) -> dict[MemberPair, int]:
    """Return the last hidden message, by the participants who reply or quote."""
    pairs = [
        (referred[id_].conversation, draft.sender)
        for draft in drafts
        for id_ in draft.references
        if id_ in referred
    ]
    found = await find_participants(tx, pairs)
    return {pair: participant.hidden_id for pair, participant in found.items()}


def _mentioned_pairs(drafts: Sequence[Draft], groups: Mapping[str, Group]) -> Iterator[MemberPair]:
    """Yield the pairs under which mentioned users would be members of the receiving group."""
    for draft in drafts:
        group = groups.get(draft.receiver) if draft.receiver_type == GROUP else None
        if group is not None:
            yield from ((group.conversation, uid) for uid in draft.mentioned if uid != ALL)


def _member_pairs(acting: Sequence[Draft], groups: Mapping[str, Group]) -> Iterator[MemberPair]:
    """Yield the pairs under which senders would be members of the receiving group."""
    for draft in acting:
        if draft.receiver_type == GROUP and draft.receiver in groups:
            yield groups[draft.receiver].conversation, draft.sender


def _friend_pairs(
    pairs: Sequence[tuple[str, str]], people: Mapping[str, Person]
) -> list[tuple[str, str]]:
    """Return the pairs of sender and receiver whose sender may write to friends only."""
    return [
        (sender, receiver)
        for sender, receiver in pairs
        if sender in people and people[sender].rules.writes_to_friends_only
    ]


async def _find_by_muid(
    tx: Transaction, drafts: Sequence[Draft]
) -> dict[store.SenderMuid, Message]:
    """Return the earlier messages with the drafts' muids; free the muids that may be used again.

    Messages of former holders of a uid do not count.
    """
    found = await store.find_by_muid(tx, _muids(drafts))
    if not found:
        return {}
    erased = await find_erased_senders(tx, {uid for each in found.values() for uid in _uids(each)})
    imported = {(draft.sender, draft.muid) for draft in drafts if draft.imported is not None}
    kept: dict[store.SenderMuid, Message] = {}
    freed: list[int] = []
    for pair, message in found.items():
        is_of_former_user = any(message.id <= erased.get(uid, 0) for uid in _uids(message))
        is_import = pair in imported
        earlier = None if is_of_former_user else await _as_of_now(tx, message, is_import=is_import)
        if earlier is None:
            freed.append(message.id)
        else:
            kept[pair] = earlier
    if freed:
        await store.free_muids(tx, freed)
    return kept


def _uids(message: Message) -> list[str]:
    """Return the users whose erasure erases a message."""
    is_to_group = message.receiver_type == GROUP
    return [message.sender] if is_to_group else [message.sender, message.receiver]


async def _as_of_now(tx: Transaction, message: Message, *, is_import: bool) -> Message | None:
    """Return a message, as erased if its history was deleted; None if its muid is free again.

    The muid is free if the group was deleted, too, and for an import, which may restore a history.
    """
    upto = await find_hidden_id(tx, message.conversation, None)
    if upto is not None and message.id > upto:
        return message
    is_of_deleted_group = upto is None and message.receiver_type == GROUP and not message.is_erased
    return (
        None
        if is_import or is_of_deleted_group
        else msgspec.structs.replace(message, is_erased=True)
    )


def _muids(drafts: Sequence[Draft]) -> Iterator[store.SenderMuid]:
    for draft in drafts:
        if draft.muid is not None:
            yield draft.sender, draft.muid
        if draft.imported is not None and draft.imported.brought is not None:
            for _, reference in references_of(draft.imported.brought):
                yield from ((sender, reference.muid) for sender in reference.senders)


@dataclass(slots=True)
class _Sending:
    """The drafts of a call, checked and added to the batch one after the other."""

    context: SendContext
    by_muid: dict[store.SenderMuid, Message]
    batch: Batch
    mentions: dict[int, list[str]] = field(default_factory=dict)
    live: list[Message] = field(default_factory=list)
    imported: list[int] = field(default_factory=list)
    brought: list[Imported] = field(default_factory=list)

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
        mentioned = self._mentioned_receivers(draft)
        if mentioned:
            draft = msgspec.structs.replace(draft, traits=draft.traits | HAS_MENTIONS)
        message = self.batch.add(draft)
        if mentioned:
            self.mentions[message.id] = mentioned
        if draft.muid is not None:
            self.by_muid[draft.sender, draft.muid] = message
        if draft.imported is None:
            self.live.append(message)
        else:
            self.imported.append(message.id)
            if brought is not None:
                self.brought.append((message, brought))
        return self._view(message)

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

    def _view(self, message: Message, *, is_repeated: bool = False) -> MessageView:
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
            is_repeated=is_repeated,
        )

    def _user(self, uid: str) -> User:
        person = self.context.people.get(uid)
        return person.user if person else erased_user(uid)


def _sent_event(message: Message) -> MessageSent:
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
