"""What is read of a user whose session joins: what they are told now, and were told before."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.outbox.heads import Position
from hubbub.realtime.feeds.recent import Told
from hubbub.realtime.feeds.visibility import UserVisibility
from hubbub.records.members.store import Membership, list_memberships
from hubbub.records.tokens.model import when_issued
from hubbub.records.users.model import User
from hubbub.records.users.store import Bearer, find_bearers, find_jwt_bearers
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Arrival:
    """A session that asks what its user is told."""

    token: str
    """The keyed hash of the auth token, or the name of a JWT."""
    since: int | None
    """The number after which the user is told; None: from now on."""
    uid: str = ""
    """The user of a JWT, by whom it is looked up."""

    @property
    def jwt(self) -> tuple[str, int] | None:
        """Return the user of a JWT and when it was issued; None for an auth token."""
        issued_at = when_issued(self.token)
        return None if issued_at is None else (self.uid, issued_at)


@dataclass(frozen=True, slots=True)
class Admission:
    """What a user is told, as of a position of the log, and what they were told up to it."""

    user: User
    position: Position
    visibility: UserVisibility
    memberships: Sequence[Membership]
    """Those that last, and those that have ended since the session's client was told anything."""
    first: int
    """The number of the first event since the user was created: earlier ones are not theirs."""

    def was_told(self, told: Told) -> bool:
        """Return whether the user was told an event up to the position."""
        groups = {
            each.conversation: each.hidden_upto
            for each in self.memberships
            if each.conversation in told.keys and each.includes(told.entry.number)
        }
        return UserVisibility(self.user.uid, self.visibility.rules, groups).includes(told)


async def read_admissions(
    runtime: Runtime, app_id: str, arrivals: Sequence[Arrival]
) -> list[Admission | None]:
    """Return what users are told; None if the token was revoked, or its user is not active."""

    async def within(snapshot: Snapshot) -> list[Admission | None]:
        stored = {each.token for each in arrivals if each.jwt is None}
        bearers = await find_bearers(snapshot, stored)
        jwts = {each.jwt for each in arrivals if each.jwt}
        of_jwts = await find_jwt_bearers(snapshot, runtime.sealer, jwts)
        found = [
            (each, of_jwts.get(each.jwt) if each.jwt else bearers.get(each.token))
            for each in arrivals
        ]
        after: dict[str, int] = {}
        for arrival, bearer in found:
            if bearer is not None:
                uid, first = bearer.person.user.uid, _first(arrival, bearer)
                after[uid] = min(first, after.get(uid, first))
        memberships = await list_memberships(snapshot, after)
        return [
            _admission(arrival, bearer, memberships[bearer.person.user.uid]) if bearer else None
            for arrival, bearer in found
        ]

    return await runtime.database.read(app_id, within, is_short=True)


def _first(arrival: Arrival, bearer: Bearer) -> int:
    return bearer.event if arrival.since is None else arrival.since


def _admission(arrival: Arrival, bearer: Bearer, memberships: Sequence[Membership]) -> Admission:
    person, first = bearer.person, _first(arrival, bearer)
    groups = {each.conversation: each.hidden_upto for each in memberships if each.to_event is None}
    return Admission(
        user=person.user,
        position=Position(bearer.epoch, bearer.event),
        visibility=UserVisibility(person.user.uid, person.rules, groups),
        memberships=[m for m in memberships if m.to_event is None or m.to_event > first],
        first=bearer.number,
    )
