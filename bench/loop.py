"""How long one request holds the event loop: the worst bodies, and the longest lists."""

import asyncio
import gc
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import uvloop
from rich.console import Console
from rich.table import Table
from tests.api.http.test_costly_bodies import PARTS, WITH_BODY, bodies, filled, path_of
from tests.wire import Asked, InProcess
from tests.world import World

from bench.longest import longest_lists
from bench.machine import choose_cores
from bench.stores import Stores
from hubbub.bootstrap import open_runtime
from hubbub.cli.node import SWITCH_SECONDS
from hubbub.config import Settings
from hubbub.domain.apps.manage import create_app
from hubbub.http.app import make_app
from hubbub.http.operation import LARGEST_BODY, Operation
from hubbub.kernel.nesting import MOST_ESCAPES
from hubbub.rest.operations import OPERATIONS

TRIES = 3
"""The shortest of so many stops counts: the machine has other work."""
SHOWN = 12
_ESCAPED = [
    b'"' + text * 5_000 + b'",' for text in (b"\\n\\n", b"\\u4e2d\\u6587", b"\\ud83d\\ude00")
]
"""Texts of 10,000 escapes."""
Stop = tuple[float, str, str]


def measure_stops(
    console: Console, folder: Path, engines: Sequence[str], *, is_quick: bool
) -> None:
    """Print the requests that hold the event loop longest, for each engine."""
    stores = Stores(folder, choose_cores())
    try:
        for engine in engines:
            settings = replace(stores.settings(stores.create(engine)), log_requests=False)
            stops = uvloop.run(_measure(settings, is_quick=is_quick))
            _show(console, engine, stops)
    finally:
        stores.close()


def _show(console: Console, engine: str, stops: Sequence[Stop]) -> None:
    table = Table("ms", "operation", "request", title=f"Longest stops of the event loop, {engine}")
    for seconds, name, text in sorted(stops, reverse=True)[:SHOWN]:
        table.add_row(f"{seconds * 1000:.1f}", name, text)
    console.print(table)


async def _measure(settings: Settings, *, is_quick: bool) -> list[Stop]:
    async with open_runtime(settings) as runtime:
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)  # as `serve` does
        sys.setswitchinterval(SWITCH_SECONDS)
        sender = InProcess(make_app(runtime, OPERATIONS))
        app, (key, auth_key) = await create_app(runtime, name="A world", region="us")
        world = World(sender, app.id, key.api_key, auth_key.api_key)
        await world.users("anna", "ben")
        return [
            (await _shortest(world, asked), name, _describe(asked))
            for name, asked in (
                *_of_bodies(world, WITH_BODY[:: 10 if is_quick else 1]),
                *await longest_lists(world),
            )
        ]


def _describe(asked: Asked) -> str:
    body = asked.body
    return f"{len(body):,} B: {body[:48]!r}" if body else asked.target[:60]


def _of_bodies(world: World, operations: Sequence[Operation]) -> Iterator[tuple[str, Asked]]:
    """Yield the requests with the worst bodies, each with the name of its operation."""
    headers = {"apikey": world.key, "onBehalfOf": "anna"}
    for operation in operations:
        path = "/v3" + path_of(operation)
        for body in (*bodies(operation), *_of_imports(operation)):
            yield operation.name, Asked(operation.method, path, headers, body)


def _of_imports(operation: Operation) -> Iterator[bytes]:
    """Yield bodies of 8 MiB, or with the most escapes, for the operations that take them."""
    largest = operation.largest_body
    if largest > LARGEST_BODY:
        for name, size in (("unknown2", largest), ("a", LARGEST_BODY - 100)):
            for part in (*PARTS.values(), *_ESCAPED):
                room = MOST_ESCAPES // 10_000 * len(part) if part in _ESCAPED else size
                body = filled(name, part, min(size, room))
                yield body if name == "unknown2" else _in_rows(operation, body)


def _in_rows(operation: Operation, row: bytes) -> bytes:
    """Return a body of as many rows as it has room for; a row alone has the most escapes."""
    rows = 1 if row.count(b"\\") > LARGEST_BODY // 8 else operation.largest_body // len(row)
    members = b",".join(b'"%d":%b' % (number, row) for number in range(rows))
    return b'{"%b":{%b}}' % (operation.path.rsplit("/", 1)[1].encode(), members)


async def _shortest(world: World, asked: Asked) -> float:
    """Return the longest time between two turns of the loop while a request is answered."""
    return min([await _longest_stop(world, asked) for _ in range(TRIES)])


async def _longest_stop(world: World, asked: Asked) -> float:
    answering = asyncio.create_task(world._sender.send(asked))
    longest, before = 0.0, time.perf_counter()
    while not answering.done():
        await asyncio.sleep(0)
        now = time.perf_counter()
        longest, before = max(longest, now - before), now
    await answering
    return longest
