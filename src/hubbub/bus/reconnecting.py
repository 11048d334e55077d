"""A bus over a connection that may break: it is opened again and again, for ever."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Protocol

import structlog

from hubbub.bus.interface import Receive
from hubbub.bus.outgoing import OutgoingMessages

log = structlog.get_logger()

PAUSE_SECONDS = 0.2
"""The pause before each further attempt to connect."""
START_SECONDS = 2.0
"""How long a start waits for the first attempt."""
SUBSCRIBE_SECONDS = 5.0
CLOSE_SECONDS = 1.0


class NotConnected(Exception):
    """The other side can't be reached, or refuses; the message has no secret."""


class BusConnection(Protocol):
    """One connection. Every method may raise `NotConnected` once it is lost."""

    largest_message: int

    async def publish(self, subject: str, message: bytes) -> None:
        """Send a message; wait while the connection is congested."""
        ...

    async def subscribe(self, subjects: Collection[str]) -> None:
        """Ask for the messages of subjects; return once the other side knows."""
        ...

    async def unsubscribe(self, subject: str) -> None:
        """Ask for no more messages of a subject."""
        ...

    async def wait_lost(self) -> str:
        """Wait until the connection is lost; return the reason."""
        ...

    async def close(self) -> None:
        """Send what was published, and close the connection; this takes a second at most."""
        ...


Deliver = Callable[[str, bytes], None]
"""Takes each message that arrives, with its subject."""
Dial = Callable[[Deliver], Awaitable[BusConnection]]
"""Opens a connection. Raises `NotConnected`."""


class ReconnectingSubscription:
    """One receiver of a subject."""

    def __init__(self, bus: "ReconnectingBus", subject: str, receive: Receive) -> None:
        self._bus = bus
        self.subject = subject
        self.receive = receive

    async def close(self) -> None:
        await self._bus.end(self)


class ReconnectingBus:
    """Remembers subscriptions, and makes them on each new connection."""

    is_configured = True

    def __init__(self, dial: Dial, largest_message: int) -> None:
        self._dial = dial
        self._connection: BusConnection | None = None
        self._largest_message = largest_message
        self._subscriptions: dict[str, list[ReconnectingSubscription]] = {}
        self._outgoing = OutgoingMessages()
        self._callbacks: list[Callable[[], None]] = []
        self._is_away = False
        self._is_closed = False
        self._tried = asyncio.Event()
        self._running = asyncio.create_task(self._run())

    @property
    def is_connected(self) -> bool:
        return self._connection is not None

    @property
    def largest_message(self) -> int:
        return self._largest_message

    async def wait_tried(self, seconds: float = START_SECONDS) -> None:
        """Wait for the outcome of the first attempt to connect, but not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._tried.wait()

    def publish(self, subject: str, message: bytes) -> None:
        if self._connection is not None and len(message) <= self._largest_message:
            self._outgoing.put(subject, message)

    async def subscribe(self, subject: str, receive: Receive) -> ReconnectingSubscription:
        subscription = ReconnectingSubscription(self, subject, receive)
        among = self._subscriptions.setdefault(subject, [])
        among.append(subscription)
        connection = self._connection
        if connection is not None:
            with suppress(NotConnected, TimeoutError):  # then it is made on the next connection
                async with asyncio.timeout(SUBSCRIBE_SECONDS):
                    await connection.subscribe([subject])
        return subscription

    async def end(self, subscription: ReconnectingSubscription) -> None:
        """Forget a subscription; tell the other side if it was the last one of its subject."""
        among = self._subscriptions.get(subscription.subject, [])
        if subscription not in among:
            return
        among.remove(subscription)
        if among:
            return
        del self._subscriptions[subscription.subject]
        if self._connection is not None:
            with suppress(NotConnected):
                await self._connection.unsubscribe(subscription.subject)

    def on_reconnect(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    async def close(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._outgoing.wait_empty()
        self._is_closed = True
        self._running.cancel()
        with suppress(asyncio.CancelledError):
            await self._running

    async def _run(self) -> None:
        while not self._is_closed:
            try:
                await self._use(await self._dial(self._deliver))
            except NotConnected as failure:
                self._note_away(str(failure))
            except Exception as defect:
                log.error("bus_defect", exc_info=defect)
                self._note_away("a defect")
            await asyncio.sleep(PAUSE_SECONDS)

    async def _use(self, connection: BusConnection) -> None:
        """Make the subscriptions, then send what is published until the connection is lost."""
        sending: asyncio.Task[None] | None = None
        try:
            await self._resume(connection)
            sending = asyncio.create_task(self._send(connection))
            reason = await connection.wait_lost()
            self._connection = None
            self._note_away(reason)
        finally:
            self._connection = None
            self._outgoing.clear()
            if sending is not None:
                sending.cancel()
                await asyncio.wait({sending})
            await connection.close()

    async def _resume(self, connection: BusConnection) -> None:
        self._largest_message = connection.largest_message
        made: set[str] = set()
        while missing := self._subscriptions.keys() - made:  # others may subscribe meanwhile
            await connection.subscribe(missing)
            made |= missing
        self._connection = connection
        self._note_back()
        self._tried.set()
        for callback in self._callbacks:
            _call(callback)

    async def _send(self, connection: BusConnection) -> None:
        with suppress(NotConnected):
            while self._connection is connection:  # a client may miss that it is cancelled
                await connection.publish(*await self._outgoing.take())

    def _deliver(self, subject: str, message: bytes) -> None:
        for subscription in tuple(self._subscriptions.get(subject, ())):
            _call(subscription.receive, message)

    def _note_away(self, reason: str) -> None:
        self._tried.set()
        if not self._is_away:
            log.error("bus_lost", reason=reason)
        self._is_away = True

    def _note_back(self) -> None:
        if self._is_away:
            log.info("bus_back")
        self._is_away = False


def _call(function: Callable[..., None], *arguments: object) -> None:
    """Call a function of a subscriber; a defect in it must not end the connection of the others."""
    try:
        function(*arguments)
    except Exception as defect:
        log.error("bus_defect", exc_info=defect)
