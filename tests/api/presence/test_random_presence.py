"""Random connects, disconnects and failures of nodes, against a plain model of who is online."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.api.metrics.counting import usage
from tests.api.presence.sessions import check_totals, list_online
from tests.world import Node, World

from hubbub.domain.presence.batch import CHANGE, Closing, Opening, Presence
from hubbub.domain.presence.nodes import beat, sweep
from hubbub.records.metrics.model import day_of
from hubbub.records.presence.model import LATE_SECONDS, SessionKey, StoredSession
from hubbub.runtime import Runtime

UIDS = ("anna", "ben", "cleo")
NODES = 3
SESSIONS = 4
Call = tuple[bool, int, str]
"""Whether a session is opened or closed, its number, and its user."""
CALLS = st.tuples(st.booleans(), st.integers(1, SESSIONS), st.sampled_from(UIDS))
Step = tuple[int, list[Call]]
STEPS = st.tuples(st.integers(0, NODES - 1), st.lists(CALLS, max_size=8))
"""Calls of a node, in one batch; without any, it fails, and another one takes its place."""


@dataclass
class Model:
    """The open sessions with their users, and the most that were open at once."""

    open: dict[SessionKey, str] = field(default_factory=dict)
    peak: int = 0

    def apply(self, is_opening: bool, key: SessionKey, uid: str) -> bool:
        """Open or close a session; return whether the user's presence changes."""
        before = set(self.open.values())
        if is_opening:
            self.open.setdefault(key, uid)
        elif self.open.get(key) == uid:
            del self.open[key]
        self.peak = max(self.peak, len(self.open))
        return (uid in before) != (uid in self.open.values())

    def fail(self, node: str) -> None:
        """Close all sessions of a node."""
        self.open = {key: uid for key, uid in self.open.items() if key[0] != node}


@given(steps=st.lists(STEPS, min_size=1, max_size=12))
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
async def test_any_history(node: Node, steps: list[Step]) -> None:
    """After each step the status of all, the totals and the peak are those of the model."""
    world, first_day = await node.world(), day_of(node.clock.now())
    await world.users(*UIDS)
    model, nodes = Model(), [another(node) for _ in range(NODES)]
    for number, calls in steps:
        if calls:
            await call(world, model, nodes[number], calls)
        else:
            await fail(node, world, model, nodes, number)
        assert await list_online(world) == set(model.open.values())
        await check_totals(node.runtime, world)
    found = await usage(world, first_day, day_of(node.clock.now()))
    assert found["concurrent_users"] == model.peak


def another(node: Node) -> Runtime:
    """Return another node, which has not beaten yet."""
    return replace(node.runtime, node=node.runtime.ids.hexadecimal(16))


async def call(world: World, model: Model, runtime: Runtime, calls: list[Call]) -> None:
    """Make calls in one batch, and check each outcome."""
    drafts: list[Opening | Closing] = []
    expected = []
    for is_opening, number, uid in calls:
        key = runtime.node, f"{number}"
        session = StoredSession(*key, uid, None, None, runtime.clock.now())
        drafts.append(Opening(session) if is_opening else Closing(*key, uid))
        expected.append(model.apply(is_opening, key, uid))
    outcomes = await CHANGE.call_all(runtime.batches, world.app_id, drafts)
    assert [isinstance(each, Presence) and each.has_changed for each in outcomes] == expected


async def fail(node: Node, world: World, model: Model, nodes: list[Runtime], number: int) -> None:
    """Replace a node that has failed; on SQLite a restart replaces all of them."""
    is_shared = node.runtime.database.is_shared
    failing = [nodes[number]] if is_shared else list(nodes)
    told: dict[str, str] = {}

    async def tell(app_id: str, changes: Sequence[Presence]) -> None:
        users = [each.user for each in changes if each.user is not None]
        told.update({user.uid: user.status for user in users if app_id == world.app_id})

    node.clock.advance(LATE_SECONDS)
    for each in nodes:
        if each not in failing:
            await beat(each)
    before = set(model.open.values())
    await sweep(node.runtime, tell)
    for each in failing:
        model.fail(each.node)
        nodes[nodes.index(each)] = another(node)
    assert told == dict.fromkeys(before - set(model.open.values()), "offline")
