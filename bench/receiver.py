"""A receiver of webhooks that costs little: it counts what arrives, and answers 204.

Run as `python -m bench.receiver`, it prints its port. For each line that it reads, it prints the
number of deliveries so far; it ends with its input.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import cast

import httptools
import uvloop

from bench.load.requests import HOST

ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


class Receiver(asyncio.Protocol):
    """A connection; `count` is called for each request."""

    def __init__(self, count: Callable[[], None]) -> None:
        self._count = count
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        """Answer a request that is complete."""
        self._count()
        self._transport.write(ANSWER)


async def _serve() -> None:
    total = 0

    def count() -> None:
        nonlocal total
        total += 1

    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Receiver(count), HOST, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(total, flush=True)


if __name__ == "__main__":
    uvloop.run(_serve())
