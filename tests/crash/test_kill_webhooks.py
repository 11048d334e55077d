"""Kill the server while it delivers to webhooks that often fail: each event is delivered."""

import asyncio
import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest
from tests.crash.conftest import Victim
from tests.crash.talk import LOST, Talk
from tests.receiver import HANG, RESET, Received, Receiver, receiving

ENVIRONMENT = {
    "HUBBUB_OUTBOUND_ALLOW": "127.0.0.0/8",
    "HUBBUB_WEBHOOK_TIMEOUT_SECONDS": "0.5",
    "HUBBUB_WEBHOOK_RETRY_SECONDS": ",".join(["0.05"] * 60),
    "HUBBUB_LOG_REQUESTS": "false",
}
SEED = 13
PEOPLE = [f"person-{number}" for number in range(20)]
SENDERS = 24
STEPS_ASIDE_AFTER = 3
DELIVERY_SECONDS = 240
FAILURES = {500: 8.0, 429: 2.0, RESET: 4.0, HANG: 0.2}
"""The percentage of calls that fail in each way."""


@dataclass(frozen=True, slots=True)
class Size:
    """The extent of a run."""

    webhooks: int
    messages: int
    kills: int


@dataclass(slots=True)
class Ledger:
    """The calls of all webhooks, and how they were answered."""

    chance: random.Random
    accepted: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Ids of accepted calls by webhook, in order."""
    bodies: dict[tuple[str, str], set[bytes]] = field(default_factory=lambda: defaultdict(set))
    conversations: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The conversation and number of the message, by id."""
    delivered: set[tuple[str, str]] = field(default_factory=set)
    """The webhooks and ids of deliveries that were accepted."""
    _goal: float = 0
    _reached: asyncio.Event = field(default_factory=asyncio.Event)

    def reply(self, call: Received) -> int:
        """Refuse some calls at random, and record all."""
        id_, webhook = call.headers["webhook-id"], call.path
        message = call.content["data"]["message"]
        self.conversations[id_] = (message["conversationId"], int(message["id"]))
        self.bodies[webhook, id_].add(call.body)
        status = self._choose()
        if status == 200:
            self.accepted[webhook].append(id_)
            self.delivered.add((webhook, id_))
            if len(self.delivered) >= self._goal:
                self._reached.set()
        return status

    def _choose(self) -> int:
        at = self.chance.random() * 100
        for status, share in FAILURES.items():
            at -= share
            if at < 0:
                return status
        return 200

    async def wait_for(self, deliveries: float) -> None:
        """Wait until so many deliveries were accepted, each counted once."""
        self._goal = deliveries
        if len(self.delivered) < deliveries:
            self._reached.clear()
            async with asyncio.timeout(DELIVERY_SECONDS):
                await self._reached.wait()


async def test_webhooks_are_told_after_kills(victim: Victim) -> None:
    """With failures and some kills, each webhook is told of each message, in order."""
    await kill_and_check(victim, Size(webhooks=2, messages=300, kills=2))


@pytest.mark.campaign
async def test_a_hundred_thousand_deliveries(victim: Victim) -> None:
    """With failures and many kills, 100,000 deliveries are made."""
    await kill_and_check(victim, Size(webhooks=5, messages=20_000, kills=40))


async def kill_and_check(victim: Victim, size: Size) -> None:
    """Send messages, kill the node meanwhile, and check what the webhooks were told."""
    chance = random.Random(SEED)
    ledger = Ledger(random.Random(SEED))
    world = await victim.node.world()
    await world.users(*PEOPLE)
    async with receiving() as receiver:
        receiver.reply = ledger.reply
        webhooks = [f"/hook-{number}" for number in range(size.webhooks)]
        for path in webhooks:
            await attach(world.key, victim.node.port, receiver, path)
        serial = itertools.count(1)
        answered: set[str] = set()
        killer = asyncio.create_task(kill_often(victim, ledger, size, chance))
        await asyncio.gather(
            *(
                send_all(victim, world.key, serial, size.messages, answered, chance.random())
                for _ in range(SENDERS)
            )
        )
        await killer
        await ledger.wait_for(size.webhooks * len(answered))
    async with Talk(victim.node.port, world.key) as talk:
        aside = {path: await list_aside(talk, path) for path in webhooks}
    check(ledger, aside, answered)


