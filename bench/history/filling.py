"""Fill a store with messages, in bulk.

The production code, `Batch`, decides about messages here, too; rows are written with the production
functions, in large batches.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import msgspec

from bench.crowd import (
    FROM,
    RARE_NAME,
    UPTO,
    Advance,
    batches,
    invented,
    make_app,
    people,
    write_users,
)
from bench.history.archive import OF_VIEWER, VIEWER, Archive, Size, Talk, plan
from bench.history.words import Planting, Talker
from hubbub.domain.messages.batch import Batch
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import Conversation
from hubbub.records.conversations.store import (
    add_own,
    advance_conversations,
    insert_conversations,
    insert_participants,
)
from hubbub.records.groups.model import PUBLIC, GroupDraft
from hubbub.records.groups.store import add_members_count, insert_groups
from hubbub.records.members.model import PARTICIPANT, Member
from hubbub.records.members.store import insert_members
from hubbub.records.messages.model import MESSAGE, TEXT, Draft, Message
from hubbub.records.messages.store import insert_messages
from hubbub.records.search.entry import make_entry
from hubbub.records.search.store import put_entries, take_slot
from hubbub.records.users.model import Profile, UserDraft
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

FILLED = (
    "users",
    "user_words",
    "groups",
    "group_words",
    "members",
    "memberships",
    "conversations",
    "participants",
    "messages",
    "message_entries",
)
MESSAGES_AT_ONCE = 20_000

_encode = msgspec.json.Encoder().encode


async def fill(runtime: Runtime, size: Size, advance: Advance) -> Archive:
    """Fill an empty store; `advance` is called with the number of rows written."""
    app_id, key = await make_app(runtime, "Archive")
    uids, known = await _write_people(runtime, app_id, size, advance)
    archive = plan(random.Random(2), app_id, key, size, uids, known)
    for talks in batches(archive.talks):
        await _write_talks(runtime, app_id, talks)
    for memberships in batches(_memberships(archive.talks)):
        await _write_members(runtime, app_id, memberships)
    await _write_history(runtime, archive, advance)
    return archive


async def _write_people(
    runtime: Runtime, app_id: str, size: Size, advance: Advance
) -> tuple[list[str], list[str]]:
    """Write the users; return the uids of all active ones, and of those that the viewer knows."""
    await write_users(runtime, app_id, [UserDraft(VIEWER, Profile("Viewer", role="default"))])
    uids, rare = [], []
    for drafts in batches(people(random.Random(1), size.users)):
        await write_users(runtime, app_id, drafts)
        active = [draft for draft in drafts if draft.deactivated_at is None]
        uids += [draft.uid for draft in active]
        rare += [draft.uid for draft in active if RARE_NAME in (draft.profile.name or "")]
        advance(len(drafts))
    known = list(dict.fromkeys([*rare, *uids]))[: OF_VIEWER // 2]
    return uids, known


async def _write_talks(runtime: Runtime, app_id: str, talks: Sequence[Talk]) -> None:
    names = invented(random.Random(talks[0].people[0]))
    groups = [talk for talk in talks if talk.is_group]

    async def within(tx: Transaction) -> None:
        numbers = await lock_counters(tx)
        for talk in talks:
            numbers.conversation += 1
            talk.conversation.number = numbers.conversation
        drafts = [
            (GroupDraft(talk.guid, next(names), PUBLIC), talk.conversation.number)
            for talk in groups
        ]
        await insert_groups(tx, drafts, FROM)
        numbers.groups += len(groups)
        await add_members_count(tx, {talk.guid: len(talk.people) for talk in groups})
        await insert_conversations(tx, [talk.conversation for talk in talks])

    await runtime.database.write(app_id, within)


def _memberships(talks: Sequence[Talk]) -> Iterator[tuple[Conversation, str]]:
    return ((talk.conversation, uid) for talk in talks if talk.is_group for uid in talk.people)


async def _write_members(
    runtime: Runtime, app_id: str, memberships: Sequence[tuple[Conversation, str]]
) -> None:
    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        members = [Member(each.number, uid, PARTICIPANT, FROM) for each, uid in memberships]
        await insert_members(tx, members, [1] * len(members))
        await insert_participants(tx, memberships)

    await runtime.database.write(app_id, within)


async def _write_history(runtime: Runtime, archive: Archive, advance: Advance) -> None:
    """Write all messages, oldest first; then, once, their effect on conversations."""
    own: Counter[tuple[int, str]] = Counter()
    for drafts in batches(_drafts(random.Random(3), archive), MESSAGES_AT_ONCE):
        messages = await _write_messages(runtime, archive, drafts)
        own.update((each.conversation, each.sender) for each in messages if each.counts)
        advance(len(drafts))
    for talks in batches(archive.talks):
        await _advance(runtime, archive.app_id, talks, {})
    for pairs in batches(own.items()):
        await _advance(runtime, archive.app_id, [], dict(pairs))


def _drafts(chance: random.Random, archive: Archive) -> Iterator[Draft]:
    """Yield the drafts, recording which of them contain a searched word."""
    talker, planting = Talker(chance), Planting(archive.size.messages)
    for place, talk in zip(range(archive.size.messages), _talks(chance, archive), strict=False):
        word = planting.word_at(place)
        if word is not None:
            archive.held[word, talk.conversation.number] += 1
        sender = chance.choice(talk.people)
        yield Draft(
            sender=sender,
            receiver_type=talk.conversation.kind,
            receiver=talk.receiver(sender),
            category=MESSAGE,
            type=TEXT,
            data=_encode({"text": talker.say(word)}).decode(),
        )


def _talks(chance: random.Random, archive: Archive) -> Iterator[Talk]:
    """Yield the conversation of each message: each one once, then by their weights."""
    talks = archive.talks
    yield from talks
    taken = sum(talk.weight or 0 for talk in talks)
    free = [talk for talk in talks if talk.weight is None]
    shares = [1 / (rank + 50) for rank in range(len(free))]
    scale = max(0, archive.size.messages - len(talks) - taken) / sum(shares)
    chance.shuffle(free)
    for talk, share in zip(free, shares, strict=True):
        talk.weight = scale * share
    weights = list(accumulate(talk.weight or 0 for talk in talks))
    while True:
        yield from chance.choices(talks, cum_weights=weights, k=MESSAGES_AT_ONCE)


async def _write_messages(
    runtime: Runtime, archive: Archive, drafts: Sequence[Draft]
) -> Sequence[Message]:
    async def within(tx: Transaction) -> Sequence[Message]:
        numbers = await lock_counters(tx)
        batch = Batch(numbers, archive.conversations, archive.members, FROM)
        for draft in drafts:
            batch.now = FROM + (UPTO - FROM) * numbers.message // archive.size.messages
            batch.add(draft)
        await _store(tx, batch.messages, is_cut=not runtime.database.cuts_entries)
        return batch.messages

    return await runtime.database.write(archive.app_id, within)


async def _store(tx: Transaction, messages: Sequence[Message], *, is_cut: bool) -> None:
    """Store messages with everything by which they are found."""
    await insert_messages(tx, messages)
    made = {each.id: make_entry(each, is_cut=is_cut) for each in messages}
    entries = {id_: entry for id_, entry in made.items() if entry is not None}
    await put_entries(tx, await take_slot(tx), entries.keys(), entries)


async def _advance(
    runtime: Runtime, app_id: str, talks: Sequence[Talk], own: Mapping[tuple[int, str], int]
) -> None:
    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await advance_conversations(tx, [talk.conversation for talk in talks])
        await add_own(tx, own)

    await runtime.database.write(app_id, within)
