"""Create groups, each with its conversation; the owner becomes the first member."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import refuse_kind, refuse_verb
from hubbub.domain.members.add import Lists, Outcomes, add_and_ban
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.conversations import store as conversations_store
from hubbub.records.conversations.model import Conversation, group_key
from hubbub.records.groups import store
from hubbub.records.groups.events import GroupCreated
from hubbub.records.groups.model import Group, GroupDraft, GuidAlreadyExists
from hubbub.records.groups.passwords import with_password_hashed
from hubbub.records.members.model import ADMIN, Member, TooManyGroups
from hubbub.records.members.store import count_groups_of, find_member, insert_members
from hubbub.records.settings.model import GROUPS_PER_USER, settings_of
from hubbub.records.users.model import Person, UidNotFound, User, check_metadata
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class CreatedGroup:
    """A new group, its creator, the creator's membership if any, and outcomes of further users."""

    group: Group
    member: Member | None
    by: User
    outcomes: Outcomes


async def create_group(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    draft: GroupDraft,
    password: str | None,
    lists: Lists,
) -> CreatedGroup:
    """Create a group with further members and bans; users who can't be added are left out.

    Raises:
        EmptyGroupPassword: the type is `password` and there is no password.
        UidNotFound: the acting user or the owner does not exist or is deactivated.
        FeatureRestricted, RoleForbids: the role of the acting user forbids creating groups, or
            groups of this type.
        GuidAlreadyExists: the guid is taken.
        TooManyGroups: the owner is in too many groups.
        BadInput: the metadata is too large.
    """
    hashed = await with_password_hashed(
        runtime.threads, app_id, draft, password=password, user=actor.uid
    )

    async def within(tx: Transaction) -> CreatedGroup:
        await lock_counters(tx)
        now = runtime.clock.now()
        person = await access_actor(tx, actor)
        _check_role(person, draft)
        created = (await create_groups(tx, [hashed], now))[0]
        if isinstance(created, Refusal):
            raise created
        guid, number, by = created.guid, created.conversation, person.user.uid
        tx.announce(GroupCreated(guid, number, created.owner, by, now))
        outcomes = await add_and_ban(tx, created.guid, person, lists, now)
        group = (await store.find_groups(tx, [created.guid]))[created.guid]
        member = await find_member(tx, group.conversation, person.user.uid)
        return CreatedGroup(group, member, person.user, outcomes)

    return await runtime.database.write(app_id, within)


def _check_role(person: Person, draft: GroupDraft) -> None:
    kind = refuse_kind(person.rules, "createGroup.allowedGroupTypes", draft.type)
    refusal = refuse_verb(person.rules, "createGroup") or kind
    if refusal is not None:
        raise refusal


async def create_groups(
    tx: Transaction, drafts: Sequence[GroupDraft], now: int, *, is_import: bool = False
) -> list[Group | Refusal]:
    """Create groups; return an outcome for each. A refusal does not affect the others.

    The owners become members with the next event. In an import they may be deactivated.
    """
    numbers = await lock_counters(tx)
    taken = set(await store.find_groups(tx, [draft.guid for draft in drafts]))
    owners = {owner for draft in drafts if (owner := _owner(draft))}
    users = await find_users(tx, owners)
    owning = {uid for uid, user in users.items() if user.is_active or is_import}
    owning -= {uid for uid, user in users.items() if user.deleted_at is not None}
    groups_of = await count_groups_of(tx, owners)
    most_groups = settings_of(numbers.settings).limit(GROUPS_PER_USER)
    refusals: dict[int, Refusal] = {}
    accepted: list[tuple[GroupDraft, int]] = []
    for place, draft in enumerate(drafts):
        refusal = _refusal(draft, taken, owning) or _refuse_owner(draft, groups_of, most_groups)
        if refusal is not None:
            refusals[place] = refusal
            continue
        taken.add(draft.guid)
        if owner := _owner(draft):
            groups_of[owner] = groups_of.get(owner, 0) + 1
        numbers.conversation += 1
        accepted.append((draft, numbers.conversation))
    await _insert_groups(tx, accepted, now)
    numbers.groups += len(accepted)
    created = await store.find_groups(tx, [draft.guid for draft, _ in accepted])
    return [refusals.get(place) or created[draft.guid] for place, draft in enumerate(drafts)]


def _owner(draft: GroupDraft) -> str | None:
    """Return the user who owns the group; None if the app does."""
    return None if draft.owner == SYSTEM_UID else draft.owner


def _refusal(draft: GroupDraft, taken: set[str], owning: set[str]) -> Refusal | None:
    if draft.guid in taken:
        return GuidAlreadyExists(draft.guid)
    owner = _owner(draft)
    if owner and owner not in owning:
        return UidNotFound(owner)
    try:
        check_metadata(draft.metadata)
    except BadInput as refusal:
        return refusal
    return None


def _refuse_owner(draft: GroupDraft, groups_of: dict[str, int], most: int) -> Refusal | None:
    owner = _owner(draft)
    return TooManyGroups(owner, most) if owner and groups_of.get(owner, 0) >= most else None


async def _insert_groups(
    tx: Transaction, drafts: Sequence[tuple[GroupDraft, int]], now: int
) -> None:
    await store.insert_groups(tx, drafts, now)
    conversations = {
        number: Conversation(
            number,
            *group_key(draft.guid),
            _created_at(draft, now),
            _created_at(draft, now),
            *(0, 0, 0, 0, 0),
        )
        for draft, number in drafts
    }
    await conversations_store.insert_conversations(tx, list(conversations.values()))
    owners = [
        (draft.guid, Member(number, owner, ADMIN, _created_at(draft, now)))
        for draft, number in drafts
        if (owner := _owner(draft))
    ]
    members = [member for _, member in owners]
    await insert_members(tx, members, [next_event_number(tx)] * len(members))
    await store.add_members_count(tx, {guid: 1 for guid, _ in owners})
    await conversations_store.insert_participants(
        tx, [(conversations[member.conversation], member.uid) for member in members]
    )


def _created_at(draft: GroupDraft, now: int) -> int:
    return draft.created_at if draft.created_at is not None else now
