"""Buses that are closed at the end of a test."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest
from tests.soon import SOON_SECONDS, until

from hubbub.bus.addresses import parse_servers
from hubbub.bus.interface import Bus
from hubbub.bus.nats import open_nats
from hubbub.bus.reconnecting import ReconnectingBus

Join = Callable[[str], Awaitable[ReconnectingBus]]


class Received:
    """What arrived at a subscriber, in order."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    def __call__(self, message: bytes) -> None:
        self.messages.append(message)


@pytest.fixture
async def join() -> AsyncIterator[Join]:
    """A function that returns a further bus on the servers of a URL."""
    async with AsyncExitStack() as stack:

        async def make(url: str) -> ReconnectingBus:
            bus = open_nats(parse_servers(url), "hubbub.test")
            stack.push_async_callback(bus.close)
            await bus.wait_tried(SOON_SECONDS)
            return bus

        yield make


async def listen(bus: Bus, subject: str) -> Received:
    """Subscribe to a subject."""
    received = Received()
    await bus.subscribe(subject, received)
    return received


async def hear(sender: Bus, subject: str, received: Received) -> None:
    """Publish until something arrives: the servers of a cluster learn of subscriptions late."""

    def is_heard() -> bool:
        sender.publish(subject, b"are you there?")
        return bool(received.messages)

    await until(is_heard)
