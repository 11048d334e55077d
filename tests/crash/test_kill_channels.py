"""Kill the server while it pushes, mails and calls webhooks: nothing is lost, or goes astray."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from tests.crash.conftest import Victim
from tests.crash.due import Book
from tests.crash.facts import Lives
from tests.crash.post_office import Place, PostOffice, opened
from tests.crash.town import PEOPLE, Town
from tests.soon import until

SEED = 24
SENDERS = 3
MESSAGES = 5
"""Of each sender, for each kill."""
CHANGES = 5
SENDING_SECONDS = 60.0
LONGEST_PAUSE = 1.5
"""Between messages and the kill: e-mails leave after a second."""
CLOSED = 0.5
"""How often the gateways are down before a kill, so that all of it waits while things change."""
TOWNS = 10
"""A kill concerns the next app: the leases of the last one have ended until it is its turn."""
log = logging.getLogger(__name__)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Ports of the gateways: those that a node is told before they listen."""
    return Place.choose(tmp_path)


@pytest.fixture
def environment(place: Place) -> Mapping[str, str]:
    """Have the node call the local gateways."""
    return place.environment()


async def test_all_channels_after_kills(victim: Victim, place: Place) -> None:
    """After some kills, each notification has reached whom it is for, and nobody else."""
    await kill_and_check(victim, place, SEED, kills=2)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(4))
async def test_all_channels_after_many_kills(victim: Victim, place: Place, seed: int) -> None:
    """After 200 kills on each engine, nothing is lost or goes astray."""
    await kill_and_check(victim, place, seed, kills=50)


async def kill_and_check(victim: Victim, place: Place, seed: int, *, kills: int) -> None:
    """Kill the node again and again, and check what has arrived."""
    lives, chance = Lives(), Random(seed)
    async with opened(place, lives) as office:
        books = [
            Book(await build(victim, office, lives, number, Random(chance.random())), office)
            for number in range(min(kills, TOWNS))
        ]
        for number in range(kills):
            book = books[number % len(books)]
            await book.settle()
            if chance.random() < CLOSED:
                office.close()
            await live_and_die(victim, lives, book.town, chance)
            office.open()
        for book in books:
            await book.settle()
    for book in books:
        book.check()
    assert "Traceback" not in victim.node.output
    log.info("%d kills: %s", kills, figures(books))


async def build(
    victim: Victim, office: PostOffice, lives: Lives, number: int, chance: Random
) -> Town:
    """Create an app with its people."""
    world = await victim.node.world()
    await world.users(*PEOPLE)
    town = Town(f"town-{number}", world.key, victim.node.port, lives, chance)
    await town.settle(office)
    return town


async def live_and_die(victim: Victim, lives: Lives, town: Town, chance: Random) -> None:
    """Kill the node while people of an app write, and change things."""
    answers = town.answered + chance.randint(1, SENDERS * MESSAGES)
    writing = (town.write(MESSAGES) for _ in range(SENDERS))
    pause = chance.random() * chance.choice((0.1, LONGEST_PAUSE))
    await asyncio.gather(kill(victim, lives, town, answers, pause), town.change(CHANGES), *writing)


async def kill(victim: Victim, lives: Lives, town: Town, answers: int, pause: float) -> None:
    """Kill the node some time after a number of messages, and start it again."""
    await until(lambda: town.answered >= answers, SENDING_SECONDS)
    await asyncio.sleep(pause)  # deliveries are under way at any time of it
    await asyncio.to_thread(victim.node.kill)
    lives.number += 1
    await asyncio.to_thread(victim.node.start)
    lives.number += 1


def figures(books: list[Book]) -> dict[str, int]:
    """Return the extent of a run."""
    return {
        "messages": sum(len(book.town.said) for book in books),
        "changes": sum(book.town.changes for book in books),
        "repeated requests": sum(book.town.repeated for book in books),
        "due": sum(book.due for book in books),
        "withdrawn": sum(book.withdrawn for book in books),
        **{
            name: sum(len(getattr(book, name)) for book in books)
            for name in ("pushes", "mails", "calls")
        },
        **{
            f"repeated {name}": sum(book.doubles()[name] for book in books)
            for name in ("pushes", "mails", "calls")
        },
    }
