"""Join a group: a public one freely, one of type `password` with its password."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import find_revoked_tokens, refuse_actor
from hubbub.domain.access.permissions import refuse_kind, refuse_verb
from hubbub.domain.members.enter import Entered, Entrant, enter_members
from hubbub.kernel.errors import Refusal, TooMany
from hubbub.kernel.passwords import is_password_of
from hubbub.kernel.rates import Rates
from hubbub.outbox import lock_counters
from hubbub.records.groups.model import PASSWORD, PRIVATE, Group, GuidNotFound
from hubbub.records.groups.passwords import EmptyGroupPassword, WrongGroupPassword
from hubbub.records.groups.store import find_groups, find_password_hashes
from hubbub.records.members.store import MemberPair, find_members
from hubbub.records.users.model import Person
from hubbub.records.users.store import find_people
from hubbub.runtime import Runtime
from hubbub.storage.batched import Batched
from hubbub.storage.interface import Transaction

GUESSES_PER_MINUTE = 10
"""The passwords that a user may try on one group."""


class TooManyGuesses(TooMany):
    """The user has tried too many passwords of the group in this minute; none was checked."""


@dataclass(frozen=True, slots=True)
class Join:
    """A request to join; `verified_hash` is the hash that the password was checked against."""

    guid: str
    actor: Actor
    has_password: bool = False
    verified_hash: str | None = None

    @property
    def uid(self) -> str:
        return self.actor.name


async def join_group(
    runtime: Runtime, app_id: str, actor: Actor, guid: str, password: str | None
) -> Entered:
    """Make the acting user a member.

    Raises:
        UidNotFound: the acting user does not exist or is deactivated.
        FeatureRestricted, RoleForbids: their role forbids joining groups, or groups of this type.
        GuidNotFound: the group does not exist, or it is private.
        AlreadyJoined, BannedMember: the acting user is already a member, or banned.
        EmptyGroupPassword, WrongGroupPassword: the password is missing or wrong.
        TooManyGuesses: the user has given passwords of this group too often in this minute.
        NoVacancy, TooManyGroups: the group is full, or the user is in too many groups.
    """
    join = Join(guid, actor, has_password=bool(password))
    check = await _check_password(runtime, app_id, join, password)
    while True:
        verified = replace(join, verified_hash=check.verified_hash)
        try:
            joined = await JOIN.call(runtime.batches, app_id, verified)
        except WrongGroupPassword:
            if await _find_hash(runtime, app_id, guid) == check.hash:
                raise
            # The password was changed meanwhile.
            check = await _check_password(runtime, app_id, join, password)
        else:
            return joined


@dataclass(frozen=True, slots=True)
class _PasswordCheck:
    """The password hash of a group, and the same as `verified_hash` if the password matches."""

    hash: str | None
    verified_hash: str | None


async def _check_password(
    runtime: Runtime, app_id: str, join: Join, password: str | None
) -> _PasswordCheck:
    """Check a password against that of the group: slow, so before any transaction.

    Raises:
        TooManyGuesses: the limit of this minute is reached.
    """
    if not password:
        return _PasswordCheck(None, None)
    hash_ = await _find_hash(runtime, app_id, join.guid)
    if hash_ is None:
        return _PasswordCheck(None, None)
    _count_guess(runtime.rates, (app_id, "password guesses", join.guid, join.uid))
    is_right = await runtime.threads.run(
        app_id, lambda: is_password_of(hash_, password), user=join.actor.uid
    )
    if not is_right:
        return _PasswordCheck(hash_, None)
    return _PasswordCheck(hash_, hash_)


async def _find_hash(runtime: Runtime, app_id: str, guid: str) -> str | None:
    """Return the hash of a group's password; None if it has none."""
    found = await runtime.database.read(
        app_id, lambda snapshot: find_password_hashes(snapshot, [guid])
    )
    return found.get(guid)


def _count_guess(rates: Rates, subject: Hashable) -> None:
    """Count a guess, before it is known whether it is right: many may be made at once.

    The counts are kept for a minute, and each takes the time of a hash, so they are few.
    """
    if rates.count(subject) > GUESSES_PER_MINUTE:
        raise TooManyGuesses(
            f"The limit of {GUESSES_PER_MINUTE} passwords per minute for a group is reached.",
            retry_after_seconds=rates.seconds_left,
            resets_at=rates.resets_at,
        )


async def join_groups(tx: Transaction, joins: Sequence[Join], now: int) -> list[Entered | Refusal]:
    """Make the users members who may join; return an outcome for each."""
    await lock_counters(tx)
    context = await _find_context(tx, joins)
    refusals = [context.refuse(join) for join in joins]
    entrants = [
        Entrant(join.guid, join.uid, by=join.uid, refusal=context.refuse_password(join))
        for join, refusal in zip(joins, refusals, strict=True)
        if refusal is None
    ]
    entered = iter(await enter_members(tx, entrants, now))
    return [refusal or next(entered) for refusal in refusals]


JOIN = Batched[Join, Entered](join_groups, lock_counters)


@dataclass(frozen=True, slots=True)
class _JoinContext:
    """The rows that the joins name."""

    people: dict[str, Person]
    groups: dict[str, Group]
    hashes: dict[str, str]
    members: Collection[MemberPair]
    revoked: Collection[str]

    def refuse(self, join: Join) -> Refusal | None:
        """Return the refusal of a join, apart from the password, membership, ban and limits."""
        person, group = self.people.get(join.uid), self.groups.get(join.guid)
        refusal = refuse_actor(person, join.actor, self.revoked)
        if refusal is not None or person is None:
            return refusal
        rules = person.rules
        refusal = refuse_verb(rules, "joinGroup")
        if refusal is not None:
            return refusal
        if group is None:
            return GuidNotFound(join.guid)
        if group.type == PRIVATE and (group.conversation, join.uid) not in self.members:
            return GuidNotFound(join.guid)
        return refuse_kind(rules, "joinGroup.allowedGroupTypes", group.type)

    def refuse_password(self, join: Join) -> Refusal | None:
        """Return the refusal of a missing or wrong password."""
        if self.groups[join.guid].type != PASSWORD:
            return None
        if not join.has_password:
            return EmptyGroupPassword()
        is_correct = join.verified_hash and join.verified_hash == self.hashes.get(join.guid)
        return None if is_correct else WrongGroupPassword(join.guid)


async def _find_context(tx: Transaction, joins: Sequence[Join]) -> _JoinContext:
    groups = await find_groups(tx, {join.guid for join in joins})
    pairs = [(groups[join.guid].conversation, join.uid) for join in joins if join.guid in groups]
    return _JoinContext(
        people=await find_people(tx, {join.uid for join in joins}),
        groups=groups,
        hashes=await find_password_hashes(tx, groups),
        members=await find_members(tx, pairs),
        revoked=await find_revoked_tokens(tx, (join.actor.token for join in joins)),
    )
