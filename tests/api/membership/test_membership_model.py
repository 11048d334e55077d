"""Memberships, by random calls and a plain model of them: answers, state and events."""

import asyncio
import copy
import itertools
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import argon2
import pytest
from tests.api.membership.membership_calls import (
    CHANGES,
    GUIDS,
    LOOKS,
    MOST_GROUPS,
    MOST_MEMBERS,
    NOWHERE,
    OF_THE_RUN,
    UIDS,
    Step,
    data_of,
    draw_one_by_one,
    draw_together,
    request_of,
)
from tests.api.membership.membership_model import Call, Event, Model, Outcome
from tests.api.membership.membership_state import APP, SYSTEM, Actor
from tests.api.messages.talk import stored
from tests.eventlog import list_logged
from tests.world import Node, World

from hubbub.domain.erasure.erase import erase_all
from hubbub.kernel import passwords
from hubbub.records.erasure.store import tables_of_conversations
from hubbub.storage.interface import Snapshot

Asked = tuple[Call, Outcome]
Draw = Callable[[int, int], list[Step]]

SEEDS_ONE_BY_ONE, CALLS_IN_A_ROW = range(600), 30
SEEDS_AT_ONCE, STEPS_OF_MANY = range(400), 5
TRIES_AT_ONCE = 5
"""The number of attempts with concurrent calls: they do not fail every time."""


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace password hashing with a fast one."""
    quick = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "HASHER", quick)


# Steps ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Run:
    """An app and its model, on which steps are run."""

    node: Node
    world: World
    model: Model = field(default_factory=lambda: Model(MOST_MEMBERS, MOST_GROUPS))
    tokens: dict[str, str] = field(default_factory=dict)

    async def take(self, step: Step) -> None:
        """Run a step; erasures and the like run beside its calls, and once more afterwards."""
        calls = [call for call in step if call.verb not in OF_THE_RUN]
        beside = [call for call in step if call.verb in OF_THE_RUN]
        if calls:
            await self.send(calls, is_erasing=bool(beside))
        for call in beside:
            await getattr(self, call.verb)(**call.args)

    async def send(self, calls: Step, *, is_erasing: bool) -> None:
        """Send calls together, and compare answers and events with the model."""
        self.model.begin(self.node.clock.now())
        sending = asyncio.gather(*map(self.ask, calls))
        if is_erasing:
            await erase_all(self.node.runtime)
        asked = list(zip(calls, await sending, strict=True))
        new_events = await self.new_events()
        if len(asked) == 1:
            self.check_alone(*asked[0], new_events)
            return
        explained = explain(self.model, asked, new_events)
        if explained is None:
            raise AssertionError(describe_unexplained(self.model, asked, new_events))
        self.model = explained

    async def ask(self, call: Call) -> Outcome:
        """Return the outcome of a call."""
        token = self.tokens.get(call.by.name, "none") if call.by.by_token else None
        method, path, body = request_of(call)
        as_ = None if token else call.by.uid
        answer = await self.world.ask(method, path, body, token=token, as_=as_)
        if answer.status != 200:
            return Outcome(answer.error["code"])
        if call.verb == "create_user":
            self.tokens[call.args["uid"]] = answer.data["authToken"]
        return Outcome(data=data_of(call, answer))

    async def new_events(self) -> list[Event]:
        """Return the log after the latest known event; check that its numbers have no gap."""
        after = self.model.event

        async def within(snapshot: Snapshot) -> list[Any]:
            return await list_logged(snapshot, after)

        rows = await self.node.runtime.database.read(self.world.app_id, within)
        agree("numbers", [row[0] for row in rows], [*range(after + 1, after + 1 + len(rows))])
        return [(row[2], without_hashes(json.loads(row[4]))) for row in rows]

    def check_alone(self, call: Call, outcome: Outcome, new_events: list[Event]) -> None:
        """Compare the outcome of a single call with the model."""
        agree(f"{call} answers", outcome, self.model.carry_out(call, new_events))
        agree(f"{call} logs", settled(new_events), self.model.log)

    # Besides calls --------------------------------------------------------------------------

    async def pause(self, seconds: int) -> None:
        """Advance the clock."""
        self.node.clock.advance(seconds)

    async def erase(self) -> None:
        """Run all erasures; check that deleted groups have no rows."""
        await erase_all(self.node.runtime)
        self.model.erase()
        tables = [("conversations", "number"), ("messages", "conversation")]
        tables += [(table.name, "conversation") for table in tables_of_conversations()]
        for table, column in tables:
            found = await self.rows(f"SELECT DISTINCT {column} FROM {table} WHERE app_id = :app_id")
            dead = {row[0] for row in found} - {each.number for each in self.groups()}
            agree(f"what is left in {table}", dead, set())
        lasting = "SELECT conversation FROM memberships WHERE app_id = :app_id AND to_event IS NULL"
        dead = {row[0] for row in await self.rows(lasting)} - {
            each.number for each in self.groups()
        }
        agree("memberships that have not ended", dead, set())

    async def compare(self) -> None:
        """Compare everything visible, and the tables, with the model."""
        await self.compare_views()
        await self.compare_tables()
        for group in self.groups():
            assert group.owner == SYSTEM or group.members[group.owner].scope == "admin", group

    async def compare_views(self) -> None:
        """Compare what the app sees, and what each user sees of their groups."""
        calls = [Call("list_users"), Call("list_groups", args={"only_joined": False})]
        calls += [Call("get_group", args={"guid": guid}) for guid in (*GUIDS, NOWHERE)]
        for group in self.groups():
            verbs = ("list_members", "list_bans", "list_messages")
            calls += [Call(verb, args={"guid": group.guid}) for verb in verbs]
        for uid in self.model.list_users(APP):
            of_both_kinds = ({"only_joined": only} for only in (False, True))
            calls += [Call("list_groups", Actor(uid), args) for args in of_both_kinds]
        for call, outcome in zip(calls, await asyncio.gather(*map(self.ask, calls)), strict=True):
            agree(f"{call} answers", outcome, self.model.carry_out(call))

    async def compare_tables(self) -> None:
        """Compare the tables of groups, and the counts."""
        model = self.model
        members = sorted((each.number, uid) for each in self.groups() for uid in each.members)
        agree("members", await self.of_groups("members", "t.uid"), members)
        agree("participants", await self.of_groups("participants", "t.uid"), members)
        found = await self.of_groups("memberships", "t.uid, t.from_event, t.to_event")
        agree("memberships", found, spans_of(model))
        active = len(model.list_users(APP))
        counted = (model.message, model.event, model.conversation, active, len(model.groups))
        columns = "message, event, conversation, users, groups"
        found = await self.rows(f"SELECT {columns} FROM counters WHERE app_id = :app_id")
        agree("counters", found, [counted])

    async def of_groups(self, table: str, columns: str) -> list[Any]:
        """Return the rows of existing groups, sorted by their first column."""
        rows = await self.rows(
            f"SELECT g.conversation, {columns} FROM {table} t"
            " JOIN groups g ON g.app_id = t.app_id AND g.conversation = t.conversation"
            " WHERE t.app_id = :app_id"
        )
        return sorted((tuple(row) for row in rows), key=lambda row: row[:3])

    async def rows(self, text: str) -> list[Any]:
        return list(await stored(self.node, self.world, text))

    def groups(self) -> list[Any]:
        return list(self.model.groups.values())


async def begin(node: Node) -> Run:
    """Start a run in a fresh world with low limits of groups and members."""
    world = await node.world()
    limits = {"limits.groupMembers": MOST_MEMBERS, "limits.groupsPerUser": MOST_GROUPS}
    await world.put("/settings", {"settings": limits})
    return Run(node, world)


def spans_of(model: Model) -> list[Any]:
    """Return the expected rows of `memberships`."""
    spans = [
        (group.number, span.uid, span.from_event, span.to_event)
        for group in model.groups.values()
        for span in group.spans
    ]
    return sorted(spans, key=itemgetter(0, 1, 2))


def without_hashes(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body of an event, without hashes of tokens."""
    return {name: value for name, value in body.items() if name != "hashes"}


