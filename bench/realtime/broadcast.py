"""The least that a server can do: uvicorn sends what one socket says to all of them, unchecked.

Run as `python -m bench.realtime.broadcast`, it prints its port; it ends with its input.
"""

import asyncio
import socket
import sys
from typing import Any

import uvicorn
import uvloop

from bench.load.requests import HOST

peers: set[Any] = set()


async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Serve a socket."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": (await receive())["text"]})
    peers.add(send)
    while (message := await receive())["type"] == "websocket.receive":
        for each in list(peers):
            await each({"type": "websocket.send", "text": message["text"]})
    peers.discard(send)


async def _serve() -> None:
    config = uvicorn.Config(
        answer,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_ping_interval=None,
        lifespan="off",
        log_level="warning",
    )
    server = uvicorn.Server(config)
    listener = socket.create_server((HOST, 0), backlog=2048)
    serving = asyncio.create_task(server.serve([listener]))
    print(listener.getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.should_exit = server.force_exit = True
    await serving


if __name__ == "__main__":
    uvloop.run(_serve())
