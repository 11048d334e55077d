"""The bus of a node that hears of no other one."""

from collections.abc import Callable

from hubbub.bus.interface import BusSubscription, Receive

LARGEST_MESSAGE = 1024 * 1024


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
