"""The driver of the client beside it, for the suite in `clients/conformance`.

    python clients/conformance -- python examples/sockets/driver.py

Its protocol is in clients/conformance/README.md.
"""

import asyncio
import json
import os
import sys
from collections.abc import Coroutine
from typing import Any
from urllib.request import urlopen

from client import Client, Ended, OutcomeUnknown, Refused

Line = dict[str, Any]
CAPABILITIES = ["lists", "queue", "calls", "online", "waits"]


def say(saw: str, **more: Any) -> None:
    """Tell the suite what happened."""
    print(json.dumps({"saw": saw, **more}), flush=True)


class Driver:
    """A client, and what the suite has it do."""

    def __init__(self, url: str, rest: str, speed: float) -> None:
        self._tokens = asyncio.Queue[Line]()
        self._rest = rest
        self._client = Client(
            url, self._fetch_token, self._load, self._show, tell_state=self._tell, speed=speed
        )
        self._tasks = set[asyncio.Task[None]]()
        self._running: asyncio.Task[None] | None = None

    async def do(self, line: Line) -> None:
        """Do what a line of the suite says."""
        match line:
            case {"do": "connect"} if self._running is None or self._running.done():
                self._running = self._begin(self._run())
            case {"do": "disconnect"} if self._running is not None:
                self._running.cancel()
                await asyncio.wait([self._running])
                say("state", state="idle")
            case {"do": "online"}:
                self._client.try_now()
            case {"do": "token"}:
                self._tokens.put_nowait(line)
            case {"do": "send", "key": key}:
                sending = self._client.send(line["receiver"], line["receiverType"], line["data"])
                self._begin(self._settle(key, sending))
            case {"do": "call", "key": key}:
                self._begin(self._answer(key, self._client.call(line["method"], line["params"])))

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    def _finish(self, task: asyncio.Task[None]) -> None:
        """Forget a task; a defect of the client ends the driver."""
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()):
            print(f"The client has failed: {failure!r}", file=sys.stderr, flush=True)
            os._exit(1)

    async def _run(self) -> None:
        try:
            await self._client.run()
        except Ended as ended:
            say("state", state="ended", code=ended.code)

    async def _settle(self, key: str, sending: Coroutine[Any, Any, Line]) -> None:
        try:
            say("sent", key=key, id=(await sending)["id"])
        except Refused as refused:
            say("failed", key=key, code=refused.code)

    async def _answer(self, key: str, call: Coroutine[Any, Any, Any]) -> None:
        try:
            say("reply", key=key, data=await call)
        except Refused as refused:
            say("reply", key=key, error={"code": refused.code})
        except OutcomeUnknown:
            say("unknown", key=key)

    async def _fetch_token(self) -> str:
        say("token")
        answer = await self._tokens.get()
        if "error" in answer:
            raise OSError(answer["error"])
        return str(answer["token"])

    async def _load(self) -> str:
        with await asyncio.to_thread(urlopen, f"{self._rest}/conversations") as answer:
            return str(json.load(answer)["meta"]["eventCursor"])

    def _show(self, frame: Line) -> None:
        say("event", **frame)

    def _tell(self, state: str, seconds: float) -> None:
        say("state", state=state, **({"seconds": seconds} if state == "waiting" else {}))


async def main() -> None:
    """Do what the suite says until it ends."""
    say("ready", capabilities=CAPABILITIES)
    driver: Driver | None = None
    lines = asyncio.StreamReader()
    reading = asyncio.StreamReaderProtocol(lines)
    await asyncio.get_running_loop().connect_read_pipe(lambda: reading, sys.stdin)
    while text := await lines.readline():
        line = json.loads(text)
        if driver is None:
            driver = Driver(line["url"], line["rest"], line["speed"])
        await driver.do(line)


if __name__ == "__main__":
    asyncio.run(main())
