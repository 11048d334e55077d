"""Look up what drafts refer to: people, groups, earlier messages with the same muids."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from hubbub.domain.access.people import find_revoked_tokens
from hubbub.domain.access.sending import SendContext
from hubbub.domain.messages.past import references_of
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.blocks.store import find_blocks
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey
from hubbub.records.conversations.store import find_hidden_id, find_participants
from hubbub.records.erasure.store import find_erased_senders
from hubbub.records.friends.store import find_friends
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.members.store import MemberPair, find_bans, find_members
from hubbub.records.mentions.model import ALL
from hubbub.records.messages import store
from hubbub.records.messages.model import Draft, Message
from hubbub.records.users.model import THE_APP, Person
from hubbub.records.users.store import find_people
from hubbub.storage.interface import Snapshot


async def find_context(
    snapshot: Snapshot,
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
    people = await find_people(snapshot, uids - {SYSTEM_UID, ALL})
    guids = {each.receiver for each in named if each.receiver_type == GROUP}
    groups = await find_groups(snapshot, guids) if guids else {}
    acting = [draft for draft in drafts if draft.is_of_user]
    pairs = [*_member_pairs(acting, groups), *_mentioned_pairs(drafts, groups)] if groups else []
    members = await find_members(snapshot, pairs) if pairs else {}
    others = [pair for pair in pairs if pair not in members]
    to_users = [(each.sender, each.receiver) for each in acting if each.receiver_type != GROUP]
    friends = _friend_pairs(to_users, people)
    return SendContext(
        people={**people, SYSTEM_UID: THE_APP},
        groups=groups,
        members=members,
        bans=await find_bans(snapshot, others) if others else {},
        friends=await find_friends(snapshot, friends) if friends else set(),
        blocks=await find_blocks(
            snapshot, [pair for one, other in to_users for pair in ((one, other), (other, one))]
        ),
        conversations=conversations,
        hidden=await _find_hidden(snapshot, drafts, referred),
        messages=referred,
        revoked=await find_revoked_tokens(snapshot, (draft.token for draft in drafts)),
    )


async def _find_hidden(
    snapshot: Snapshot, drafts: Sequence[Draft], referred: Mapping[int, Message]
) -> dict[MemberPair, int]:
    """Return the last hidden message, by the participants who reply or quote."""
    pairs = [
        (referred[id_].conversation, draft.sender)
        for draft in drafts
        for id_ in draft.references
        if id_ in referred
    ]
    found = await find_participants(snapshot, pairs)
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


async def find_earlier(
    snapshot: Snapshot, drafts: Sequence[Draft]
) -> tuple[dict[store.SenderMuid, Message], list[int]]:
    """Return the earlier messages with the drafts' muids, and those whose muids may be used again.

    Messages of former holders of a uid do not count.
    """
    found = await store.find_by_muid(snapshot, _muids(drafts))
    if not found:
        return {}, []
    erased = await find_erased_senders(
        snapshot, {uid for each in found.values() for uid in _uids(each)}
    )
    imported = {(draft.sender, draft.muid) for draft in drafts if draft.imported is not None}
    kept: dict[store.SenderMuid, Message] = {}
    freed: list[int] = []
    for pair, message in found.items():
        is_of_former_user = any(message.id <= erased.get(uid, 0) for uid in _uids(message))
        holder = None
        if not is_of_former_user:
            holder = await _find_holder(snapshot, message, is_import=pair in imported)
        if holder is None:
            freed.append(message.id)
        else:
            kept[pair] = holder
    return kept, freed


def _uids(message: Message) -> list[str]:
    """Return the users whose erasure erases a message."""
    is_to_group = message.receiver_type == GROUP
    return [message.sender] if is_to_group else [message.sender, message.receiver]


async def _find_holder(snapshot: Snapshot, message: Message, *, is_import: bool) -> Message | None:
    """Return the message that holds its muid still, as erased if its history was deleted.

    None if the muid is free again: with its group, and for an import, which may restore a history.
    """
    upto = await find_hidden_id(snapshot, message.conversation, None)
    if upto is not None and message.id > upto:
        return message
    is_of_deleted_group = upto is None and message.receiver_type == GROUP and not message.is_erased
    if is_import or is_of_deleted_group:
        return None
    return msgspec.structs.replace(message, is_erased=True)


def _muids(drafts: Sequence[Draft]) -> Iterator[store.SenderMuid]:
    for draft in drafts:
        if draft.muid is not None:
            yield draft.sender, draft.muid
        if draft.imported is not None and draft.imported.brought is not None:
            for _, reference in references_of(draft.imported.brought):
                yield from ((sender, reference.muid) for sender in reference.senders)
