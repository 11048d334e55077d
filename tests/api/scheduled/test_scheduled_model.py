"""Random calls, clocks and nodes against a plain model: each message once, none early or late."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from tests.api.scheduled.later import ALL, Later
from tests.world import Json

from hubbub.bootstrap import open_runtime
from hubbub.domain.scheduled.due import scheduled_runs
from hubbub.rest.messages.wire.unsent import render_unsent
from hubbub.runtime import Runtime

PEOPLE = ("ben", "carla")
STEPS = 60


@pytest.fixture
async def nodes(later: Later) -> AsyncIterator[list[Runtime]]:
    """The nodes of the installation: two on PostgreSQL."""
    if not later.runtime.settings.database_url:
        yield [later.runtime]
        return
    async with open_runtime(later.runtime.settings, later.clock) as other:
        yield [later.runtime, other]


@dataclass(slots=True)
class Kept:
    """A message that the model knows to be scheduled."""

    id: str
    receiver: str
    text: str
    send_at: int
    place: int


@dataclass(slots=True)
class Model:
    """What is scheduled, by the answers to the calls, and what was sent."""

    later: Later
    nodes: list[Runtime]
    chance: random.Random
    kept: dict[str, Kept] = field(default_factory=dict)
    """By text: each text is given to one message."""
    sent: list[str] = field(default_factory=list)
    texts: int = 0

    async def take_step(self) -> None:
        """Do something at random, and check what was sent by it."""
        steps = (self.schedule, self.schedule, self.change, self.cancel, self.send_now)
        others = (self.pass_time, self.pass_time, self.set_clock, self.work, self.work, self.kill)
        await self.chance.choice((*steps, *others))()

    def new_text(self) -> str:
        """Return a text that no message has had."""
        self.texts += 1
        return f"text {self.texts}"

    def choose(self) -> Kept | None:
        """Return a message that is scheduled, if there is any."""
        return self.chance.choice(list(self.kept.values())) if self.kept else None

    async def schedule(self) -> None:
        """Schedule a message."""
        receiver, text, after = self.chance.choice(PEOPLE), self.new_text(), self._seconds()
        kept = await self.later.schedule(text, after, receiver=receiver)
        self.kept[text] = Kept(kept["scheduledId"], receiver, text, kept["sendAt"], self.texts)

    async def change(self) -> None:
        """Change the text or the time of a message, or both."""
        kept = self.choose()
        if kept is None:
            return
        body: Json = {}
        if self.chance.random() < 0.7:
            body["sendAt"] = self.later.clock.now() + self._seconds()
        if self.chance.random() < 0.7:
            body["data"] = {"text": self.new_text()}
        await self.later.world.patch(f"{ALL}/{kept.id}", body, as_="anna")
        del self.kept[kept.text]
        kept.text = body.get("data", {"text": kept.text})["text"]
        kept.send_at = body.get("sendAt", kept.send_at)
        self.kept[kept.text] = kept

    async def cancel(self) -> None:
        """Cancel a message."""
        kept = self.choose()
        if kept is not None:
            await self.later.world.delete(f"{ALL}/{kept.id}", as_="anna")
            del self.kept[kept.text]

    async def send_now(self) -> None:
        """Send a message before its time."""
        kept = self.choose()
        if kept is not None:
            await self.later.world.post(f"{ALL}/{kept.id}/send", as_="anna")
            del self.kept[kept.text]
            self.sent.append(kept.text)

    async def pass_time(self) -> None:
        """Advance the clock, to the millisecond."""
        self.later.clock.advance(self.chance.choice((0.001, 0.999, 1, 7.5, 29.999, 60)))

    async def set_clock(self) -> None:
        """Set the clock back or ahead."""
        seconds = self.chance.choice((0.5, 3, 20, 7200))
        if self.chance.random() < 0.5:
            self.later.clock.set_back(seconds)
        else:
            self.later.clock.set_ahead(seconds)

    async def work(self) -> None:
        """Have all nodes send what is due, at once."""
        await asyncio.gather(*(self._run(node) for node in self.nodes))
        await self.check()

    async def kill(self) -> None:
        """Have a node send what is due, and stop that at a random moment."""
        working = asyncio.create_task(self._run(self.chance.choice(self.nodes)))
        for _ in range(self.chance.randrange(60)):
            await asyncio.sleep(0)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await self.check()

    async def check(self) -> None:
        """Check what was sent since the last check: each was due, and is what was asked for."""
        now_ms, new = self.later.clock.milliseconds(), dict[str, list[Kept]]()
        for receiver in PEOPLE:
            listed = await self.later.texts(f"/users/{receiver}/messages?limit=1000")
            assert len(listed) == len(set(listed)), "a message was sent twice"
            for text in listed:
                if text not in self.sent:
                    assert text in self.kept, f"{text} was cancelled or changed"
                    new.setdefault(receiver, []).append(self.kept.pop(text))
        for kept in new.values():
            assert all(1000 * each.send_at <= now_ms for each in kept), "it was sent early"
            assert kept == sorted(kept, key=lambda each: (each.send_at, each.place))
            self.sent += (each.text for each in kept)

    async def end(self) -> None:
        """Advance the clock beyond all times; then everything was sent."""
        self.later.clock.advance(20_000)
        await self.work()

        assert not self.kept

    async def _run(self, node: Runtime) -> None:
        runs = scheduled_runs(node, render_unsent)
        await runs.start_due()
        await runs.wait()

    def _seconds(self) -> int:
        return self.chance.choice((0, 1, 2, 30, 60, 3600))


async def play(later: Later, nodes: list[Runtime], seed: int, steps: int) -> None:
    """Play a game at random, and check it."""
    model = Model(later, nodes, random.Random(seed))
    for _ in range(steps):
        await model.take_step()
    await model.end()

    assert len(model.sent) > steps / 20


@pytest.mark.parametrize("seed", range(4))
async def test_each_message_is_sent_once(later: Later, nodes: list[Runtime], seed: int) -> None:
    """Whatever clocks and nodes do, each message is sent once, in order, and none early."""
    await play(later, nodes, seed, STEPS)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(100, 140))
async def test_long_games(later: Later, nodes: list[Runtime], seed: int) -> None:
    """The same holds in many long games."""
    await play(later, nodes, seed, 400)
