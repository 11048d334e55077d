"""Periods: which events a webhook is told of, whatever is changed, however late they are planned.

A model is told of every change; it says for each event which webhooks are to be told of it by which
triggers. The stored periods must say the same when the event is planned, be it at once or later.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.api.messages.talk import say, to_user
from tests.api.webhooks.doors import URL
from tests.eventlog import list_logged
from tests.world import Node, World

from hubbub.outbox.consumer import end_position, find_position, start_position
from hubbub.records.webhooks import queues, store
from hubbub.records.webhooks.model import ENABLED, PLANNING, Period
from hubbub.storage.interface import Snapshot, Transaction

IDS = ("one", "two")
TRIGGERS = ("message_sent", "user_blocked")
FEW = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
MANY = settings(FEW, max_examples=500)
MOST_STEPS = 40

Told = set[tuple[str, str]]
"""Webhooks by id, and the triggers by which they are told of an event."""


@dataclass(slots=True)
class Known:
    """A webhook, as the model has it."""

    is_enabled: bool = True
    attached: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Run:
    """An app, the model of its webhooks, and the events that are not planned yet."""

    node: Node
    world: World
    webhooks: dict[str, Known] = field(default_factory=dict)
    waiting: dict[int, Told] = field(default_factory=dict)

    async def take(self, verb: str, webhook_id: str, trigger_id: str) -> None:
        """Take one step; those that are not possible are passed over."""
        if verb in {"happen", "plan"}:
            await getattr(self, verb)()
        elif verb == "create":
            await self.create(webhook_id)
        elif webhook_id in self.webhooks:
            await getattr(self, verb)(webhook_id, trigger_id)

    async def create(self, webhook_id: str) -> None:
        if webhook_id not in self.webhooks:
            body = {"id": webhook_id, "name": "W", "webhookURL": URL}
            await self.world.post("/webhooks", body)
            self.webhooks[webhook_id] = Known()

    async def delete(self, webhook_id: str, _: str) -> None:
        await self.world.delete(f"/webhooks/{webhook_id}")
        del self.webhooks[webhook_id]
        for told in self.waiting.values():  # nothing is sent to a deleted webhook
            told.difference_update({each for each in told if each[0] == webhook_id})

    async def attach(self, webhook_id: str, trigger_id: str) -> None:
        body = {"triggerIds": [trigger_id]}
        await self.world.post(f"/webhooks/{webhook_id}/triggers", body)
        self.webhooks[webhook_id].attached.add(trigger_id)

    async def detach(self, webhook_id: str, trigger_id: str) -> None:
        body = {"triggerIds": [trigger_id]}
        await self.world.delete(f"/webhooks/{webhook_id}/triggers", body)
        self.webhooks[webhook_id].attached.discard(trigger_id)

    async def enable(self, webhook_id: str, _: str) -> None:
        await self.world.put(f"/webhooks/{webhook_id}", {"enabled": True})
        self.webhooks[webhook_id].is_enabled = True

    async def disable(self, webhook_id: str, _: str) -> None:
        await self.world.put(f"/webhooks/{webhook_id}", {"enabled": False})
        self.webhooks[webhook_id].is_enabled = False

    async def happen(self) -> None:
        """Send a message."""
        await say(self.world, "anna", to_user("ben"))
        logged = await self.node.runtime.database.read(self.world.app_id, list_logged)
        assert logged[-1][2] == "message_sent"
        self.waiting[logged[-1][0]] = {
            (id_, trigger_id)
            for id_, known in self.webhooks.items()
            if known.is_enabled
            for trigger_id in known.attached
        }

    async def plan(self) -> None:
        """Compare what the stored periods say with the model; then advance the position."""
        read = self.node.runtime.database.read
        ids, periods = await read(self.world.app_id, self._read)
        for event, told in self.waiting.items():
            assert told_of(event, ids, periods) == told
        self.waiting.clear()
        await self.node.runtime.database.write(self.world.app_id, self._advance)

    async def _read(self, snapshot: Snapshot) -> tuple[dict[int, str], list[Period]]:
        webhooks = await store.list_webhooks(snapshot, self.node.runtime.sealer)
        return {each.number: each.id for each in webhooks}, await store.list_periods(snapshot)

    async def _advance(self, tx: Transaction) -> None:
        if self.webhooks:
            logged = await list_logged(tx)
            await end_position(tx, PLANNING)
            await start_position(tx, PLANNING, logged[-1][0])

    async def check(self) -> None:
        """Check what is stored besides: positions, queues, and that past periods go."""
        database = self.node.runtime.database
        position = await database.read(
            self.world.app_id, lambda snapshot: find_position(snapshot, PLANNING)
        )
        assert (position > 0) is bool(self.webhooks)
        for webhook_id in self.webhooks:
            await self.world.put(f"/webhooks/{webhook_id}", {})
        ids, periods = await database.read(self.world.app_id, self._read)
        assert sorted(ids.values()) == sorted(self.webhooks)
        open_ = {(ids[each.webhook], each.trigger_id) for each in periods}
        assert open_ == {
            (id_, trigger_id)
            for id_, known in self.webhooks.items()
            for trigger_id in (*known.attached, *([ENABLED] if known.is_enabled else []))
        }
        assert len(periods) == len(open_)
        numbers = await database.write(self.world.app_id, queues.lock_queues)
        assert set(numbers) == ids.keys()


def told_of(event: int, ids: dict[int, str], periods: list[Period]) -> Told:
    """Return who is told of an event, by the stored periods."""
    included = [each for each in periods if each.includes(event)]
    enabled = {each.webhook for each in included if each.trigger_id == ENABLED}
    return {
        (ids[each.webhook], each.trigger_id)
        for each in included
        if each.trigger_id != ENABLED and each.webhook in enabled
    }


VERBS = ("create", "delete", "attach", "detach", "enable", "disable", "plan")
STEPS = st.lists(
    st.tuples(
        st.one_of(st.sampled_from(VERBS), st.just("happen"), st.just("attach")),
        st.sampled_from(IDS),
        st.sampled_from(TRIGGERS),
    ),
    min_size=10,
    max_size=MOST_STEPS,
)


@given(steps=STEPS)
@FEW
async def test_periods_agree_with_the_model(node: Node, steps: list[Any]) -> None:
    """After any changes, each event is planned for those who were to be told when it happened."""
    await run(node, steps)


@pytest.mark.campaign
@given(steps=STEPS)
@MANY
async def test_periods_agree_with_the_model_for_long(node: Node, steps: list[Any]) -> None:
    """The same holds in many more runs."""
    await run(node, steps)


async def run(node: Node, steps: list[Any]) -> None:
    """Take steps in a new app; begin with a webhook that is told of something."""
    run = Run(node, await node.world())
    await run.world.users("anna", "ben")
    for step in [("create", "one", ""), ("attach", "one", "message_sent"), *steps]:
        await run.take(*step)
    await run.plan()
    await run.check()
