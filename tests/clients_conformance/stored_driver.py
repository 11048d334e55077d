"""A driver of a client that has a store and keeps messages, made of the client of the examples."""

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "examples/sockets"))

import driver as example

Line = dict[str, Any]


class StoredDriver(example.Driver):
    """The store is what is left of a client that is dropped: its cursor, its ids, its queue."""

    def __init__(self, url: str, rest: str, speed: float) -> None:
        super().__init__(url, rest, speed)
        self._address = url, rest, speed
        self._rows: dict[str, Line] = {}

    async def do(self, line: Line) -> None:
        """Do what a line of the suite says."""
        match line["do"]:
            case "restart":
                await self._restart()
            case "messages":
                rows = [self._rows[id_] for id_ in sorted(self._rows, key=int)]
                example.say("messages", messages=rows)
            case _:
                await super().do(line)

    async def _restart(self) -> None:
        await asyncio.sleep(0)  # the latest messages get into the queue
        tasks, dropped = list(self._tasks), self._client
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        self._client = StoredDriver(*self._address)._client
        for name in ("_show", "_fetch_token", "_cursor", "_shown"):
            setattr(self._client, name, getattr(dropped, name))
        for muid, (message, _) in dropped._queue.items():
            settled: asyncio.Future[Line] = asyncio.get_running_loop().create_future()
            self._client._queue[muid] = message, settled
        self._client._has_more.set()
        example.say("restarted")

    async def _settle(self, key: str, sending: Coroutine[Any, Any, Line]) -> None:
        async def keep() -> Line:
            stored = await sending
            self._rows[stored["id"]] = stored
            return stored

        await super()._settle(key, keep())

    def _show(self, frame: Line) -> None:
        super()._show(frame)
        if message := frame["data"].get("message"):
            self._rows[message["id"]] = message


if __name__ == "__main__":
    example.CAPABILITIES += ["store", "messages"]
    example.Driver = StoredDriver  # type: ignore[misc]  # `main` makes one
    asyncio.run(example.main())
