"""Large bodies: refused while they arrive; others have turns between the passes over them."""

import asyncio
import hashlib
from typing import Any, Self

import msgspec
import pytest
from tests.api.http.test_costly_bodies import counted
from tests.api.http.turns import Passes, most_of_a_turn
from tests.wire import Answer, Asked, Headers, InProcess, request_of
from tests.world import World, encode_body

from hubbub.http.replay import PIECE_BYTES
from hubbub.http.request import Body, Request

PIECE = 64 * 1024
TEXT = "x" * 300_000
IMPORT = "/data_import/users"
ROW = {"uid": "cora", "name": "", "unknown": TEXT}
BODIES: dict[str, tuple[str, Any]] = {
    "unknown field": ("/users", {"unknown": TEXT}),
    "surrogates": ("/users", f'{{"unknown":"{TEXT}\\ud83d\\ude00"}}'.encode()),
    "nested unknown field": ("/messages", {"unknown": {"a": TEXT}}),
    "a row": (IMPORT, {"users": {"cora": ROW}}),
    "many rows": (IMPORT, {"users": {f"u{number}": ROW for number in range(10)}, "other": TEXT}),
}


class Arriving:
    """A body in pieces that are counted as they are read."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.read = 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        piece = self._body[self.read * PIECE : (self.read + 1) * PIECE]
        self.read += 1
        await asyncio.sleep(0)
        if not piece:
            raise StopAsyncIteration
        return piece


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        (b'{"users":' + b"[" * 70, "nested deeper than 64 levels"),
        (b'{"users":[' + b"0," * 51_000, "more than 50,000 values"),
        (b'{"users":"\xff', "not UTF-8"),
    ],
)
async def test_a_large_body_is_refused_while_it_arrives(
    world: World, start: bytes, reason: str
) -> None:
    """A fault in the first pieces is answered before the others are read."""
    arriving = Arriving(start + b" " * 4_000_000)

    answer = await _sender(world).app.answer(_request(world, IMPORT, arriving))

    assert answer.status == 400
    assert reason in answer.body.decode()
    assert arriving.read <= 4


@pytest.mark.parametrize("name", BODIES)
async def test_others_have_turns_between_passes(world: World, name: str) -> None:
    """No turn of the event loop decodes a large body twice."""
    path, body = BODIES[name]
    passes = Passes(msgspec.json.Decoder)

    answer, most = await _counted(world, passes, path, body, {})

    assert answer.status in {200, 400}
    assert passes.count > 1
    assert most == 1


async def test_a_large_body_is_hashed_in_pieces(world: World) -> None:
    """With an idempotency key, no turn of the event loop hashes all of a large body."""
    rows = {f"u{number}": ROW for number in range(10)}
    passes = Passes(hashlib.blake2b)

    answer, most = await _counted(world, passes, IMPORT, {"users": rows}, {"idempotency-key": "k1"})

    assert answer.status == 200
    assert passes.count > len(rows) * len(TEXT) // PIECE_BYTES
    assert most <= 3  # the key, too


async def _counted(
    world: World, passes: Passes, path: str, body: Any, headers: Headers
) -> tuple[Answer, int]:
    """Return the answer to a request, and the most passes in one turn of the loop."""
    asked = Asked("POST", f"/v3{path}", {"apikey": world.key, **headers}, encode_body(body))
    with counted(passes):
        answering = asyncio.create_task(_sender(world).send(asked))
        most = await most_of_a_turn(passes, answering)
    return await answering, most


@pytest.mark.parametrize("size", [1_000, 200_000, 1_200_000])
@pytest.mark.parametrize("filling", ["x", "\u4e2d", "\n"])
async def test_where_json_is_malformed(world: World, size: int, filling: str) -> None:
    """The line and column of what is wrong are the same however large the body is."""
    space = " \n" * 3 + "\t" * size if filling != "\n" else "\n" * size
    text = filling * (size // 3) if filling != "\n" else ""
    body = f'{{"other":"{text}",{space}!'.encode()

    answer = await world.ask("POST", IMPORT, body)

    shown = body[:-1].decode()
    line, column = shown.count("\n") + 1, len(shown.rpartition("\n")[2]) + 1
    assert answer.status == 400
    assert f"at line {line}, column {column}." in answer.error["message"]


async def test_a_large_body_with_an_unpaired_surrogate(world: World) -> None:
    """It is named as what may be wrong, wherever it is."""
    body = b'{"other":"' + b"x" * (PIECE - 12) + b'\\UD800","a":"' + b"x" * 1_200_000

    answer = await world.ask("POST", IMPORT, body)

    assert "unpaired surrogate" in answer.error["message"]


def _sender(world: World) -> InProcess:
    assert isinstance(world._sender, InProcess)
    return world._sender


def _request(world: World, path: str, body: Body) -> Request:
    request = request_of(Asked("POST", f"/v3{path}", {"apikey": world.key}))
    request.body = body
    return request
