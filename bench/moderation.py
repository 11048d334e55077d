"""What it costs a send that the rules of its app judge it, without the rest of the send."""

import asyncio
import random
import string
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import uvloop
from rich.console import Console
from rich.table import Table
from tests.wire import InProcess
from tests.world import World

from bench.machine import choose_cores
from bench.stores import SQLITE, Stores
from hubbub.bootstrap import open_runtime
from hubbub.domain.access.actor import Actor
from hubbub.domain.apps.manage import create_app
from hubbub.domain.messages.compose import MessageInput, compose
from hubbub.domain.moderation.judge import judge
from hubbub.http.app import make_app
from hubbub.records.messages.model import Draft
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime

RULES = 25
WORDS = 1_000
ROUNDS = 200
CALLS, QUICK_CALLS = 200, 20
PLAIN = "Hello there, are we still meeting at the old mill tomorrow? I will bring the maps."
TEXTS = {
    "82 characters of English": PLAIN,
    "the same with accents and an emoji": PLAIN.replace("e", "é") + " 🗺️",
    "with a run of letters": PLAIN + " Sooooo good!!!",
    "with a word of a list": PLAIN + " zyxwvut",
    "2,000 characters": (PLAIN * 25)[:2_000],
    "8,000 characters, on a thread": (PLAIN * 100)[:8_000],
}


@dataclass(frozen=True, slots=True)
class _Setup:
    name: str
    app_id: str


def measure_moderation(console: Console, folder: Path, *, is_quick: bool) -> None:
    """Print the microseconds of a judgement, without rules and with 25 of them."""
    stores = Stores(folder, choose_cores())
    try:
        settings = replace(stores.settings(stores.create(SQLITE)), log_requests=False)

        async def measure() -> None:
            async with open_runtime(settings) as runtime:
                setups = [await _without(runtime), await _with_lists(runtime)]
                calls = QUICK_CALLS if is_quick else CALLS
                console.print(await _table(runtime, setups, calls))

        uvloop.run(measure())
    finally:
        stores.close()


async def _table(runtime: Runtime, setups: Sequence[_Setup], calls: int) -> Table:
    table = Table("text", *(each.name for each in setups), title="µs of a judgement")
    for name, text in TEXTS.items():
        draft = _draft(text)
        took = [f"{await _best(runtime, each, draft, calls):.2f}" for each in setups]
        table.add_row(name, *took)
    return table


async def _best(runtime: Runtime, setup: _Setup, draft: Draft, calls: int) -> float:
    """Return the microseconds of a call in the quickest round: the machine has other work."""
    await judge(runtime, setup.app_id, draft)
    rounds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(calls):
            await judge(runtime, setup.app_id, draft)
        rounds.append((time.perf_counter() - started) / calls)
        await asyncio.sleep(0)
    return min(rounds) * 1e6


def _draft(text: str) -> Draft:
    message = MessageInput(
        receiver="ben",
        receiver_type="user",
        category="message",
        type="text",
        data={"text": text},
    )
    return compose(Actor("anna"), message)


async def _world(runtime: Runtime, name: str) -> World:
    sender = InProcess(make_app(runtime, OPERATIONS))
    app, (key, auth_key) = await create_app(runtime, name=name, region="us")
    world = World(sender, app.id, key.api_key, auth_key.api_key)
    await world.users("anna", "ben")
    return world


async def _without(runtime: Runtime) -> _Setup:
    return _Setup("without rules", (await _world(runtime, "Without")).app_id)


async def _with_lists(runtime: Runtime) -> _Setup:
    """Make 25 rules, each of which refers to one of 25 lists of 1,000 words."""
    world, chance = await _world(runtime, "With"), random.Random(1)
    for number in range(RULES):
        words = {
            "".join(chance.choices(string.ascii_lowercase, k=chance.randint(5, 10)))
            for _ in range(WORDS)
        }
        terms = [*sorted(words), *(["zyxwvut"] if number == 0 else [])][-WORDS:]
        name = f"list-{number}"
        body = {"id": name, "category": "word", "searchTerms": terms}
        await world.post("/moderation/keywords", body)
        condition = {"value": [name], "isKeywordsReferencePresent": True}
        await world.post("/moderation/rules", {"id": f"rule-{number}", "conditions": [condition]})
    return _Setup(f"{RULES} rules, {RULES} lists of {WORDS:,} words", world.app_id)
