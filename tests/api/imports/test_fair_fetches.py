"""Fetches of one app hold up no other app: neither silent names nor silent servers do."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from tests.api.imports.test_imports_fetched import elsewhere, import_fetched, in_process, row
from tests.elsewhere import Elsewhere
from tests.outbound.test_names import SlowNames
from tests.soon import until
from tests.world import Node, World

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.calls import Calls
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.names import Resolver

__all__ = ["elsewhere"]

FETCHES = 30
"""More than what one app, and all apps together, may have under way in these tests."""


@dataclass(slots=True)
class Neighbours:
    """Two apps of a node: one whose fetches hang, and another one."""

    noisy: World
    quiet: World
    elsewhere: Elsewhere
    names: SlowNames
    fetching: set["asyncio.Task[object]"] = field(default_factory=set)

    def begin(self, number: int, url: str) -> None:
        """Begin a fetch of the noisy app."""
        muid = f"m-{number}"
        rows = {muid: row("file", {"url": url, "name": "a.txt"})}
        self.fetching.add(asyncio.create_task(import_fetched(self.noisy, "", **rows)))

    async def fetch(self) -> bool:
        """Return whether a fetch of the other app succeeds."""
        url = f"https://localhost:{self.elsewhere.encrypted}/files/notes.txt"
        async with asyncio.timeout(60):
            made = await import_fetched(self.quiet, "", ours=row("file", {"url": url}))
        return bool(made["ours"]["success"])


@asynccontextmanager
async def neighbours_of(node: Node, elsewhere: Elsewhere) -> AsyncIterator[Neighbours]:
    """Make the apps; end what hangs after the block."""
    names = SlowNames()
    client = OutboundClient(
        parse_rule("127.0.0.0/8"),
        str(elsewhere.certificate.cert),
        calls=Calls(20, most_of_app=10),
        names=Resolver(names.look, most=20, most_of_one=4),
    )
    fetching = replace(node, sender=in_process(node, client))
    neighbours = Neighbours(await fetching.world(), await fetching.world(), elsewhere, names)
    for world in (neighbours.noisy, neighbours.quiet):
        await world.users("anna", "ben")
    try:
        yield neighbours
    finally:
        for task in neighbours.fetching:
            task.cancel()
        await asyncio.gather(*neighbours.fetching, return_exceptions=True)
        elsewhere.leaving.set()
        names.answering.set()
        await client.close()
        for thread in threading.enumerate():
            if thread.name.startswith("look-up"):
                thread.join(60)


async def test_silent_names(node: Node, elsewhere: Elsewhere) -> None:
    """While the names of one app are looked up in vain, another app's file is fetched at once."""
    async with neighbours_of(node, elsewhere) as neighbours:
        for number in range(FETCHES):
            neighbours.begin(number, f"https://slow.{number}.example/a.txt")
        await until(lambda: len(neighbours.names.asked) >= 4)

        assert await neighbours.fetch()
        assert len(neighbours.names.asked) == 4 + 1
        assert not any(each.done() for each in neighbours.fetching)


async def test_silent_servers(node: Node, elsewhere: Elsewhere) -> None:
    """While a server never answers one app, another app's file is fetched from it at once."""
    async with neighbours_of(node, elsewhere) as neighbours:
        url = f"https://localhost:{elsewhere.encrypted}/silence"
        for number in range(FETCHES):
            neighbours.begin(number, url)
        await elsewhere.wait_for(10)

        assert await neighbours.fetch()
        assert len(elsewhere.asked) == 10 + 1
        assert not any(each.done() for each in neighbours.fetching)
