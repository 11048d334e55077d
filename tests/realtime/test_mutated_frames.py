"""Mutated frames of clients: refused as documented at a bounded cost, and nothing fails."""

import copy
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.api.http.test_costly_bodies import MOST_CALLS, PARTS, counted, filled, mutated
from tests.clock import ManualClock
from tests.realtime.chat import Client, Frame, Hall
from tests.realtime.contract import load_realtime_contract
from websockets.exceptions import ConnectionClosed

from hubbub.http.server.websocket import DEFAULT_BOUNDS
from hubbub.realtime.contract.schemas import camel
from hubbub.realtime.protocol.methods import METHODS
from hubbub.realtime.protocol.own_methods import OWN_METHODS

METHOD_NAMES = sorted([*METHODS, *OWN_METHODS])
LARGEST_PARAMS = DEFAULT_BOUNDS.largest_message - 200
EXTREMES: list[Any] = [
    None,
    True,
    -1,
    0,
    1.5,
    1e308,
    2**31,
    2**53,
    2**63,
    2**64,
    10**400,
    "",
    " ",
    "\x00",
    "\ud800",
    "%2F..%00",
    "anna",
    "group_club",
    "-1",
    "x" * 5_000,
    [],
    {},
    [[[[1]]]],
    {"a": {"b": []}},
    ["ben"] * 300,
    [None, {}, "\x00"],
]
"""What takes the place of a value."""


class Talker:
    """A client that opens another socket when the server has closed its own."""

    def __init__(self, hall: Hall, token: str) -> None:
        self._hall = hall
        self._token = token
        self._opened: Any = None
        self._client: Client | None = None

    async def connect(self, *, is_open: bool = True) -> Client:
        """Return a client with a socket, which is connected unless that is the test's part."""
        if self._client is None:
            self._opened = self._hall.open()
            self._client = await self._opened.__aenter__()
            if is_open:
                await self._client.say(op="connect", authToken=self._token)
                assert (await self._client.hear())["op"] == "connected"
        return self._client

    async def close(self) -> None:
        """Close the socket, if there is one."""
        if self._client is not None:
            await self._opened.__aexit__(None, None, None)
            self._client = None

    async def tell(self, frame: bytes, *, is_first: bool = False) -> list[Frame]:
        """Send a frame; return what the server answers. A close is as documented."""
        client = await self.connect(is_open=not is_first)
        heard = []
        try:
            await client.socket.send(frame, text=True)
            await client.socket.send('{"op":"ping"}')
            while (heard_now := json.loads(await client.socket.recv()))["op"] != "pong":
                heard.append(heard_now)
        except ConnectionClosed:
            code = client.socket.close_code
            if code != 1007:  # of the protocol below: the text was none
                load_realtime_contract().check_close(code or 0)
            await self.close()
        return heard


def examples(message_id: str = "1") -> dict[str, dict[str, Any]]:
    """Return an example of the parameters of every method, about a message to Ben."""
    messages = load_realtime_contract().messages
    said = [messages[f"{camel(each)}Call"]["examples"][0]["payload"] for each in METHOD_NAMES]
    about = {"id": message_id, "messageId": message_id, "uid": "ben", "receiver": "ben"}
    return {
        each["method"]: {name: about.get(name, value) for name, value in each["params"].items()}
        for each in said
    }


