"""Conversations, receipts and unread counts, by random calls and a plain model of them."""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.api.conversations.conversation_calls import (
    FOUNDATION,
    OF_THE_RUN,
    OFFERED,
    TAGS,
    Step,
    draw,
)
from tests.api.conversations.conversation_model import Call, Model, Outcome
from tests.api.conversations.conversation_state import SYSTEM, UIDS
from tests.api.conversations.conversation_wire import data_of, request_of
from tests.world import Node, World

from hubbub.domain.erasure.erase import erase_all

SEEDS, LENGTH = range(1000), 45
RECEIPTS_LOOKED_AT = 4
ALL_TALKS = {"unread": False, "pinned": False, "with_blocked": True, "tag": ""}
TALKS_WANTED: list[dict[str, Any]] = [
    {},
    {"with_blocked": False},
    {"unread": True},
    {"pinned": True},
    {"tag": TAGS[0]},
]
ALL_MESSAGES = {"unread": False, "undelivered": False}
MESSAGES_WANTED = [{}, {"unread": True}, {"undelivered": True}]


# Steps ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Run:
    """An app and its model, on which steps are run."""

    node: Node
    world: World
    model: Model = field(default_factory=Model)
    told: list[str] = field(default_factory=list)
    """The calls that change something, as they were made."""

    async def take(self, step: Step) -> None:
        """Run a step."""
        for call in step:
            if call.verb in OF_THE_RUN:
                await getattr(self, call.verb)(call.by, **call.args)
                return
        await self.send(step)

    async def send(self, step: Step) -> None:
        """Send calls together, and compare the answers with the model."""
        self.model.now = self.node.clock.now()
        calls = [self.model.resolve(call) for call in step]
        outcomes = await asyncio.gather(*map(self.ask, calls))
        asked = sorted(zip(calls, outcomes, strict=True), key=lambda each: _order(each[1]))
        self.told += [self.line(*each, is_one_of_many=len(step) > 1) for each in asked]
        for call, outcome in asked:
            self.agree(call, outcome)
            if call.args.get("by_token"):  # others find the messages until they are erased
                await erase_all(self.node.runtime)

    async def ask(self, call: Call) -> Outcome:
        """Return the outcome of a call."""
        method, path, body = request_of(self.model, call)
        token = await self.world.token(call.by) if call.args.get("by_token") else None
        is_apps = call.by == SYSTEM or call.verb in ("block", "unblock")
        as_ = None if is_apps or token else call.by
        answer = await self.world.ask(method, path, body, as_=as_, token=token)
        if answer.status != 200:
            return Outcome(answer.error["code"])
        if call.verb == "list_talks":
            assert answer.meta["pagination"]["total"] == len(answer.data), f"{path}: {answer}"
        return Outcome(data=data_of(call, answer))

    def agree(self, call: Call, outcome: Outcome) -> None:
        """Compare an answer with the model."""
        expected = self.model.carry_out(call)
        if outcome != expected:
            raise AssertionError(f"{self.line(call)}\n{_difference(outcome, expected)}")

    def line(
        self, call: Call, outcome: Outcome | None = None, *, is_one_of_many: bool = False
    ) -> str:
        """Return a call as text."""
        method, path, body = request_of(self.model, call)
        text = "" if body is None else json.dumps(body)
        code = outcome.code if outcome else ""
        together = "(together) " if is_one_of_many else ""
        by = f"{call.by} by token" if call.args.get("by_token") else call.by
        return f"{self.model.now} {together}{by}: {method} {path} {text} {code}".rstrip()

    # Besides calls --------------------------------------------------------------------------

    async def pause(self, by: str, seconds: int) -> None:
        """Advance the clock."""
        self.node.clock.advance(seconds)

    async def look(self, by: str) -> None:
        """Compare everything that a user can see with the model."""
        calls = looks_of(self.model, by)
        for call, outcome in zip(calls, await asyncio.gather(*map(self.ask, calls)), strict=True):
            self.agree(call, outcome)


