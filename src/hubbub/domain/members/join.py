"""Join a group as oneself: public ones freely, others with their password."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import find_revoked_tokens, refuse_actor
from hubbub.domain.access.permissions import refuse_kind, refuse_verb
from hubbub.domain.members.enter import Entered, Entry, enter_members
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters
from hubbub.records.groups.model import PASSWORD, PRIVATE, Group, GuidNotFound
from hubbub.records.groups.passwords import EmptyGroupPassword, WrongGroupPassword, is_password_of
from hubbub.records.groups.store import find_groups, find_password_hashes
from hubbub.records.members.store import Pair, find_members
from hubbub.records.users.model import Person
from hubbub.records.users.store import find_people
from hubbub.runtime import Runtime
from hubbub.storage.batched import Batched
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class Join:
    """Somebody who wants to join; `proved` is the hash that his password was found to fit."""

    guid: str
    actor: Actor
    has_password: bool = False
    proved: str | None = None

    @property
    def uid(self) -> str:
        return self.actor.name


async def join_group(
    runtime: Runtime, app_id: str, actor: Actor, guid: str, password: str | None
) -> Entered:
    """Make the acting user a member.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: he may not join groups, or none of this type.
        GuidNotFound: there is no such group, or it is private.
        AlreadyJoined, BannedMember: he is in, or kept out.
        EmptyGroupPassword, WrongGroupPassword: it has a password, and his is another.
        NoVacancy, TooManyGroups: the group is full, or he is in too many.
    """
    proof = await _prove(runtime, app_id, guid, password)
    while True:
        join = Join(guid, actor, has_password=bool(password), proved=proof.proved)
        try:
            joined = await JOIN.call(runtime.batches, app_id, join)
        except WrongGroupPassword:
            before, proof = proof, await _prove(runtime, app_id, guid, password)
            if proof == before:  # it was not changed meanwhile, so it is wrong
                raise
        else:
            return joined


@dataclass(frozen=True, slots=True)
class _Proof:
    """The hash of a group's password, and the same again if it was proved to be known."""

    hash: str | None
    proved: str | None


async def _prove(runtime: Runtime, app_id: str, guid: str, password: str | None) -> _Proof:
    """Hold a password against that of the group: slow, so before any transaction."""
    if not password:
        return _Proof(None, None)
    found = await runtime.database.read(
        app_id, lambda snapshot: find_password_hashes(snapshot, [guid])
    )
    hash_ = found.get(guid)
    if hash_ is None or not await runtime.threads.run(lambda: is_password_of(hash_, password)):
        return _Proof(hash_, None)
    return _Proof(hash_, hash_)


async def join_groups(tx: Transaction, joins: Sequence[Join], now: int) -> list[Entered | Refusal]:
    """Make members of those who may join; one outcome each."""
    await lock_counters(tx)
    doors = await _look_up(tx, joins)
    refusals = [doors.refuse(join) for join in joins]
    entries = [
        Entry(join.guid, join.uid, by=join.uid, objection=doors.refuse_password(join))
        for join, refusal in zip(joins, refusals, strict=True)
        if refusal is None
    ]
    entered = iter(await enter_members(tx, entries, now))
    return [refusal or next(entered) for refusal in refusals]


JOIN = Batched[Join, Entered](join_groups)


@dataclass(frozen=True, slots=True)
class _Doors:
    """What the joins name, as it is in the store."""

    people: dict[str, Person]
    groups: dict[str, Group]
    hashes: dict[str, str]
    members: Collection[Pair]
    revoked: Collection[str]

    def refuse(self, join: Join) -> Refusal | None:
        """Why somebody may not even knock, if so."""
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
        """Why the password that he gave, or did not, does not let him in, if so."""
        if self.groups[join.guid].type != PASSWORD:
            return None
        if not join.has_password:
            return EmptyGroupPassword()
        is_right = join.proved is not None and join.proved == self.hashes.get(join.guid)
        return None if is_right else WrongGroupPassword(join.guid)


async def _look_up(tx: Transaction, joins: Sequence[Join]) -> _Doors:
    groups = await find_groups(tx, {join.guid for join in joins})
    pairs = [(groups[join.guid].conversation, join.uid) for join in joins if join.guid in groups]
    return _Doors(
        people=await find_people(tx, {join.uid for join in joins}),
        groups=groups,
        hashes=await find_password_hashes(tx, groups),
        members=await find_members(tx, pairs),
        revoked=await find_revoked_tokens(tx, (join.actor.token for join in joins)),
    )
