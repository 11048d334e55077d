"""Make users members of groups: the part that joins, additions and imports share.

It works on lists over any number of groups: concurrent joins of an app become one call.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hubbub.domain.members.announce import member_event_fields
from hubbub.domain.messages.batch import Batch
from hubbub.kernel.clock import MOST_IMPORTED_AHEAD_SECONDS
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.conversations import store as conversations_store
from hubbub.records.conversations.model import group_key
from hubbub.records.groups import store as groups_store
from hubbub.records.groups.model import Group, GuidNotFound
from hubbub.records.members import store
from hubbub.records.members.events import GroupMemberAdded, GroupMemberJoined, MembersImported
from hubbub.records.members.model import (
    PARTICIPANT,
    AlreadyBanned,
    AlreadyJoined,
    Ban,
    BannedMember,
    Member,
    NoVacancy,
    TooManyGroups,
)
from hubbub.records.members.store import MemberPair
from hubbub.records.messages.actions import GroupAction, MemberAction, draft_action_message
from hubbub.records.messages.model import Message
from hubbub.records.settings.model import (
    GROUP_MEMBERS,
    GROUPS_PER_USER,
    HISTORY_FOR_NEW_MEMBERS,
    AppSettings,
    settings_of,
)
from hubbub.records.users.model import UidNotFound, User
from hubbub.records.users.store import find_users
from hubbub.storage.interface import Transaction

ADDED, JOINED = "added", "joined"


class InvalidJoinedAt(BadInput):
    """The imported `joinedAt` is before the group's creation or in the future."""

    code = "ERR_IMPORT_INVALID_JOINEDAT"

    def __init__(self) -> None:
        super().__init__(
            "The joinedAt must be between the group's createdAt and five minutes from now.",
            details={
                "joinedAt": ["It must be between the group's createdAt and five minutes from now."]
            },
        )


@dataclass(frozen=True, slots=True)
class Entrant:
    """A user to make a member: by a join or an addition, or from an import with a past."""

    guid: str
    uid: str
    scope: str = PARTICIPANT
    by: str | None = None
    """Who adds the user, the user when they join; None: an import, which is not announced."""
    joined_at: int | None = None
    is_banned: bool = False
    """From an import: the user is banned instead."""
    refusal: Refusal | None = None
    """The refusal unless a membership or a ban already is one: those take precedence."""


@dataclass(slots=True)
class Entered:
    """A new member (or imported ban), the group including them, and the action message, if any."""

    entrant: Entrant
    group: Group
    user: User
    member: Member
    message: Message | None = None


async def enter_members(
    tx: Transaction, entrants: Sequence[Entrant], now: int
) -> list[Entered | Refusal]:
    """Make users members; return an outcome for each. A refusal does not affect the others."""
    settings = settings_of((await lock_counters(tx)).settings)
    context = await _find_context(tx, entrants, settings)
    outcomes = [context.accept(entrant, now) for entrant in entrants]
    entered = [outcome for outcome in outcomes if isinstance(outcome, Entered)]
    await store.insert_bans(tx, [_ban(each, now) for each in entered if each.entrant.is_banned])
    await _insert_members(tx, [each for each in entered if not each.entrant.is_banned], now)
    return outcomes


def _ban(each: Entered, now: int) -> Ban:
    member = each.member
    return Ban(member.conversation, member.uid, member.scope, member.joined_at, now)


async def _insert_members(tx: Transaction, entered: Sequence[Entered], now: int) -> None:
    """Store memberships and their action messages; new members may read the log from there on."""
    counts = Counter(each.group.guid for each in entered)
    conversations = await conversations_store.find_conversations(tx, map(group_key, counts))
    people = [(conversations[group_key(each.group.guid)], each.member.uid) for each in entered]
    numbers = await lock_counters(tx)
    sees_history = settings_of(numbers.settings).is_on(HISTORY_FOR_NEW_MEMBERS)
    await conversations_store.insert_participants(tx, people, sees_history=sees_history)
    hidden = {} if sees_history else {each.number: each.last_id for each in conversations.values()}
    await groups_store.add_members_count(tx, counts)
    sizes = {each.group.guid: each.group.members_count for each in entered}
    batch = Batch(numbers, conversations, sizes, now)
    from_events = []
    for each in entered:
        from_events.append(next_event_number(tx))
        if each.entrant.by is not None:
            upto = hidden.get(each.group.conversation, 0)
            each.message = _announce(tx, batch, each, each.entrant.by, upto)
    imported = [each.member for each in entered if each.entrant.by is None]
    _announce_imported(tx, imported, now, hidden)
    await store.insert_members(tx, [each.member for each in entered], from_events, hidden)
    await batch.write(tx)


