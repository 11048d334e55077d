"""Two browsers and a program in Node.js show the same, after cuts and restarts of the node."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.clients.chats.conftest import serving
from tests.clients.chats.people import People
from tests.clients.chats.talkers import Talker, in_node, in_page
from tests.conftest import NewSettings
from tests.engines import one_engine
from tests.live import LiveNode

PATIENCE_SECONDS = 180
ACTS = 8
_GROUPS = count(1)


@pytest.fixture
def fragile(client: Path, empty_settings: NewSettings) -> Iterator[LiveNode]:
    """A node on either engine that may be killed."""
    with LiveNode(empty_settings(), "--demo") as node:
        yield node


@pytest.fixture
def talkers(browser: Browser, fragile: LiveNode, lab: Path) -> Iterator[list[Talker]]:
    """Anna and Ben in browsers, and Anna in Node.js, too."""
    people = people_of(fragile)
    anna, ben = people.create("Anna"), people.create("Ben")
    guid = f"group-{next(_GROUPS)}"
    group = {"guid": guid, "name": "Group", "type": "public", "owner": ben.uid}
    people.call("POST", "/groups", group)
    people.call("POST", f"/groups/{guid}/members", {"participants": [anna.uid]})
    of_anna, of_ben = ({"uid": ben.uid}, {"guid": guid}), ({"uid": anna.uid}, {"guid": guid})
    with ExitStack() as stack:
        address = stack.enter_context(serving(lab, people.url, people.key))
        found = []
        for name, person, lists in (("browser-a", anna, of_anna), ("browser-b", ben, of_ben)):
            context = browser.new_context()
            stack.callback(context.close)
            page = context.new_page()
            page.goto(f"{address}?uid={person.uid}&url={people.url}")
            page.wait_for_function("window.lab")
            found.append(Talker(name, person, lists, in_page(page), random.Random(name)))
        evaluate = stack.enter_context(in_node(people, anna))
        found.append(Talker("node", anna, of_anna, evaluate, random.Random("node")))
        yield found


def people_of(node: LiveNode) -> People:
    """Return those who talk on a node."""
    return People(node.address, (node.data / "demo-key.txt").read_text().strip())


def talk(talkers: list[Talker], node: LiveNode, cuts: int, restarts: int) -> None:
    """Talk, while sockets are cut, and the node is restarted: half the times it is killed."""
    chance = random.Random(26)
    disturbances = [*["cut"] * cuts, *["stop", "kill"] * (restarts // 2)]
    chance.shuffle(disturbances)
    for each in disturbances:
        act(talkers, chance)
        if each == "cut":
            someone = chance.choice(talkers)
            someone.cut()
            act(talkers, chance)
            if chance.random() < 0.5:
                wait_until_settled([someone])
        else:
            getattr(node, each)()
            act(talkers, chance)
            node.start()
            act(talkers, chance)
            wait_until_settled(talkers)


def act(talkers: list[Talker], chance: random.Random) -> None:
    """Have them do something, in any order."""
    for _ in range(ACTS):
        chance.choice(talkers).act()


def wait_until_settled(talkers: list[Talker]) -> None:
    """Wait until these are connected, and nothing waits to be sent."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not all(each.is_settled for each in talkers):
        assert time.monotonic() < until, [each.evaluate("lab.status()") for each in talkers]


def check_same_state(talkers: list[Talker], node: LiveNode) -> None:
    """Check that all show what the server has, and that it has each message once."""
    wait_until_settled(talkers)
    people = people_of(node)
    until = time.monotonic() + PATIENCE_SECONDS
    while any(each.shown() != each.fresh(people) for each in talkers):
        if time.monotonic() > until:
            break

    for each in talkers:
        assert each.shown() == each.fresh(people), each.name
    in_conversation, in_group = talkers[0].fresh(people)
    sent = [each for talker in talkers for each in talker.texts]
    stored = Counter(
        str(message["text"]).split(" !")[0]
        for messages, _ in (in_conversation, in_group)
        for message in messages
        if message["category"] == "message"
    )
    assert stored == Counter(sent)
    assert max(stored.values()) == 1


@pytest.mark.clients
@one_engine
def test_all_show_the_same(talkers: list[Talker], fragile: LiveNode) -> None:
    """After a few cuts and restarts all programs show what a fresh one reads, each message once."""
    for each in talkers:
        each.watch()

    talk(talkers, fragile, cuts=6, restarts=2)

    check_same_state(talkers, fragile)


@pytest.mark.campaign
def test_all_show_the_same_after_many_cuts(talkers: list[Talker], fragile: LiveNode) -> None:
    """After 50 cuts and 10 restarts all programs show what a fresh one reads, each message once."""
    for each in talkers:
        each.watch()

    talk(talkers, fragile, cuts=50, restarts=10)

    check_same_state(talkers, fragile)