def settled(events: Sequence[Event]) -> list[Event]:
    """Sort the events of one call by guid: a user leaves all groups at once."""
    runs = itertools.groupby(events, itemgetter(0))
    return [event for _, run in runs for event in sorted(run, key=lambda it: it[1].get("guid", ""))]


def agree(what: str, found: object, expected: object) -> None:
    """Compare a found value with the model's."""
    if found != expected:
        raise AssertionError(f"{what}\n  {found}\nexpected\n  {expected}")


# Explanation ------------------------------------------------------------------------------------


def explain(model: Model, asked: Sequence[Asked], new_events: list[Event]) -> Model | None:
    """Return the model after the calls, in an order that explains answers and events."""
    if not asked:
        return None if new_events else model
    for place, (call, outcome) in enumerate(asked):
        after = copy.deepcopy(model)
        after.log = []
        expected = after.carry_out(call, new_events)
        count = len(after.log)
        if outcome != expected:
            continue
        if settled(new_events[:count]) != after.log:
            continue
        found = explain(after, [*asked[:place], *asked[place + 1 :]], new_events[count:])
        if found is not None or outcome.code:  # refused calls change nothing: they may come first
            return found
    return None


def describe_unexplained(model: Model, asked: Sequence[Asked], new_events: Sequence[Event]) -> str:
    """Return answers and events, and what each call would have led to on its own."""
    lines = ["No order of the calls explains what became of them:"]
    for call, outcome in asked:
        alone = copy.deepcopy(model).carry_out(call)
        lines += [str(call), f"  answered {outcome}", f"  by itself {alone}"]
    lines += ["The log:", *(f"  {name} {body}" for name, body in new_events)]
    lines += ["Before:", *(f"  {group}" for group in model.groups.values())]
    lines += [f"  {uid} {user}" for uid, user in model.users.items()]
    return "\n".join(lines)