def looks_of(model: Model, by: str) -> list[Call]:
    """Return all calls that read a user's conversations."""
    calls = [Call("list_talks", by, {**ALL_TALKS, **wanted}) for wanted in TALKS_WANTED]
    calls += [Call("list_messages", by, {**ALL_MESSAGES, **wanted}) for wanted in MESSAGES_WANTED]
    if by == SYSTEM:
        calls = [Call("list_talks", by, ALL_TALKS), Call("list_messages", by, ALL_MESSAGES)]
    for talk in model.talks.values():
        if talk.guid or (by in talk.key and by != SYSTEM):
            calls.append(Call("list_messages_at", by, {"at": talk.other_than(by)}))
            calls += [Call("get", by, {"at": talk.other_than(by)})] * (by != SYSTEM)
    newest = [message.id for _, message in model.messages][-RECEIPTS_LOOKED_AT:]
    return [*calls, *(Call("list_receipts", by, {"on": on}) for on in newest)]


def _order(outcome: Outcome) -> int:
    """Return the order of concurrent calls; messages are ordered by their ids."""
    return outcome.data[0] if isinstance(outcome.data, tuple) else 0


def _difference(found: Outcome, expected: Outcome) -> str:
    """Return the difference of two answers; for lists, the rows that differ."""
    if not (isinstance(found.data, list) and isinstance(expected.data, list)):
        return f"answers\n  {found}\nexpected\n  {expected}"
    there = [f"  {row}" for row in found.data if row not in expected.data]
    wanted = [f"  {row}" for row in expected.data if row not in found.data]
    if not there and not wanted:
        return f"answers in this order\n  {found.data}\nexpected\n  {expected.data}"
    return "\n".join(["answers", *there, "expected", *wanted])


# Shrinking --------------------------------------------------------------------------------------


async def fault_of(node: Node, steps: Sequence[Step]) -> str:
    """Return the failure when these steps run in a fresh world; empty if there is none."""
    run = Run(node, await node.world())
    for call in FOUNDATION:
        await run.take([call])
    try:
        for step in steps:
            await run.take(step)
        await erase_all(node.runtime)
        for by in (*UIDS, SYSTEM):
            await run.look(by)
    except AssertionError as fault:
        return "\n".join([*run.told, str(fault)])
    return ""


async def shorten(
    steps: Sequence[Step], fails: Callable[[Sequence[Step]], Awaitable[bool]]
) -> Sequence[Step]:
    """Leave out steps as long as the rest still fails."""
    size = len(steps) // 2
    while size:
        for start in range(0, len(steps), size):
            fewer = [*steps[:start], *steps[start + size :]]
            if await fails(fewer):
                steps = fewer
                break
        else:
            size //= 2
    return steps


async def check_sequences(node: Node, seeds: range) -> None:
    """Draw and run sequences; fail with a shortened form of the first that fails."""
    for seed in seeds:
        steps = draw(seed, LENGTH)
        if fault := await fault_of(node, steps):
            await fail_with_shortest(node, seed, steps, fault)


async def fail_with_shortest(node: Node, seed: int, steps: Sequence[Step], fault: str) -> None:
    """Fail with the shortest sequence found, and its failure."""
    faults = [fault]

    async def fails(fewer: Sequence[Step]) -> bool:
        found = await fault_of(node, fewer)
        if found:
            faults.append(found)
        return bool(found)

    await shorten(steps, fails)
    pytest.fail(f"Seed {seed}, shortened:\n{faults[-1]}", pytrace=False)


# Tests ------------------------------------------------------------------------------------------


async def test_conversations_agree_with_the_model(node: Node) -> None:
    """After any calls, every user's lists show what the rules say."""
    await check_sequences(node, SEEDS[:10])


@pytest.mark.campaign
async def test_many_conversations_agree_with_the_model(node: Node) -> None:
    """A large number of sequences breaks no rule."""
    await check_sequences(node, SEEDS)


def test_the_sequences_are_of_use() -> None:
    """Some calls of each verb succeed."""
    met = set()
    for seed in SEEDS[:100]:
        model = Model()
        for call in itertools.chain(FOUNDATION, *draw(seed, LENGTH)):
            if call.verb not in OF_THE_RUN and not model.carry_out(model.resolve(call)).code:
                met.add(call.verb)

    assert met >= set(OFFERED)
