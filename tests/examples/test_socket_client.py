"""The example of a client, against a server that follows a script, and a node that restarts."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from tests.conftest import NewSettings
from tests.documents.blocks import ROOT
from tests.live import LiveNode
from tests.wire import LOOPBACK
from websockets.asyncio.server import ServerConnection, serve

_SPEC = importlib.util.spec_from_file_location("socket_client", ROOT / "examples/sockets/client.py")
assert _SPEC is not None
assert _SPEC.loader is not None
example: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(example)

Frame = dict[str, Any]
Script = Callable[["Scene"], Awaitable[None]]
PATIENCE_SECONDS = 30.0
STORED = {"op": "reply", "data": {"id": "1"}}


class Scene:
    """A socket on the side of the server."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket

    async def hear(self) -> Frame:
        """Return the next frame of the client that is no ping."""
        while True:
            frame: Frame = json.loads(await self._socket.recv())
            if frame["op"] != "ping":
                return frame

    async def say(self, **frame: Any) -> None:
        """Send a frame."""
        await self._socket.send(json.dumps(frame))

    async def greet(self, *, cursor: str, resumed: bool = True, heartbeat: float = 25) -> Frame:
        """Take the first frame and answer it; return it."""
        first = await self.hear()
        await self.say(op="connected", cursor=cursor, resumed=resumed, heartbeat=heartbeat)
        return first

    async def tell(self, id_: str) -> None:
        """Tell an event."""
        await self.say(op="event", id=id_, cursor=id_, event="message_sent", at=1, data={})

    async def close(self, code: int) -> None:
        """Close the socket."""
        await self._socket.close(code)

    async def settle(self) -> None:
        """Wait until the client has taken all that it was told."""
        await self.say(op="ping")
        assert (await self.hear())["op"] == "pong"

    async def stay(self) -> None:
        """Keep the socket open until the client has gone."""
        await self._socket.wait_closed()


class Person:
    """A client, what it has shown, and how often it has asked for a token and for the lists."""

    def __init__(self, url: str) -> None:
        self.shown: list[str] = []
        self.tokens = self.loads = self.fails_at = 0
        self.waits: list[float] = []
        self.client = example.Client(
            url, self._fetch_token, self._load, self._show, pause=self._pause
        )

    async def _fetch_token(self) -> str:
        self.tokens += 1
        return f"token-{self.tokens}"

    async def _load(self) -> str:
        self.loads += 1
        if self.loads == self.fails_at:
            raise OSError("The network is away.")
        return "0-0"

    def _show(self, frame: Frame) -> None:
        self.shown.append(frame["id"])

    async def _pause(self, seconds: float) -> None:
        self.waits.append(seconds)


@asynccontextmanager
async def played(*scripts: Script) -> AsyncIterator[tuple[Person, asyncio.Task[None]]]:
    """Run a client against a server that follows one script for each socket, in order.

    What goes wrong in a script fails the test.
    """
    left, faults = list(scripts), list[BaseException]()
    is_over = asyncio.Event()

    async def play(socket: ServerConnection) -> None:
        if not left:  # the test is over
            return await socket.wait_closed()
        try:
            await left.pop(0)(Scene(socket))
        except AssertionError as fault:
            faults.append(fault)
        if not left or faults:
            is_over.set()

    async with serve(play, LOOPBACK, 0) as server:
        [port] = {each.getsockname()[1] for each in server.sockets}
        person = Person(f"ws://{LOOPBACK}:{port}/v3/realtime")
        running = asyncio.create_task(person.client.run())
        try:
            yield person, running
            await asyncio.wait_for(is_over.wait(), PATIENCE_SECONDS)
        finally:
            running.cancel()
            await asyncio.wait([running])
    assert not faults, faults


async def test_an_event_that_comes_twice_is_shown_once() -> None:
    """After a cut the client resumes at the last cursor; what it has shown is not shown again."""

    async def first(scene: Scene) -> None:
        assert (await scene.greet(cursor="1-4"))["since"] == "0-0"
        await scene.tell("1-5")
        await scene.tell("1-6")
        await scene.close(1012)

    async def second(scene: Scene) -> None:
        assert (await scene.greet(cursor="1-5"))["since"] == "1-6"
        for id_ in ("1-6", "1-7"):
            await scene.tell(id_)
        await scene.settle()
        await scene.close(4401)

    async def third(scene: Scene) -> None:
        assert (await scene.greet(cursor="1-7"))["since"] == "1-7"

    async with played(first, second, third) as (person, _):
        pass

    assert person.shown == ["1-5", "1-6", "1-7"]
    assert person.loads == 1
    assert person.tokens == 2


async def test_lists_are_loaded_anew() -> None:
    """If events may be missing, the lists are loaded before anything is shown."""

    async def script(scene: Scene) -> None:
        await scene.greet(cursor="2-1", resumed=False)
        await scene.tell("2-2")
        await scene.settle()

    async with played(script) as (person, _):
        pass

    assert (person.loads, person.shown) == (2, ["2-2"])


async def test_a_list_that_can_not_be_loaded() -> None:
    """Until the lists are loaded, the client does not go on after what it may have missed."""

    async def first(scene: Scene) -> None:
        await scene.greet(cursor="2-1", resumed=False)
        await scene.stay()

    async def second(scene: Scene) -> None:
        assert (await scene.greet(cursor="2-1", resumed=False))["since"] == "0-0"
        await scene.settle()

    async with played(first, second) as (person, _):
        person.fails_at = 2

    assert person.loads == 3