def changed(dice: random.Random, params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters of which some values are others, missing or of another field."""
    result = copy.deepcopy(params)
    for _ in range(dice.randrange(1, 4)):
        place: Any = result
        names = list(place)
        name = dice.choice([*names, "parentId", "limit", "receiverType", "unknown"])
        while isinstance(place.get(name), dict) and place[name] and dice.random() < 0.6:
            place = place[name]
            name = dice.choice(list(place))
        if dice.random() < 0.15:
            place.pop(name, None)
        else:
            place[name] = copy.deepcopy(dice.choice(EXTREMES))
    return result


def frame_of(dice: random.Random, known: dict[str, dict[str, Any]]) -> bytes:
    """Return a frame of some method that is not quite as it should be."""
    method = dice.choice(list(known))
    params = known[method] if dice.random() < 0.4 else changed(dice, known[method])
    call = {"op": "call", "ref": "r", "method": method, "params": params}
    if dice.random() < 0.1:
        call[dice.choice(list(call))] = dice.choice(EXTREMES)
    sent = json.dumps(call).encode()
    return mutated(dice, sent) if dice.random() < 0.4 else sent


async def mutate(hall: Hall, clock: ManualClock, seed: int, count: int) -> None:
    """Send mutated frames of all methods; none may fail, or leave an error in the log."""
    to_ben = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
    sent = await hall.world.post("/messages", {**to_ben, "data": {"text": "Hi"}}, as_="anna")
    dice, known = random.Random(seed), examples(sent["id"])
    token = await hall.world.token("anna")
    talker = Talker(hall, token)
    for number in range(count):
        is_first = dice.random() < 0.1
        if is_first:
            await talker.close()
            connect = {"op": "connect", "authToken": token, "since": "1-1", "presence": "all"}
            frame = json.dumps(changed(dice, connect)).encode()
            frame = mutated(dice, frame) if dice.random() < 0.5 else frame
        else:
            await talker.connect()
            frame = frame_of(dice, known)
        where = f"seed {seed}, number {number}: {frame[:1_000]!r}"
        with capture_logs() as lines, counted() as calls:
            heard = await talker.tell(frame, is_first=is_first)
        if is_first:
            await talker.close()

        codes = [each["error"]["code"] for each in heard if "error" in each]
        assert "ERR_EXCEPTION" not in codes, f"{where}: {heard}"
        assert [line for line in lines if line["log_level"] == "error"] == [], where
        assert calls.count < MOST_CALLS, f"{where}: {calls.count}"
        clock.advance(1)
    await talker.close()


async def test_mutated_frames(hall: Hall, clock: ManualClock) -> None:
    """Some mutated frames of every method fail as documented, at a bounded cost."""
    await mutate(hall, clock, seed=1, count=300)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(10))
async def test_very_many_mutated_frames(hall: Hall, clock: ManualClock, seed: int) -> None:
    """Twenty thousand of them on each engine do so, too."""
    await mutate(hall, clock, seed, count=2_000)


def worst_params(example: dict[str, Any]) -> Iterator[bytes]:
    """Yield the worst parameters of a method, of the largest size that a frame may have."""
    for name in (*example, "unknown"):
        rest = {key: value for key, value in example.items() if key != name}
        for part in PARTS.values():
            params = filled(name, part, LARGEST_PARAMS - 1_000)
            yield params[:-1] + b"," + json.dumps(rest).encode()[1:] if rest else params


@pytest.mark.parametrize("method", METHOD_NAMES)
async def test_no_params_run_through_much_python(
    hall: Hall, clock: ManualClock, method: str
) -> None:
    """Whatever a frame of the largest size holds, the calls of Python that it costs are bounded."""
    talker = Talker(hall, await hall.world.token("anna"))
    for params in worst_params(examples()[method]):
        frame = b'{"op":"call","ref":"r","method":"%b","params":%b}' % (method.encode(), params)
        assert len(frame) <= DEFAULT_BOUNDS.largest_message
        await talker.connect()
        with capture_logs() as lines, counted() as calls:
            [reply] = [each for each in await talker.tell(frame) if each["op"] == "reply"]

        assert reply.get("error", {}).get("code") != "ERR_EXCEPTION", params[:60]
        assert [line for line in lines if line["log_level"] == "error"] == []
        assert calls.count < MOST_CALLS, f"{calls.count} {params[:60]!r}"
        clock.advance(1)
    with suppress(ConnectionClosed):
        await talker.close()
