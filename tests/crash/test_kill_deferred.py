"""Kill the server while people vote, polls end and messages disappear: all of it once."""

import asyncio
import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.crash.conftest import Victim
from tests.crash.talk import ask
from tests.world import Json, World

ENVIRONMENT = {"HUBBUB_LOG_REQUESTS": "false"}
PEOPLE = [f"person-{number}" for number in range(12)]
CLUB, DIARY = "club", "diary"
POLLS, VOTES, MESSAGES, KILLS = 4, 200, 60, 3
SECONDS = 6
"""So long messages stay; the polls end after twice that."""
CHANCE = random.Random(23)
WAIT_SECONDS = 90


@dataclass(slots=True)
class Ballots:
    """The last vote of each person in each poll that was answered, and the messages that go."""

    votes: dict[tuple[str, str], int] = field(default_factory=dict)
    passing: list[str] = field(default_factory=list)


async def test_polls_and_removals_after_kills(victim: Victim) -> None:
    """Each vote that was answered counts once, each poll ends once, each message goes once."""
    world = await victim.node.world()
    polls, ballots, serial = await prepare(world), Ballots(), itertools.count()
    cursor = world.answer.meta["cursor"]
    killer = asyncio.create_task(kill_some(victim))
    await asyncio.gather(
        *(vote_all(victim, world.key, serial, ballots, polls) for _ in range(6)),
        send_all(victim, world.key, ballots),
    )
    await killer
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        told = await list_told(victim, world.key, cursor)
        is_done = len(told["poll_closed"]) >= POLLS
        if (is_done and set(told["gone"]) >= set(ballots.passing)) or time.monotonic() > deadline:
            break
        await asyncio.sleep(0.2)

    assert Counter(told["poll_closed"]) == Counter(polls)
    assert sorted(told["gone"]) == sorted(ballots.passing)
    for poll in polls:
        chosen = Counter(option for (_, of), option in ballots.votes.items() if of == poll)
        found = (await world.get(f"/messages/{poll}"))["data"]["poll"]
        assert [each["votes"] for each in found["options"]] == [chosen[0], chosen[1], chosen[2]]
        assert found["voters"] == sum(chosen.values())
    [conversation] = [
        each
        for each in await world.get("/conversations", as_=PEOPLE[1])
        if each["conversationId"] == f"group_{DIARY}"
    ]
    assert conversation["unreadMessageCount"] == "0"
    assert await world.get(f"/groups/{DIARY}/messages?category=message", as_=PEOPLE[1]) == []


async def prepare(world: World) -> list[str]:
    """Make two groups, one of them with messages that disappear; return polls of the other."""
    await world.users(*PEOPLE)
    for guid in (CLUB, DIARY):
        group = {"guid": guid, "name": guid, "type": "public", "owner": PEOPLE[0]}
        await world.post("/groups", group)
        added = {"participants": PEOPLE[1:]}
        await world.post(f"/groups/{guid}/members", added, as_=PEOPLE[0])
    rule = {"disappearAfter": SECONDS}
    await world.put(f"/groups/{DIARY}/conversation/retention", rule)
    await world.get("/events")
    cursor = world.answer.meta["cursor"]
    polls = [await ask_poll(world) for _ in range(POLLS)]
    await world.get(f"/events?since={cursor}")
    return polls


async def ask_poll(world: World) -> str:
    """Send a poll that ends by itself; return the id of its message."""
    data: Json = {"question": "Where to?", "options": ["North", "South", "West"]}
    data["closesAt"] = int(time.time()) + 2 * SECONDS + 8
    to = {"receiver": CLUB, "receiverType": "group", "category": "interactive", "type": "poll"}
    return str((await world.post("/messages", {**to, "data": data}, as_=PEOPLE[0]))["id"])


async def vote_all(
    victim: Victim, key: str, serial: Iterator[int], ballots: Ballots, polls: Sequence[str]
) -> None:
    """Vote until there are enough votes; each person by one task, so that the last one is known."""
    while (number := next(serial)) < VOTES:
        uid, poll, option = PEOPLE[number % len(PEOPLE)], CHANCE.choice(polls), CHANCE.randrange(3)
        if (uid, poll) in ballots.votes:
            continue
        ballots.votes[uid, poll] = option
        path = f"/messages/{poll}/votes"
        status, answer = await ask(victim.node, key, "POST", path, {"options": [option]}, uid)
        if status == 409:  # it was closed before
            del ballots.votes[uid, poll]
            continue
        assert status == 200, answer
        await asyncio.sleep(0.05)


async def send_all(victim: Victim, key: str, ballots: Ballots) -> None:
    """Send messages that disappear."""
    for number in range(MESSAGES):
        text = f"passing {number}"
        body = {"receiver": DIARY, "receiverType": "group", "muid": text, "data": {"text": text}}
        status, answer = await ask(victim.node, key, "POST", "/messages", body, PEOPLE[0])
        assert status == 200, answer
        ballots.passing.append(answer["data"]["id"])
        await asyncio.sleep(0.1)


async def list_told(victim: Victim, key: str, cursor: str) -> dict[str, list[str]]:
    """Return the ids of polls that were announced as closed, and of messages that are gone."""
    told: dict[str, list[str]] = {"poll_closed": [], "gone": []}
    while True:
        path = f"/events?since={cursor}&limit=1000"
        status, answer = await ask(victim.node, key, "GET", path, None, None)
        assert status == 200, answer
        for event in answer["data"]:
            if event["event"] == "poll_closed":
                told["poll_closed"].append(event["data"]["messageId"])
            elif event["event"] == "messages_expired":
                told["gone"] += event["data"]["messageIds"]
        cursor = answer["meta"]["cursor"]
        if len(answer["data"]) < 1000:
            return told


async def kill_some(victim: Victim) -> None:
    """Kill the node, and start it, at random moments."""
    for _ in range(KILLS):
        await asyncio.sleep(CHANCE.random() * SECONDS)
        await asyncio.to_thread(victim.node.kill)
        await asyncio.to_thread(victim.node.start)