async def test_a_message_without_a_reply_is_sent_again() -> None:
    """After a cut a message is sent again with the same `muid`, and those behind it in order."""
    calls: list[Frame] = []

    async def cut(scene: Scene) -> None:
        await scene.greet(cursor="1-1")
        calls.append(await scene.hear())
        await scene.close(1011)

    async def answer(scene: Scene) -> None:
        await scene.greet(cursor="1-1")
        for _ in range(2):
            calls.append(await scene.hear())
            await scene.say(**STORED, ref=calls[-1]["ref"])
        await scene.stay()

    async with played(cut, answer) as (person, running):
        messages = [person.client.send("ben", "user", {"text": text}) for text in ("one", "two")]
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await asyncio.gather(*messages) == [{"id": "1"}] * 2
        running.cancel()

    assert [each["params"]["data"]["text"] for each in calls] == ["one", "one", "two"]
    assert len({each["params"]["muid"] for each in calls}) == 2
    assert len({each["ref"] for each in calls}) == 3
    assert person.waits.count(example.BETWEEN_MESSAGES) == 2


async def test_refusals() -> None:
    """Too many calls settle nothing; another refusal settles the message, and the next one goes."""
    texts: list[str] = []

    async def script(scene: Scene) -> None:
        await scene.greet(cursor="1-1")
        for code in ("ERR_TOO_MANY_REQUESTS", "ERR_BAD_REQUEST", None):
            call = await scene.hear()
            texts.append(call["params"]["data"]["text"])
            error = {"code": code, "message": "No."}
            answer = {"error": error} if code else {"data": {"id": "2"}}
            await scene.say(op="reply", ref=call["ref"], **answer)
        await scene.stay()

    async with played(script) as (person, running):
        messages = [person.client.send("ben", "user", {"text": text}) for text in ("one", "two")]
        async with asyncio.timeout(PATIENCE_SECONDS):
            one, two = list[Any](await asyncio.gather(*messages, return_exceptions=True))
        running.cancel()

    assert texts == ["one", "one", "two"]
    assert (one.code, two) == ("ERR_BAD_REQUEST", {"id": "2"})


async def test_a_silent_server_is_left() -> None:
    """A server that says nothing for two heartbeats is gone: the client connects again."""

    async def silent(scene: Scene) -> None:
        await scene.greet(cursor="1-1", heartbeat=0.01)
        await scene.stay()

    async def again(scene: Scene) -> None:
        await scene.greet(cursor="1-1")

    async with played(silent, again) as (person, _):
        pass

    assert 0.5 <= person.waits[0] <= 1.0


@pytest.mark.parametrize("code", [1002, 1009, 4400, 4403])
async def test_codes_that_end_the_client(code: int) -> None:
    """It does not try again what would end in the same way."""

    async def script(scene: Scene) -> None:
        await scene.greet(cursor="1-1")
        await scene.close(code)

    async with played(script) as (_, running):
        with pytest.raises(example.Ended) as ended:
            await running

    assert ended.value.code == code


async def test_a_token_is_fetched_once_more() -> None:
    """If a new token is refused, too, the client ends."""

    async def use(scene: Scene) -> None:
        assert (await scene.greet(cursor="1-1"))["authToken"] == "token-1"
        await scene.close(4401)

    async def refuse(scene: Scene) -> None:
        assert (await scene.hear())["authToken"] == "token-2"
        await scene.close(4401)

    async with played(use, refuse) as (person, running):
        with pytest.raises(example.Ended):
            await running

    assert person.tokens == 2
    assert [0.5 <= wait <= 1.0 for wait in person.waits] == [True]


async def test_tries_come_less_and_less_often() -> None:
    """While nothing answers, the waits double, up to 20 s."""
    person = Person(f"ws://{LOOPBACK}:1/v3/realtime")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(person.client.run(), 0.5)

    assert len(person.waits) >= 8
    for wait, longest in zip(person.waits, [1, 2, 4, 8, 16, 20, 20, 20], strict=False):
        assert longest / 2 <= wait <= longest


async def test_a_node_that_restarts(new_settings: NewSettings) -> None:
    """Messages that are sent while a node is away are stored once, in order, when it is back."""
    with LiveNode(new_settings(), "--demo") as node:
        key = (node.data / "demo-key.txt").read_text().strip()
        base = f"http://{LOOPBACK}:{node.port}/v3"

        async def token() -> str:
            async with httpx2.AsyncClient() as http:
                answer = await http.post(f"{base}/users/anna/auth_tokens", headers={"apikey": key})
            return str(answer.json()["data"]["authToken"])

        async def load() -> str:
            headers = {"apikey": key, "onBehalfOf": "anna"}
            async with httpx2.AsyncClient() as http:
                answer = await http.get(f"{base}/conversations", headers=headers)
            return str(answer.json()["meta"]["eventCursor"])

        shown: list[str] = []

        def show(frame: Frame) -> None:
            if frame["event"] == "message_sent":
                shown.append(frame["data"]["message"]["data"]["text"])

        url = base.replace("http", "ws") + "/realtime"
        client = example.Client(url, token, load, show)
        running = asyncio.create_task(client.run())
        async with asyncio.timeout(PATIENCE_SECONDS * 2):
            await client.send("ben", "user", {"text": "before"})
            await asyncio.to_thread(node.stop)
            texts = [f"while away {number}" for number in range(5)]
            sending = asyncio.gather(*(client.send("ben", "user", {"text": t}) for t in texts))
            await asyncio.to_thread(node.start)
            stored = await sending
        running.cancel()

    assert [each["data"]["text"] for each in stored] == texts
    assert shown[:1] == ["before"]
    assert shown == ["before", *texts][: len(shown)]
