"""What a user is told, as of a position of the log, and how it changes with the events after it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.access.credentials import AuthTokenUnknown
from hubbub.outbox.heads import Position
from hubbub.realtime.feeds.audience import ends_session, find_earlier
from hubbub.realtime.feeds.crowd import find_hidden, list_entering, list_leaving
from hubbub.realtime.feeds.kinds import rules_after
from hubbub.realtime.feeds.recent import Told
from hubbub.records.groups.events import GroupDeleted
from hubbub.records.members.store import Membership, list_memberships
from hubbub.records.roles.model import RoleRules
from hubbub.records.users.model import User
from hubbub.records.users.store import Bearer, find_bearers
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(slots=True)
class Standing:
    """What a user is told, as of a position of the log."""

    user: User
    rules: RoleRules
    """Those of the user's role."""
    token: str
    """The keyed hash of the auth token."""
    position: Position
    memberships: list[Membership]
    first: int
    """The number of the first event since the user was created: earlier ones are not theirs."""

    @property
    def groups(self) -> set[int]:
        """Return the conversations of the groups of which the user is a member."""
        return {each.conversation for each in self.memberships if each.to_event is None}

    @property
    def hidden(self) -> dict[int, int]:
        """Return the ids up to which messages are not shown to the user, by group."""
        return {
            each.conversation: each.hidden_upto
            for each in self.memberships
            if each.to_event is None and each.hidden_upto
        }

    def is_told(self, told: Told) -> bool:
        """Return whether the user is told an event."""
        number, earlier = told.entry.number, find_earlier(told.entry.event)
        return self.user.uid in told.keys or any(
            each.conversation in told.keys
            and each.includes(number)
            and (earlier is None or earlier[1] > each.hidden_upto)
            for each in self.memberships
        )

    def apply(self, told: Told) -> None:
        """Go on to the next event.

        Raises:
            AuthTokenUnknown: the user or the token is refused from that event on.
        """
        event, number, uid = told.entry.event, told.entry.number, self.user.uid
        if ends_session(event, uid, self.token):
            raise AuthTokenUnknown
        self.rules = rules_after(event, uid, self.rules)
        for conversation, each in list_entering(event):
            if each == uid and conversation not in self.groups:
                hidden = find_hidden(event)
                self.memberships.append(Membership(conversation, number, None, hidden))
        for conversation, each in list_leaving(event):
            if each == uid:
                self._end(conversation, number)
        if isinstance(event, GroupDeleted):
            self._end(event.conversation, number)

    def _end(self, conversation: int, number: int) -> None:
        self.memberships = [
            replace(each, to_event=number)
            if each.conversation == conversation and each.to_event is None
            else each
            for each in self.memberships
        ]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A session that asks what its user is told."""

    token: str
    """The keyed hash of the auth token."""
    since: int | None
    """The number after which the user is told; None: from now on."""


async def read_standings(
    runtime: Runtime, app_id: str, arrivals: Sequence[Arrival]
) -> list[Standing | None]:
    """Return what users are told; None if the token was revoked, or its user is not active."""

    async def within(snapshot: Snapshot) -> list[Standing | None]:
        bearers = await find_bearers(snapshot, {each.token for each in arrivals})
        found = [(each, bearers.get(each.token)) for each in arrivals]
        after: dict[str, int] = {}
        for arrival, bearer in found:
            if bearer is not None:
                uid, first = bearer.person.user.uid, _first(arrival, bearer)
                after[uid] = min(first, after.get(uid, first))
        memberships = await list_memberships(snapshot, after)
        return [
            _standing(arrival, bearer, memberships[bearer.person.user.uid]) if bearer else None
            for arrival, bearer in found
        ]

    return await runtime.database.read(app_id, within, is_short=True)


def _first(arrival: Arrival, bearer: Bearer) -> int:
    return bearer.event if arrival.since is None else arrival.since


def _standing(arrival: Arrival, bearer: Bearer, memberships: Sequence[Membership]) -> Standing:
    person, first = bearer.person, _first(arrival, bearer)
    return Standing(
        user=person.user,
        rules=person.rules,
        token=arrival.token,
        position=Position(bearer.epoch, bearer.event),
        memberships=[m for m in memberships if m.to_event is None or m.to_event > first],
        first=bearer.number,
    )
