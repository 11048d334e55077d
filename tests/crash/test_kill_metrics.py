"""Kill the server under load, again and again: metrics count each stored message once."""

import asyncio
import itertools
import random
import time

import pytest
from tests.crash.conftest import Victim
from tests.crash.talk import Talk
from tests.crash.test_kill import CONNECTIONS, PEOPLE, Ledger, Sender, kill_at

SEED = 7
LEAST_ANSWERS, MOST_ANSWERS = 300, 3_000
"""Of a round: it lasts about as long as the pause between two runs of the count."""
COUNT_SECONDS = 30
DAY = 86_400


async def test_metrics_after_kills(victim: Victim) -> None:
    """No message is counted twice after a kill, and soon all are, and all who sent one."""
    await kill_and_check(victim, kills=2)


@pytest.mark.campaign
async def test_metrics_after_many_kills(victim: Victim) -> None:
    """The same for 20 kills."""
    await kill_and_check(victim, kills=20)


async def kill_and_check(victim: Victim, *, kills: int) -> None:
    """Kill under load, and check after each kill what is counted."""
    world = await victim.node.world()
    await world.users(*PEOPLE)
    ledger, chance, serial = Ledger(), random.Random(SEED), itertools.count(1)
    for turn in range(1, kills + 1):
        answers = len(ledger.answered) + chance.randint(LEAST_ANSWERS, MOST_ANSWERS)
        killed = asyncio.create_task(kill_at(answers, ledger, victim, turn))
        senders = [
            Sender(victim.node.port, world.key, ledger, random.Random(chance.random()), serial)
            for _ in range(CONNECTIONS)
        ]
        await asyncio.gather(*(sender.run() for sender in senders), killed)
        stored = await victim.store.read(world.app_id)
        async with Talk(victim.node.port, world.key) as talk:
            await wait_until_counted(talk, len(stored.messages))

    async with Talk(victim.node.port, world.key) as talk:
        assert await count_active(talk) == len({row[2] for row in stored.messages})


async def wait_until_counted(talk: Talk, stored: int) -> None:
    """Ask until all stored messages are counted; more than these never are."""
    deadline = time.monotonic() + COUNT_SECONDS
    while (counted := await count_sent(talk)) != stored:
        assert counted < stored, "a message was counted twice"
        assert time.monotonic() < deadline, f"{counted} of {stored} messages were counted"
        await asyncio.sleep(0.05)


async def count_sent(talk: Talk) -> int:
    """Return the number of messages in the metrics of the last hour."""
    status, answer = await talk.ask("GET", "/stats/messages")
    if status == 503:  # the server may still be reconnecting to the restarted store
        return 0
    assert status == 200, answer
    return sum(point["messagesSent"] for point in answer["data"]["dataPoints"])


async def count_active(talk: Talk) -> int:
    """Return the number of active users of yesterday, today and tomorrow."""
    now = int(time.time())
    path = f"/stats?fromDate={now - DAY}&toDate={now + DAY}"
    status, answer = await talk.ask("GET", path)
    assert status == 200, answer
    return int(answer["data"]["metrics"]["active_users"])
