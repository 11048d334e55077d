"""Open and close sessions in batches.

A user is available while any session of theirs is open, on any node. The calls of a batch take
effect in order; the rows of users and the totals are written once.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import msgspec

from hubbub.kernel.errors import NotAuthenticated, Refusal
from hubbub.outbox import lock_counters
from hubbub.outbox.registry import NAMES
from hubbub.records.metrics.model import day_of
from hubbub.records.metrics.store import raise_peak
from hubbub.records.presence import store
from hubbub.records.presence.events import UserConnected, UserConnectionStatusChanged
from hubbub.records.presence.model import (
    CONNECTED,
    DISCONNECTED,
    LATE_SECONDS,
    PresenceCounts,
    SessionKey,
    StoredSession,
)
from hubbub.records.settings.model import PRESENCE_ONLINE, settings_of
from hubbub.records.users.model import AVAILABLE, OFFLINE, UidNotFound, User
from hubbub.records.users.store import find_connecting, set_offline, store_presences
from hubbub.records.webhooks.store import is_heard
from hubbub.storage.batched import Batched, always
from hubbub.storage.interface import Transaction


async def are_connections_heard(tx: Transaction) -> bool:
    """Return whether a webhook is told who connects and disconnects; other apps write no event."""
    return await is_heard(tx, NAMES[UserConnectionStatusChanged])


def announce_connection(
    tx: Transaction,
    session: StoredSession,
    action: str,
    *,
    status: str,
    has_changed: bool,
    now: int,
) -> None:
    """Announce that a session was opened or closed, with the status that the user has by that."""
    tx.announce(
        UserConnectionStatusChanged(
            uid=session.uid,
            status=status,
            action=action,
            platform=session.platform,
            connected_at=session.connected_at,
            presence_changed=has_changed,
            at=now,
        )
    )


@dataclass(frozen=True, slots=True)
class Opening:
    """A session to be opened; if it is open already, nothing changes."""

    session: StoredSession

    @property
    def key(self) -> SessionKey:
        return self.session.key

    @property
    def uid(self) -> str:
        return self.session.uid


@dataclass(frozen=True, slots=True)
class Closing:
    """A session to be closed; if it is not open, nothing changes."""

    node: str
    id: str
    uid: str
    at: int | None = None
    """When the session is known to have been open for the last time; None is now."""

    @property
    def key(self) -> SessionKey:
        return self.node, self.id


@dataclass(frozen=True, slots=True)
class Presence:
    """A user after a session of theirs was opened or closed."""

    user: User | None
    """None: there is no such user any more."""
    has_changed: bool
    """Whether the user was offline before and is available now, or the reverse."""
    online: int
    """The users of the app who are available."""
    is_told: bool
    """Whether other users are to be told: of a change, while not too many users are available."""


async def change_sessions(
    tx: Transaction, drafts: Sequence[Opening | Closing], now: int
) -> list[Presence | Refusal]:
    """Open and close sessions; return one outcome each. A refusal does not affect others."""
    change = await _begin(tx, drafts, now)
    outcomes = [change.apply(draft) for draft in drafts]
    await change.write()
    return outcomes


CHANGE = Batched[Opening | Closing, Presence](change_sessions, lock_counters, is_optimistic=always)


async def _begin(tx: Transaction, drafts: Sequence[Opening | Closing], now: int) -> "_Change":
    counters = await lock_counters(tx)
    opening = next((draft.session.node for draft in drafts if isinstance(draft, Opening)), "")
    counts = await store.find_counts(tx, opening)
    assert counts is not None, "an app with counters has a row"
    calls = Counter(draft.uid for draft in drafts)
    return _Change(
        tx=tx,
        now=now,
        node=opening,
        counts=counts,
        most_told=settings_of(counters.settings).limit(PRESENCE_ONLINE),
        is_heard=await are_connections_heard(tx),
        users=await find_connecting(tx, calls),
        known=await store.find_sessions(tx, [draft.key for draft in drafts]),
        # If a user has more, they are available whatever the calls close.
        open=await store.list_sessions_of_users(tx, {uid: n + 1 for uid, n in calls.items()}),
        sessions=counts.sessions,
        peak=counts.sessions if any(_counts_today(each, now) for each in drafts) else 0,
        online=counts.online,
    )


def _counts_today(draft: Opening | Closing, now: int) -> bool:
    """Return whether a draft shows that the stored sessions counted as open today.

    Those of a node that failed on an earlier day may have stood there since.
    """
    if isinstance(draft, Opening) or draft.at is None:
        return True
    return day_of(draft.at + LATE_SECONDS) >= day_of(now)


@dataclass(slots=True)
class _Change:
    """The state of a call: stored records, and what the calls have changed."""

    tx: Transaction
    now: int
    node: str
    """The node that opens sessions; empty if none does."""
    counts: PresenceCounts
    most_told: int
    is_heard: bool
    """Whether a webhook is told of connections."""
    users: dict[str, tuple[User, int]]
    """Users with the day of their last connection."""
    known: dict[SessionKey, StoredSession]
    """The sessions that the calls name and that are open."""
    open: dict[str, set[SessionKey]]
    """Open sessions by uid, of each more than the calls close."""
    sessions: int
    peak: int
    """The most sessions that were open at once today, during this call; 0 if none is known."""
    online: int
    stored: dict[SessionKey, StoredSession] = field(init=False)
    changed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.stored = dict(self.known)

    def apply(self, draft: Opening | Closing) -> Presence | Refusal:
        """Carry out one call."""
        if isinstance(draft, Opening):
            return self._refuse(draft.uid) or self._open(draft.session)
        session = self.known.get(draft.key)
        if session is None or session.uid != draft.uid:
            return self._outcome(draft.uid, has_changed=False)
        del self.known[draft.key]
        self.open[draft.uid].discard(draft.key)
        self.sessions -= 1
        return self._update(session, DISCONNECTED, self.now if draft.at is None else draft.at)

    def _refuse(self, uid: str) -> Refusal | None:
        if self.counts.is_archived:
            return NotAuthenticated(
                f"There is no app {self.tx.app_id}.", code="AUTH_ERR_INVALID_APPID"
            )
        user, _ = self.users.get(uid, (None, 0))
        return None if user is not None and user.is_active else UidNotFound(uid)

    def _open(self, session: StoredSession) -> Presence:
        uid = session.uid
        if session.key in self.known:
            return self._outcome(uid, has_changed=False)
        self.known[session.key] = session
        self.open[uid].add(session.key)
        self.sessions += 1
        self.peak = max(self.peak, self.sessions)
        user, connected_day = self.users[uid]
        if connected_day < (day := day_of(session.connected_at)):
            self.users[uid] = user, day
            self.tx.announce(UserConnected(uid, session.connected_at))
        return self._update(session, CONNECTED, self.now)

    def _update(self, session: StoredSession, action: str, at: int) -> Presence:
        """Bring the row of a session's user up to date with their sessions, and announce it."""
        uid = session.uid
        if uid not in self.users:
            return self._outcome(uid, has_changed=False)
        user, day = self.users[uid]
        status = AVAILABLE if self.open[uid] else OFFLINE
        has_changed = user.status != status
        if has_changed:
            self.online += 1 if status == AVAILABLE else -1
        last = max(at, user.last_active_at or 0)
        self.users[uid] = msgspec.structs.replace(user, status=status, last_active_at=last), day
        self.changed.add(uid)
        if self.is_heard:
            announce_connection(
                self.tx, session, action, status=status, has_changed=has_changed, now=self.now
            )
        return self._outcome(uid, has_changed=has_changed)

    def _outcome(self, uid: str, *, has_changed: bool) -> Presence:
        user, _ = self.users.get(uid, (None, 0))
        is_told = has_changed and self.online <= self.most_told
        return Presence(user, has_changed, self.online, is_told)

    async def write(self) -> None:
        """Store what the calls have changed."""
        closed = [each for key, each in self.stored.items() if key not in self.known]
        opened = [each for key, each in self.known.items() if key not in self.stored]
        again = [each for key, each in self.known.items() if self.stored.get(key, each) is not each]
        if (opened or again) and self.counts.may_be_swept(self.now):
            await store.note_sign_of_life(self.tx, self.node, self.now)
        await store.delete_sessions(self.tx, closed)
        await store.insert_sessions(self.tx, opened)
        await store.replace_sessions(self.tx, again)
        await store_presences(self.tx, [self.users[uid] for uid in sorted(self.changed)])
        if closed or self.changed:
            await store.store_totals(self.tx, sessions=self.sessions, online=self.online)
            if self.peak:
                await raise_peak(self.tx, day_of(self.now), self.peak)


async def end_sessions(tx: Transaction, uids: Collection[str], now: int) -> None:
    """Delete all sessions of users, who are offline now; the counters are locked."""
    if await are_connections_heard(tx):
        await _announce_ends(tx, uids, now)
    online = await set_offline(tx, uids, now)
    ended = await store.delete_sessions_of(tx, uids)
    if not ended and not online:
        return
    counts = await store.find_counts(tx, "")
    assert counts is not None, "an app with counters has a row"
    await store.store_totals(tx, sessions=counts.sessions - ended, online=counts.online - online)


async def _announce_ends(tx: Transaction, uids: Collection[str], now: int) -> None:
    """Announce the end of each session; with the last one of a user, that they are offline."""
    sessions = await store.list_all_sessions_of(tx, uids)
    left = Counter(session.uid for session in sessions)
    for session in sessions:
        left[session.uid] -= 1
        is_last = not left[session.uid]
        status = OFFLINE if is_last else AVAILABLE
        announce_connection(tx, session, DISCONNECTED, status=status, has_changed=is_last, now=now)
