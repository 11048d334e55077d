"""Over random events, what users are told is what a plain model says: live, and after a resume."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hubbub.http.server.websocket import WebSocket
from hubbub.kernel.measures import SocketMeasures
from hubbub.outbox.audience import EventPlaces
from hubbub.outbox.heads import Position
from hubbub.outbox.log import LogEntry
from hubbub.realtime.feeds.admission import Admission
from hubbub.realtime.feeds.kinds import lists_all
from hubbub.realtime.feeds.listeners import Listener, Listeners
from hubbub.realtime.feeds.recent import Told
from hubbub.realtime.feeds.told import keys_of
from hubbub.realtime.feeds.visibility import UserVisibility, close_to, go_on, open_to
from hubbub.realtime.sessions.origins import Refused
from hubbub.records.groups.events import GroupCreated, GroupDeleted
from hubbub.records.members.events import (
    GroupMemberAdded,
    GroupMemberBanned,
    GroupMemberJoined,
    GroupMemberKicked,
    GroupMemberLeft,
    MembersImported,
)
from hubbub.records.members.store import Membership
from hubbub.records.pins.events import MessagePinned
from hubbub.records.roles.events import RolePermissionsChanged, UserRoleChanged
from hubbub.records.roles.model import RoleRules
from hubbub.records.users.model import User
from hubbub.storage.interface import Event

UIDS = ("anna", "ben", "cleo")
GROUPS = (7, 8)
ROLES = ("default", "reader")
RULES = RoleRules("default")
MESSAGES = st.integers(1, 4)
CATEGORY = "listMessages.allowedMessageCategories"

uids, groups = st.sampled_from(UIDS), st.sampled_from(GROUPS)
hidden = st.integers(0, 3)


def _of_member(kind: type[Any], **fields: object) -> st.SearchStrategy[Event]:
    plain = {"guid": "g", "message": 1, "shows": True, "members_count": 1, "at": 1, **fields}
    return st.builds(
        lambda uid, group, **more: kind(uid=uid, conversation=group, **plain, **more),
        uids,
        groups,
        **({"hidden_upto": hidden} if "joined_at" in plain else {}),
    )


_permissions = st.sampled_from([{}, {CATEGORY: ["message"]}])
GROUP_EVENTS = (
    _of_member(GroupMemberJoined, scope="participant", joined_at=1),
    _of_member(GroupMemberAdded, scope="participant", joined_at=1, by="dora"),
    st.builds(GroupCreated, st.just("g"), groups, uids, st.just("dora"), st.just(1)),
    st.builds(
        lambda some, group, upto: MembersImported(
            conversation=group, uids=some, hidden_upto=upto, at=1
        ),
        st.lists(uids, unique=True, min_size=1),
        groups,
        hidden,
    ),
    _of_member(GroupMemberLeft),
    _of_member(GroupMemberKicked, by="dora"),
    _of_member(GroupMemberBanned, by="dora", banned_at=1),
    st.builds(
        lambda group: GroupDeleted("g", group, "G", "public", "dora", 1),
        groups,
    ),
    st.builds(
        lambda message, group: MessagePinned(message=message, conversation=group, by="dora", at=1),
        MESSAGES,
        groups,
    ),
)
ROLE_EVENTS = (
    st.builds(RolePermissionsChanged, st.sampled_from(ROLES), _permissions, st.just(1)),
    st.builds(UserRoleChanged, uids, st.sampled_from(ROLES), _permissions, st.just(1)),
)


def _numbered(events: Sequence[Event]) -> list[Told]:
    nowhere = EventPlaces({}, {})
    return [
        Told(LogEntry(number, "1", event), keys_of(event, nowhere))
        for number, event in enumerate(events, 1)
    ]


HISTORIES = st.lists(st.one_of(*GROUP_EVENTS, *ROLE_EVENTS), max_size=30).map(_numbered)


@dataclass(slots=True)
class Model:
    """What a user was told, from the whole history at once: ranges of events, by group."""

    uid: str
    memberships: list[Membership] = field(default_factory=list)

    def learn(self, history: Sequence[Told]) -> "Model":
        """Find the ranges in which the user is a member."""
        for group in GROUPS:
            self.memberships += self._ranges(group, history)
        return self

    def _ranges(self, group: int, history: Sequence[Told]) -> Iterator[Membership]:
        changes = [
            (each.entry.number, change)
            for each in history
            if (change := self._change(group, each.entry.event)) is not None
        ]
        # Of several changes of the same direction in a row, the first one counts.
        runs = [next(run) for _, run in groupby(changes, lambda each: each[1] is False)]
        starts = [each for each in runs if each[1] is not False]
        ends = [number for number, change in runs if change is False]
        for number, hidden_upto in starts:
            end = next((each for each in ends if each > number), None)
            yield Membership(group, number, end, int(hidden_upto))

    def _change(self, group: int, event: Event) -> int | bool | None:
        """Return up to which message all is hidden to who enters; False for the end."""
        if getattr(event, "conversation", None) != group:
            return None
        concerned = getattr(event, "uids", None) or [
            getattr(event, "uid", None) or getattr(event, "owner", None)
        ]
        match event:
            case GroupMemberLeft() | GroupMemberKicked() | GroupMemberBanned():
                return False if self.uid in concerned else None
            case GroupDeleted():
                return False
            case MessagePinned():
                return None
        return getattr(event, "hidden_upto", 0) if self.uid in concerned else None

    def is_told(self, told: Told) -> bool:
        """Return whether the user was told an event."""
        event, number = told.entry.event, told.entry.number
        pinned = event.message if isinstance(event, MessagePinned) else 2**62
        return self.uid in told.keys or any(
            each.conversation in told.keys and each.includes(number) and pinned > each.hidden_upto
            for each in self.memberships
        )


def nothing_of(uid: str) -> UserVisibility:
    """Return what a user is told before everything."""
    return UserVisibility(uid, RULES, {})


@given(HISTORIES)
def test_all_users_are_told_what_the_model_says(history: list[Told]) -> None:
    """Users whom events reach together are told what the model says of each alone."""
    users = {uid: nothing_of(uid) for uid in UIDS}
    heard: dict[str, list[int]] = {uid: [] for uid in UIDS}
    for told in history:
        open_to(users, told.entry.event)
        for uid in UIDS:
            if users[uid].includes(told):
                heard[uid].append(told.entry.number)
        close_to(users, told.entry.event)

    for uid in UIDS:
        model = Model(uid).learn(history)
        assert heard[uid] == [each.entry.number for each in history if model.is_told(each)]


@given(HISTORIES, st.integers(0, 30), uids)
def test_a_resume_tells_what_live_sessions_are_told(
    history: list[Told], read_at: int, uid: str
) -> None:
    """From what was read at any event follows what was told before, and what is told after it."""
    before, after = history[:read_at], history[read_at:]
    ranges, live = Model(uid).learn(before).memberships, nothing_of(uid)
    expected = [each for each in history if go_on(live, each)]
    groups = {each.conversation: each.hidden_upto for each in ranges if each.to_event is None}
    rules = nothing_of(uid)
    for each in before:
        open_to({uid: rules}, each.entry.event)
    read = UserVisibility(uid, rules.rules, groups)
    user = User(uid=uid, name=uid, role="default", created_at=1)
    admission = Admission(user, Position(1, len(before)), read, ranges, 1)

    told = [each for each in before if admission.was_told(each)]
    told += [each for each in after if go_on(admission.visibility, each)]

    assert told == expected
    assert admission.visibility == live


@given(HISTORIES, uids)
def test_rules_are_those_of_the_last_change(history: list[Told], uid: str) -> None:
    """A user has the rules that the last change of their role, or of them, gave to it."""
    visibility, role = nothing_of(uid), "default"
    expected: object = {}
    for told in history:
        go_on(visibility, told)
        match told.entry.event:
            case UserRoleChanged(uid=changed) as event if changed == uid:
                role, expected = event.role, event.permissions
            case RolePermissionsChanged(role=changed) as event if changed == role:
                expected = event.permissions

    assert (visibility.rules.role, visibility.rules.permissions) == (role, expected)


@given(HISTORIES, st.lists(st.tuples(uids, st.integers(0, 30), st.integers(0, 30)), max_size=6))
def test_listeners_are_found_by_what_their_users_are_told(
    history: list[Told], stays: list[tuple[str, int, int]]
) -> None:
    """While sessions come and go, each is found under its user and their groups, and no others."""
    listeners = Listeners()
    sessions = [(_listener(number, stay[0]), stay) for number, stay in enumerate(stays)]
    users = {uid: nothing_of(uid) for uid in UIDS}
    for number, told in enumerate(history):
        for listener, (_, enters_at, leaves_at) in sessions:
            if enters_at == number:
                user = users[listener.uid]
                listeners.enter(listener, UserVisibility(user.uid, user.rules, dict(user.groups)))
            if leaves_at == number:
                assert listeners.leave(listener) == (enters_at <= number)
        event = told.entry.event
        for take, there in ((open_to, listeners.open), (close_to, listeners.close)):
            take(users, event)
            there(event)
            here = listeners.everyone
            for uid, user in users.items():
                mine = {each for each in here if each.uid == uid}
                assert set(listeners.of_user(uid)) == mine
                assert all(each.visibility == user for each in mine)
                assert listeners.ruled >= mine if not lists_all(user.rules) else True
            for group in GROUPS:
                members = {each for each in here if group in users[each.uid].groups}
                assert set(listeners.of((group,))) == members
                assert listeners.has_any((group,)) == bool(members)
                pin = MessagePinned(message=2, conversation=group, by="dora", at=1)
                shown = {each for each in members if users[each.uid].groups[group] < 2}
                assert set(listeners.list_shown(members, pin)) == shown


def _listener(number: int, uid: str) -> Listener:
    socket = WebSocket(Refused("", SocketMeasures()))
    return Listener(socket, f"{number}", 1, most_held=5, uid=uid)
