"""The interface of the bus: what one node publishes, the other nodes that subscribed receive.

Messages may be lost: while the bus is away, and when more is published than it can carry. Whoever
needs them all keeps them elsewhere, and reads there what is missing.
"""

from collections.abc import Callable
from typing import Protocol

Receive = Callable[[bytes], None]
LARGEST_MESSAGE = 1024 * 1024


class BusSubscription(Protocol):
    """The wish of a node to receive the messages of a subject."""

    async def close(self) -> None:
        """End the subscription; its function is not called any more."""
        ...


class Bus(Protocol):
    """Carries messages to the other nodes of the installation.

    A subject is any text: there are no wildcards.
    """

    @property
    def is_connected(self) -> bool:
        """Return whether messages reach other nodes at the moment."""
        ...

    @property
    def is_configured(self) -> bool:
        """Return whether there is a bus at all."""
        ...

    @property
    def largest_message(self) -> int:
        """Return how many bytes a message may have; a larger one is dropped."""
        ...

    def publish(self, subject: str, message: bytes) -> None:
        """Send a message to the other nodes that subscribed to the subject.

        Returns at once and never raises. A message that can't be sent is dropped.
        """
        ...

    async def subscribe(self, subject: str, receive: Receive) -> BusSubscription:
        """Call `receive` on the event loop with each message of other nodes, in their order.

        While the bus is away, the subscription waits until it is back.
        """
        ...

    def on_reconnect(self, callback: Callable[[], None]) -> None:
        """Call `callback` each time that the bus is back and all subscriptions are made again.

        Messages may have been missed until then.
        """
        ...

    async def close(self) -> None:
        """Send what waits, for a moment at most, and leave the bus."""
        ...


class NoSubscription:
    """A subscription that never receives anything."""

    async def close(self) -> None:
        pass


class Alone:
    """Drops what is published."""

    is_connected = True
    is_configured = False
    largest_message = LARGEST_MESSAGE

    def publish(self, subject: str, message: bytes) -> None:
        pass

    async def subscribe(self, subject: str, receive: Receive) -> BusSubscription:
        return NoSubscription()

    def on_reconnect(self, callback: Callable[[], None]) -> None:
        pass

    async def close(self) -> None:
        pass
