"""Names are looked up without holding up one another."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from hubbub.outbound.calls import APP
from hubbub.outbound.names import MOST_LOOKUPS, MOST_OF_ONE, Resolver


class SlowNames:
    """Name servers: those of `slow` names answer when they are told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answering = threading.Event()

    def look(self, host: str, *others: Any, **options: Any) -> list[Any]:
        """Look a name up."""
        self.asked.append(host)
        if host.startswith("slow"):
            assert self.answering.wait(30)
            host = "localhost"
        return socket.getaddrinfo(host, *others, **options)


@pytest.fixture
def names() -> Iterator[SlowNames]:
    """Name servers, which answer at last."""
    made = SlowNames()
    yield made
    made.answering.set()


async def resolve(resolver: Resolver, host: str) -> list[str]:
    """Return the addresses of a name."""
    return [each["host"] for each in await resolver.resolve(host, 80)]


async def test_addresses() -> None:
    """A name has addresses, and the port that was asked for."""
    [found] = await Resolver().resolve("localhost", 8080)
    assert (found["hostname"], found["host"], found["port"]) == ("localhost", "127.0.0.1", 8080)


async def test_no_address() -> None:
    """A name without an address is an error, for each who asked."""
    resolver = Resolver()
    asking = [resolve(resolver, "a.invalid") for _ in range(3)]
    failures = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(failure) for failure in failures] == [socket.gaierror] * 3


async def test_slow_names_delay_no_others(names: SlowNames) -> None:
    """While many look-ups wait for slow name servers, others are answered."""
    resolver = Resolver(names.look)
    slow = [asyncio.create_task(resolve(resolver, f"slow{number}")) for number in range(100)]
    async with asyncio.timeout(60):
        assert await resolve(resolver, "localhost") == ["127.0.0.1"]
    assert not any(task.done() for task in slow)

    names.answering.set()
    assert await asyncio.gather(*slow) == [["127.0.0.1"]] * 100


async def test_a_name_is_looked_up_once_at_a_time(names: SlowNames) -> None:
    """Those who ask at the same time share the answer, also when one of them gives up."""
    resolver = Resolver(names.look)
    asking = [asyncio.create_task(resolve(resolver, "slow")) for _ in range(50)]
    await asyncio.sleep(0)
    asking[0].cancel()
    await asyncio.wait([asking[0]])
    names.answering.set()

    assert await asyncio.gather(*asking[1:]) == [["127.0.0.1"]] * 49
    assert names.asked == ["slow"]
    await resolve(resolver, "slow")
    assert names.asked == ["slow", "slow"]


async def test_there_are_not_too_many_look_ups(names: SlowNames) -> None:
    """The number of threads is limited; who comes later waits for one."""
    resolver = Resolver(names.look)
    slow = [
        asyncio.create_task(resolve(resolver, f"slow{number}")) for number in range(MOST_LOOKUPS)
    ]
    await asyncio.sleep(0)
    later = asyncio.create_task(resolve(resolver, "localhost"))
    await asyncio.sleep(0)
    assert "localhost" not in names.asked

    names.answering.set()
    await asyncio.gather(*slow)
    assert await later == ["127.0.0.1"]


@pytest.mark.parametrize("app", ["noisy", ""])
async def test_an_app_or_domain_has_few_threads(names: SlowNames, app: str) -> None:
    """Silent names of an app, or of a domain if no app asks, leave threads to all others."""
    resolver = Resolver(names.look)
    APP.set(app)
    slow = [
        asyncio.create_task(resolve(resolver, f"slow{number}.attacker.example"))
        for number in range(MOST_LOOKUPS)
    ]
    await asyncio.sleep(0)
    APP.set("")
    async with asyncio.timeout(60):
        assert await resolve(resolver, "localhost") == ["127.0.0.1"]
    assert len(names.asked) == MOST_OF_ONE + 1

    names.answering.set()
    assert await asyncio.gather(*slow) == [["127.0.0.1"]] * MOST_LOOKUPS


async def test_a_look_up_ends(names: SlowNames) -> None:
    """A name whose server stays silent is an error after some time; its thread stays counted."""
    resolver = Resolver(names.look, longest_seconds=0.05)
    with pytest.raises(OSError, match="took too long"):
        await resolve(resolver, "slow")
    names.answering.set()