async def attach(key: str, port: int, receiver: Receiver, path: str) -> None:
    """Create a webhook that is told of every message."""
    async with Talk(port, key) as talk:
        id_ = path.strip("/")
        body = {"id": id_, "name": id_, "webhookURL": receiver.url(path), "retryOnFailure": True}
        assert (await talk.ask("POST", "/webhooks", body))[0] == 200
        attached = {"triggerIds": ["message_sent"]}
        assert (await talk.ask("POST", f"/webhooks/{id_}/triggers", attached))[0] == 200


async def send_all(
    victim: Victim,
    key: str,
    serial: Iterator[int],
    count: int,
    answered: set[str],
    seed: float,
) -> None:
    """Send messages until all senders together have sent `count`; repeat what is not answered."""
    chance = random.Random(seed)
    unanswered: dict[str, object] | None = None
    sender = ""
    while True:
        if unanswered is None:
            number = next(serial)
            if number > count:
                return
            sender, receiver = chance.sample(PEOPLE, 2)
            unanswered = message(receiver, f"muid-{number}")
        try:
            async with Talk(victim.node.port, key) as talk:
                status, answer = await talk.ask("POST", "/messages", unanswered, as_=sender)
        except LOST:
            await asyncio.sleep(0.05)  # the node is starting again
            continue
        if status == 200:
            answered.add(answer["data"]["id"])
            unanswered = None
        else:
            assert status == 503, answer


def message(receiver: str, muid: str) -> dict[str, object]:
    """Return a text message."""
    return {
        "muid": muid,
        "receiver": receiver,
        "receiverType": "user",
        "category": "message",
        "type": "text",
        "data": {"text": muid},
    }


async def kill_often(victim: Victim, ledger: Ledger, size: Size, chance: random.Random) -> None:
    """Kill the node, and start it, at random moments while it delivers."""
    whole = size.webhooks * size.messages
    for turn in range(1, size.kills + 1):
        await ledger.wait_for(whole * (turn - chance.random()) / (size.kills + 1))
        await asyncio.to_thread(victim.node.kill)
        await asyncio.to_thread(victim.node.start)


async def list_aside(talk: Talk, path: str) -> set[str]:
    """Return the ids of the deliveries that have failed three times, as the node saw it.

    The receiver does not see a call that is given up on its way.
    """
    aside: set[str] = set()
    for page in itertools.count(1):
        target = f"/webhooks{path}/deliveries?perPage=1000&page={page}"
        status, answer = await talk.ask("GET", target)
        assert status == 200, answer
        for delivery in answer["data"]:
            failures = [each for each in delivery["attempts"] if each.get("status") != 200]
            if len(failures) >= STEPS_ASIDE_AFTER:
                aside.add(delivery["id"])
        if len(answer["data"]) < 1000:
            break
    return aside


def check(ledger: Ledger, aside: Mapping[str, set[str]], answered: set[str]) -> None:
    """Check that each event was told, in order, and twice only under the same id."""
    assert {str(number) for _, number in ledger.conversations.values()} == answered
    assert len(ledger.conversations) == len(answered), "one id for each message"
    assert {len(bodies) for bodies in ledger.bodies.values()} == {1}, "retries are equal"
    for webhook, ids in aside.items():
        first = list(dict.fromkeys(ledger.accepted[webhook]))
        assert len(first) == len(answered), "each is told"
        told: dict[str, list[int]] = defaultdict(list)
        for id_ in first:
            if id_ not in ids:
                conversation, number = ledger.conversations[id_]
                told[conversation].append(number)
        assert all(numbers == sorted(numbers) for numbers in told.values()), "in order"