# Shrinking --------------------------------------------------------------------------------------


async def fault_of(node: Node, steps: Sequence[Step]) -> str:
    """Return the failure when these steps run in a fresh world; empty if there is none."""
    run = await begin(node)
    try:
        for step in steps:
            await run.take(step)
        await run.compare()
        await run.erase()
        await run.compare()
    except AssertionError as fault:
        return str(fault)
    return ""


async def shorten(
    steps: Sequence[Step], fails: Callable[[Sequence[Step]], Awaitable[bool]]
) -> Sequence[Step]:
    """Leave out calls as long as the rest still fails."""
    calls = [(number, call) for number, step in enumerate(steps) for call in step]
    size = len(calls) // 2
    while size:
        for start in range(0, len(calls), size):
            fewer = calls[:start] + calls[start + size :]
            if fewer and await fails(in_steps(fewer)):
                calls = fewer
                break
        else:
            size //= 2
    return in_steps(calls)


def in_steps(calls: Sequence[tuple[int, Call]]) -> list[Step]:
    """Return numbered calls as steps."""
    return [[call for _, call in step] for _, step in itertools.groupby(calls, itemgetter(0))]


async def check_sequences(node: Node, draw: Draw, seeds: range, length: int) -> None:
    """Draw and run sequences; fail with a shortened form of the first that fails."""
    for seed in seeds:
        steps = draw(seed, length)
        fault = await fault_of(node, steps)
        if fault:
            await fail_with_shortest(node, seed, steps, fault)


async def fail_with_shortest(node: Node, seed: int, steps: Sequence[Step], fault: str) -> None:
    """Fail with the shortest sequence found, and its failure."""
    faults = [fault]

    async def fails(fewer: Sequence[Step]) -> bool:
        for _ in range(TRIES_AT_ONCE if any(len(step) > 1 for step in fewer[1:]) else 1):
            if found := await fault_of(node, fewer):
                faults.append(found)
                return True
        return False

    shortest = await shorten(steps, fails)
    lines = [" | ".join(map(str, step)) for step in shortest]
    pytest.fail("\n".join([f"Seed {seed}, shortened:", *lines, faults[-1]]), pytrace=False)


# Tests ------------------------------------------------------------------------------------------


async def test_calls_one_by_one(node: Node) -> None:
    """Each call answers as the rules say, and everything visible and stored agrees with them."""
    await check_sequences(node, draw_one_by_one, SEEDS_ONE_BY_ONE[:16], CALLS_IN_A_ROW)


async def test_calls_at_once(node: Node) -> None:
    """Concurrent calls end like the same calls in the order of the log."""
    await check_sequences(node, draw_together, SEEDS_AT_ONCE[:16], STEPS_OF_MANY)


def test_the_sequences_are_of_use() -> None:
    """Some calls of each verb succeed, and some are refused."""
    drawn = {(verb, is_refused) for verb in {**CHANGES, **LOOKS} for is_refused in (False, True)}
    met = set()
    for seed in SEEDS_ONE_BY_ONE:
        model = Model(MOST_MEMBERS, MOST_GROUPS)
        for call in itertools.chain(*draw_one_by_one(seed, CALLS_IN_A_ROW)):
            model.begin(0)
            if call.verb not in OF_THE_RUN:
                met.add((call.verb, bool(model.carry_out(call).code)))

    assert met == drawn


@pytest.mark.campaign
async def test_many_calls_one_by_one(node: Node) -> None:
    """A large number of sequences breaks no rule."""
    await check_sequences(node, draw_one_by_one, SEEDS_ONE_BY_ONE, CALLS_IN_A_ROW)


@pytest.mark.campaign
async def test_many_calls_at_once(node: Node) -> None:
    """For any concurrent calls, some order of them explains the end."""
    await check_sequences(node, draw_together, SEEDS_AT_ONCE, STEPS_OF_MANY)


async def test_the_last_place(node: Node) -> None:
    """Of all users who want the last place of a group at once, by any way, one gets it."""
    run = await begin(node)
    await run.take([Call("create_user", args={"uid": uid}) for uid in UIDS])
    for guid in GUIDS:
        await run.take([new_group(guid, "anna", "ben")])
        joins = [Call("join", Actor(uid), {"guid": guid, "password": None}) for uid in UIDS[2:]]
        await run.take([*joins, Call("add", args={"guid": guid, "lists": {"admins": ["dora"]}})])

        assert len(run.model.groups[guid].members) == MOST_MEMBERS
        await run.compare()
        await run.take([Call("delete_group", args={"guid": guid})])


def new_group(guid: str, *members: str) -> Call:
    """Return a call that creates a public group of the app."""
    given = {"guid": guid, "type": "public", "password": None, "owner": None}
    return Call("create_group", args={**given, "lists": {"participants": members}})
