"""The worst bodies of every operation: none has the event loop run through much Python."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.engines import one_engine
from tests.wire import Asked
from tests.world import World

from hubbub.http.operation import LARGEST_BODY, Operation
from hubbub.rest.operations import OPERATIONS

MOST_CALLS = 30_000
"""Some 3 ms; the check of the depth alone made ten times as many of the largest body."""
WITH_BODY = [each for each in OPERATIONS if each.body is not None]
PARTS: dict[str, bytes] = {
    "lists": b"[],",
    "brackets": b"[[[[[]]]]],",
    "objects": b'{"a":{}},',
    "numbers": b"0,",
    "extreme": b"1.7976931348623157e308,",
    "texts": b'"\\"[{",',
    "long": b'"' + b"x" * 1_000 + b'",',
}


class Calls:
    """Counts the calls of Python functions on this thread."""

    def __init__(self) -> None:
        self.count = 0

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        """Take notice of what the interpreter does."""
        self.count += event == "call"


@contextmanager
def counted(calls: Calls | None = None) -> Iterator[Calls]:
    """Count inside the block."""
    calls, before = calls or Calls(), sys.getprofile()
    sys.setprofile(calls.note)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def path_of(operation: Operation) -> str:
    """Return a path of an operation with the examples of its parameters."""
    path = operation.path
    for parameter in operation.path_parameters.values():
        path = path.replace(f"{{{parameter.name}}}", parameter.example)
    return path


def filled(name: str, part: bytes, size: int) -> bytes:
    """Return a body of a size whose field is a list of many parts."""
    head = b'{"unknown":1,"' + name.encode() + b'":['
    return head + part * ((size - len(head) - 5) // len(part)) + b"0]}"


def bodies(operation: Operation) -> Iterator[bytes]:
    """Yield the worst bodies of an operation, of 1 MiB and of what is just taken."""
    names = operation.names[:2] or ["unknown2"]
    for name in (*names, "unknown2"):
        for part in PARTS.values():
            yield filled(name, part, LARGEST_BODY)
        yield filled(name, b"[],", 29_000)
        yield filled(name, b'"a",', 70_000)


@one_engine
@pytest.mark.parametrize("group", range(8))
async def test_no_body_runs_through_much_python(world: World, group: int) -> None:
    """Whatever a body of the largest size holds, the calls of Python that it costs are bounded."""
    await world.users("anna", "ben")
    for operation in WITH_BODY[group::8]:
        for body in bodies(operation):
            sent = world._sender
            with capture_logs() as lines, counted() as calls:
                answer = await sent.send(_asked(world, operation, body))

            assert answer.status < 500, f"{operation.name}: {answer}"
            assert [line for line in lines if line["log_level"] == "error"] == []
            assert calls.count < MOST_CALLS, f"{operation.name}: {calls.count} {body[:60]!r}"


@one_engine
@pytest.mark.parametrize("operation", [each for each in WITH_BODY if each.most_values < 20_000])
async def test_bodies_of_ids_are_short(world: World, operation: Operation) -> None:
    """More ids than anybody may send are refused before the form of each is looked at."""
    many = filled(operation.names[0], b'"a",', 4 * operation.most_values)
    more = filled(operation.names[0], b'"a",', 5 * operation.most_values)

    with counted() as calls:
        few = await world._sender.send(_asked(world, operation, many))
        refused = await world._sender.send(_asked(world, operation, more))

    assert "more than" not in few.body.decode()
    assert refused.status == 400
    assert f"more than {operation.most_values:,} values" in refused.body.decode()
    assert calls.count < MOST_CALLS


def _asked(world: World, operation: Operation, body: bytes) -> Any:

    headers = {"apikey": world.key, "onBehalfOf": "anna", "content-type": "application/json"}
    return Asked(operation.method, "/v3" + path_of(operation), headers, body)


def mutated(dice: random.Random, body: bytes) -> bytes:
    """Return a body with some bytes changed, repeated or left out."""
    changed = bytearray(body)
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(changed) + 1)
        piece = dice.choice([b"", b'"', b"\\", b"[", b"{", b"}", b"0", b"1e999", b"\xff", b"null"])
        end = at + dice.randrange(6)
        changed[at:end] = piece * dice.choice([1, 1, 1, 70])
    return bytes(changed)


SEEDS = {
    "message": b'{"receiver":"ben","receiverType":"user","data":{"text":"Hi","metadata":{"a":[1]}},'
    b'"tags":["a"],"muid":"m1","category":"message","type":"text"}',
    "user": b'{"uid":"cora","name":"Cora","metadata":{"x":{"y":[1,2.5,null]}},"tags":["t"],'
    b'"avatar":"https://example.com/a.png"}',
    "import": b'{"users":{"u1":{"uid":"u1","name":"U"}},"messages":{"m":{"muid":"m",'
    b'"sender":"anna","receiver":"ben","receiverType":"user","sentAt":1,"data":{"text":"x"}}}}',
}


async def mutate(world: World, seed: int, count: int) -> None:
    """Send mutated bodies to all operations; none may be a 500 or leave an error in the log."""
    await world.users("anna", "ben")
    dice = random.Random(seed)
    for number in range(count):
        operation, body = dice.choice(WITH_BODY), mutated(dice, dice.choice([*SEEDS.values()]))
        with capture_logs() as lines, counted() as calls:
            answer = await world._sender.send(_asked(world, operation, body))

        where = f"seed {seed}, number {number}, {operation.name}: {body!r}"
        assert answer.status != 500, f"{where}: {answer}"
        assert [line for line in lines if line["log_level"] == "error"] == [], where
        assert calls.count < MOST_CALLS, f"{where}: {calls.count}"


async def test_mutated_requests(world: World) -> None:
    """Some mutated bodies of every operation fail as documented, at a bounded cost."""
    await mutate(world, seed=1, count=300)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(10))
async def test_very_many_mutated_requests(world: World, seed: int) -> None:
    """Fifty thousand of them on each engine do so, too."""
    await mutate(world, seed, count=5_000)
