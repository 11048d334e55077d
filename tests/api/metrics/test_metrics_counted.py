"""Metrics of random histories of 30 days agree with a plain count of what happened."""

import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random

import pytest
from tests.api.groups.clubs import create_group
from tests.api.messages.talk import import_past, past, to_group, to_user
from tests.api.metrics.counting import active, count_log
from tests.api.metrics.metrics_model import Model
from tests.world import Json, Node, World

from hubbub.bootstrap import open_runtime
from hubbub.records.metrics.model import SECONDS_OF_DAY, day_of
from hubbub.runtime import Runtime

DAYS, MOST_ACTS = 30, 14
RANGES = 25
SEEDS, CAMPAIGN_SEEDS = range(2), range(2, 40)
MEMBERS, GUESTS, BOT = ("anna", "ben", "cleo", "dora"), ("xavi", "yara"), "helper"
PEOPLE = (*MEMBERS, *GUESTS)
GROUP = "hikers"


@dataclass(slots=True)
class History:
    """A random history of an app, and the model of it."""

    node: Node
    other: Runtime
    """Another node on the same store: now it counts, now the other does."""
    world: World
    chance: Random
    model: Model = field(default_factory=Model)
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def now(self) -> int:
        return self.node.clock.now()

    async def begin(self) -> None:
        """Create the people, a bot and a group, as the app."""
        await self.world.users(*PEOPLE)
        await self.world.post("/bots", {"uid": BOT, "name": "Helper"})
        await create_group(self.world, GROUP, by=None, members={"participants": [*MEMBERS]})
        self.model.newest[GROUP] = len(MEMBERS)  # an action message each

    async def live_for_a_day(self) -> None:
        """Do some random acts on one day, at random times, and count at some of them."""
        times = sorted(
            self.chance.choices(range(SECONDS_OF_DAY), k=self.chance.randrange(MOST_ACTS + 1))
        )
        start = self.now - self.now % SECONDS_OF_DAY + SECONDS_OF_DAY
        for time in times:
            self.node.clock.advance(max(0, start + time - self.now))
            await self.chance.choice(ACTS)(self)
            if self.chance.random() < 0.2:
                await self.count()
            if self.chance.random() < 0.05:
                await self.check_traffic()
        self.node.clock.advance(max(0, start - self.now))

    async def count(self) -> None:
        """Count the log, on one of the two nodes."""
        runtime = self.chance.choice((self.node.runtime, self.other))
        await count_log(runtime, self.world)

    async def check(self) -> None:
        """Compare the figures of random ranges of days, and of the last hour."""
        await self.check_traffic()
        last = day_of(self.now) + 1
        for _ in range(RANGES):
            one, other = sorted(self.chance.choices(range(last - DAYS - 2, last + 1), k=2))
            assert await active(self.world, one, other) == self.model.active_in(one, other)

    async def check_traffic(self) -> None:
        """Compare each span of the last hour."""
        await self.count()
        for point in (await self.world.get("/stats/messages"))["dataPoints"]:
            found = (point["messagesSent"], point["readReceipts"], point["deliveryReceipts"])
            assert found == self.model.counted(int(point["startTime"]), int(point["endTime"]))

    # Acts ---------------------------------------------------------------------------------------

    async def send(self) -> None:
        """Send a message to a user or the group, twice with a muid, by header or by token."""
        sender, receiver = self.chance.sample(PEOPLE, 2)
        to_all = sender in MEMBERS and self.chance.random() < 0.4
        body = to_group(GROUP) if to_all else to_user(receiver)
        if self.chance.random() < 0.3:
            body["muid"] = f"m{next(self.numbers)}"
        said = await self.say(sender, body)
        if "muid" in body:
            assert (await self.say(sender, body))["id"] == said["id"]
        self.note_sent(pair(sender, receiver) if not to_all else GROUP, said)
        self.model.act(sender, self.now)

    async def say(self, sender: str, body: Json) -> Json:
        """Send a message as a user does, in one of two ways."""
        by_token = self.chance.random() < 0.2
        how = {"token": await self.world.token(sender)} if by_token else {"as_": sender}
        said: Json = await self.world.post("/messages", body, **how)  # type: ignore[arg-type]  # either
        return said

    def note_sent(self, conversation: str, said: Json) -> None:
        """Note a message that was sent."""
        self.model.sent.append(self.now)
        self.model.newest[conversation] = int(said["id"])

    async def send_as_bot(self) -> None:
        """Send a message of the bot, or of the app, to the group or a user."""
        sender = self.chance.choice((BOT, None))
        if sender is None:
            said = await self.world.post("/messages", to_group(GROUP))
            self.note_sent(GROUP, said)
            return
        receiver = self.chance.choice(PEOPLE)
        said = await self.world.post(f"/bots/{BOT}/messages", to_user(receiver))
        self.note_sent(pair(BOT, receiver), said)

    async def mark(self) -> None:
        """Mark a conversation of a user as read or delivered."""
        uid, kind = self.chance.choice(PEOPLE), self.chance.choice(("read", "delivered"))
        own = [name for name in self.model.newest if uid in name.split("+")]
        if uid in MEMBERS:
            own.append(GROUP)
        if not own:
            return
        name = self.chance.choice(own)
        other = name.replace(uid, "").strip("+")
        path = f"/groups/{GROUP}" if name == GROUP else f"/users/{other}"
        await self.world.post(f"{path}/conversation/{kind}", as_=uid)
        if self.model.mark(kind, name, uid, self.now) and name != GROUP:
            self.model.act(uid, self.now)

    async def react(self) -> None:
        """Add a reaction in the group, and perhaps remove it, perhaps on another day."""
        uid = self.chance.choice(MEMBERS)
        said = await self.world.post("/messages", to_group(GROUP))
        self.note_sent(GROUP, said)
        path = f"/messages/{said['id']}/reactions/👍"
        await self.world.post(path, as_=uid)
        self.model.act(uid, self.now)

    async def edit(self) -> None:
        """Edit a message of the app as its admin, which is an action message."""
        said = await self.world.post("/messages", to_group(GROUP))
        self.note_sent(GROUP, said)
        edit = await self.world.put(f"/messages/{said['id']}", {"data": {"text": "Hm"}})
        self.model.newest[GROUP] = int(edit["id"])

    async def import_message(self) -> None:
        """Import a message of these days, which counts nowhere."""
        sender, receiver = self.chance.sample(PEOPLE, 2)
        muid = f"i{next(self.numbers)}"
        made = await import_past(
            self.world, **{muid: past(sender, to_user(receiver), self.now - 60)}
        )
        self.model.newest[pair(sender, receiver)] = int(made[muid]["data"]["id"])

    async def erase(self) -> None:
        """Delete a guest permanently, who acted just before; a new user gets the uid, and acts."""
        uid = self.chance.choice(GUESTS)
        await self.greet(uid)
        await self.world.delete(f"/users/{uid}", {"permanent": True})
        self.model.erase(uid)
        await self.world.user(uid)
        if self.chance.random() < 0.5:
            await self.greet(uid)

    async def greet(self, uid: str) -> None:
        """Send a message to Anna."""
        self.note_sent(pair(uid, "anna"), await self.say(uid, to_user("anna")))
        self.model.act(uid, self.now)

    async def look(self) -> None:
        """Read with a token, which is no activity."""
        await self.world.get("/messages", token=await self.world.token("dora"))


def pair(one: str, other: str) -> str:
    """Return the name of a conversation of two."""
    return "+".join(sorted((one, other)))


ACTS: list[Callable[[History], Awaitable[None]]] = [
    *[History.send] * 6,
    *[History.mark] * 6,
    History.send_as_bot,
    History.react,
    History.edit,
    History.import_message,
    History.erase,
    History.look,
]


async def live(node: Node, world: World, seed: int) -> None:
    """Live a random history, and compare it with the model."""
    async with open_runtime(node.runtime.settings, node.clock) as other:
        history = History(node, other, world, Random(seed))
        await history.begin()
        for _ in range(DAYS):
            await history.live_for_a_day()
        await history.check()
    assert history.model.active_in(0, day_of(history.now)) > len(PEOPLE), "somebody was erased"


@pytest.mark.parametrize("seed", SEEDS)
async def test_metrics_are_a_plain_count(node: Node, world: World, seed: int) -> None:
    """Each range of days, and each span of an hour, has the figures of a plain count."""
    await live(node, world, seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", CAMPAIGN_SEEDS)
async def test_metrics_of_many_histories(node: Node, world: World, seed: int) -> None:
    """The same for more histories."""
    await live(node, world, seed)