def _announce_imported(
    tx: Transaction, members: Iterable[Member], now: int, hidden: Mapping[int, int]
) -> None:
    """Announce new members of an import, which have no action messages, to the nodes only."""
    uids: dict[int, list[str]] = {}
    for member in members:
        uids.setdefault(member.conversation, []).append(member.uid)
    for conversation, new in uids.items():
        hidden_upto = hidden.get(conversation, 0)
        tx.announce(
            MembersImported(conversation=conversation, uids=new, at=now, hidden_upto=hidden_upto)
        )


def _announce(tx: Transaction, batch: Batch, each: Entered, by: str, hidden_upto: int) -> Message:
    uid, scope = each.member.uid, each.member.scope
    action = JOINED if by == uid else ADDED
    message = batch.add(
        draft_action_message(GroupAction(each.group.guid, by, MemberAction(action, uid)))
    )
    fields = member_event_fields(each.group, uid, message)
    joined_at = each.member.joined_at
    joined = GroupMemberJoined(scope=scope, joined_at=joined_at, hidden_upto=hidden_upto, **fields)
    added = GroupMemberAdded(
        by=by, scope=scope, joined_at=joined_at, hidden_upto=hidden_upto, **fields
    )
    tx.announce(joined if by == uid else added)
    return message


@dataclass(slots=True)
class _EntryContext:
    """The rows that the entrants name, updated with each accepted entrant."""

    groups: dict[str, Group]
    users: dict[str, User]
    members: set[MemberPair]
    bans: set[MemberPair]
    groups_of: dict[str, int]
    settings: AppSettings

    def accept(self, entrant: Entrant, now: int) -> Entered | Refusal:
        """Accept an entrant, or return its refusal."""
        group, user = self.groups.get(entrant.guid), self.users.get(entrant.uid)
        if group is None:
            return GuidNotFound(entrant.guid)
        if user is None or not _may_enter(user, entrant):
            return UidNotFound(entrant.uid)
        refusal = self._refusal(entrant, group, now)
        if refusal is not None:
            return refusal
        joined_at = now if entrant.joined_at is None else entrant.joined_at
        member = Member(group.conversation, entrant.uid, entrant.scope, joined_at)
        if entrant.is_banned:
            self.bans.add((group.conversation, entrant.uid))
            return Entered(entrant, group, user, member)
        self.members.add((group.conversation, entrant.uid))
        self.groups_of[entrant.uid] = self.groups_of.get(entrant.uid, 0) + 1
        grown = replace(group, members_count=group.members_count + 1)
        self.groups[entrant.guid] = grown
        return Entered(entrant, grown, user, member)

    def _refusal(self, entrant: Entrant, group: Group, now: int) -> Refusal | None:
        guid, uid, pair = entrant.guid, entrant.uid, (group.conversation, entrant.uid)
        if entrant.joined_at is not None:
            earliest, latest = group.created_at, now + MOST_IMPORTED_AHEAD_SECONDS
            if not earliest <= entrant.joined_at <= latest:
                return InvalidJoinedAt()
        if pair in self.members:
            return AlreadyJoined(uid, guid)
        if pair in self.bans:
            return AlreadyBanned(uid, guid) if entrant.is_banned else BannedMember(uid, guid)
        if entrant.refusal is not None or entrant.is_banned:
            return entrant.refusal
        if group.members_count >= self.settings.limit(GROUP_MEMBERS):
            return NoVacancy(guid)
        most = self.settings.limit(GROUPS_PER_USER)
        if self.groups_of.get(uid, 0) >= most:
            return TooManyGroups(uid, most)
        return None


def _may_enter(user: User, entrant: Entrant) -> bool:
    """Return whether a user may become a member; in an import a deactivated one, too."""
    return user.is_active or (entrant.by is None and user.deleted_at is None)


async def _find_context(
    tx: Transaction, entrants: Sequence[Entrant], settings: AppSettings
) -> _EntryContext:
    groups = await groups_store.find_groups(tx, {entrant.guid for entrant in entrants})
    uids = {entrant.uid for entrant in entrants}
    pairs = [
        (groups[entrant.guid].conversation, entrant.uid)
        for entrant in entrants
        if entrant.guid in groups
    ]
    return _EntryContext(
        groups=groups,
        users=await find_users(tx, uids),
        members=set(await store.find_members(tx, pairs)),
        bans=set(await store.find_bans(tx, pairs)),
        groups_of=await store.count_groups_of(tx, uids),
        settings=settings,
    )
