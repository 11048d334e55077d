"""Create groups, each with its conversation; an owner becomes the first member."""

from collections.abc import Sequence

from hubbub.domain.conversations import store as conversations_store
from hubbub.domain.conversations.model import Conversation, group_key
from hubbub.domain.groups import store
from hubbub.domain.groups.model import ADMIN, Group, GroupDraft, GuidAlreadyExists, Member
from hubbub.domain.users import store as users_store
from hubbub.domain.users.model import UidNotFound, User, check_metadata
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import take_numbers
from hubbub.storage.interface import Transaction


async def create_groups(
    tx: Transaction, drafts: Sequence[GroupDraft], now: int
) -> list[Group | Refusal]:
    """Create groups; one outcome each, and one refusal never undoes another."""
    numbers = await take_numbers(tx)
    taken = set(await store.find_groups(tx, [draft.guid for draft in drafts]))
    owners = await users_store.find_users(tx, [draft.owner for draft in drafts if draft.owner])
    refusals: dict[int, Refusal] = {}
    accepted: list[tuple[GroupDraft, int]] = []
    for place, draft in enumerate(drafts):
        refusal = _refusal(draft, taken, owners)
        if refusal is not None:
            refusals[place] = refusal
            continue
        taken.add(draft.guid)
        numbers.conversation += 1
        accepted.append((draft, numbers.conversation))
    await _insert(tx, accepted, now)
    numbers.groups += len(accepted)
    created = await store.find_groups(tx, [draft.guid for draft, _ in accepted])
    return [refusals.get(place) or created[draft.guid] for place, draft in enumerate(drafts)]


def _refusal(draft: GroupDraft, taken: set[str], owners: dict[str, User]) -> Refusal | None:
    if draft.guid in taken:
        return GuidAlreadyExists(draft.guid)
    if draft.owner and draft.owner != SYSTEM_UID:
        owner = owners.get(draft.owner)
        if owner is None or not owner.is_active:
            return UidNotFound(draft.owner)
    try:
        check_metadata(draft.metadata)
    except BadInput as refusal:
        return refusal
    return None


async def _insert(tx: Transaction, drafts: Sequence[tuple[GroupDraft, int]], now: int) -> None:
    numbers = await take_numbers(tx)
    await store.insert_groups(tx, drafts, now)
    conversations = {
        draft.guid: Conversation(
            number, *group_key(draft.guid), _created_at(draft, now), now, 0, 0, 0, 0, 0
        )
        for draft, number in drafts
    }
    await conversations_store.insert_conversations(tx, list(conversations.values()))
    owners = [
        Member(draft.guid, draft.owner, ADMIN, _created_at(draft, now))
        for draft, _ in drafts
        if draft.owner and draft.owner != SYSTEM_UID
    ]
    await store.insert_members(tx, owners, from_event=numbers.event + 1)
    await conversations_store.insert_participants(
        tx, [(conversations[owner.guid], owner.uid) for owner in owners]
    )


def _created_at(draft: GroupDraft, now: int) -> int:
    return draft.created_at if draft.created_at is not None else now
