"""Measure messages that grow: many at 20 appends a second, a listener each, and a neighbour.

Appends go over REST, several messages on a connection, or over sockets, each message on one, or
together: what is due at a moment for a hundred messages is one call of REST. They are due at a
fixed rate; if the node can't follow, each waits for the answer to the one before.
"""

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

import uvloop
from rich import box
from rich.console import Console
from rich.table import Table
from tests.postgres import find_installation

from bench import report
from bench.load.client import Client, create_app
from bench.load.generator import Measured, WrongAnswer, measure
from bench.load.requests import HOST, Load
from bench.load.scene import Scene
from bench.load.sends import timed_texts
from bench.machine import choose_cores, describe
from bench.realtime.sockets import Count, Socket, close_sockets, open_sockets
from bench.realtime.stage import PATH, Person, Stage
from bench.stores import POSTGRES, Stores, Variant

REST, SOCKETS, TOGETHER = "REST", "sockets", "together"
LEVELS, LEVELS_OF_QUICK = (100, 300, 1_000), (50,)
PER_SECOND = 20
ON_CONNECTION = 5
"""The messages that share a connection of REST."""
IN_CALL = 100
"""Those whose appends are one call, if they are made together."""
NEIGHBOURS = 4
"""The connections of the other app; each sends when its last message is answered."""
WARM_UP_SECONDS = 1.5
WORD = "token "
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Found:
    """What a run has shown, all in a second."""

    appends: float
    frames: float
    cpu: float
    """The share of a core that the node used."""
    sends: float
    """Those of the other app."""
    send_50: float
    """The seconds within which half of them were answered."""
    send_99: float
    """Those within which 99 % were."""


class Pace:
    """The appends of some messages, in turns, each at its time; counted when answered."""

    def __init__(self, ids: Sequence[str], in_call: int = 1) -> None:
        self._ids = ids
        self.in_call = in_call
        self._turns = self._list_turns()
        self._due = time.perf_counter()
        self._interval = in_call / (PER_SECOND * len(ids))
        self.answered = 0

    def _list_turns(self) -> Iterator[tuple[str, int]]:
        sequence = 0
        while True:
            sequence += 1
            for id_ in self._ids:
                yield id_, sequence

    def next(self) -> tuple[str, int]:
        """Return the next message, and the number of its append."""
        return next(self._turns)

    def wait_seconds(self) -> float:
        """Return how long to wait for the next one; one that is late is not made up for."""
        now = time.perf_counter()
        self._due = max(self._due + self._interval, now - self._interval)
        return self._due - now


class RestGrower(asyncio.Protocol):
    """A connection of REST that appends."""

    def __init__(self, pace: Pace, head: str) -> None:
        self.pace = pace
        self._head = head
        self._received = b""
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        self._send()

    transport: asyncio.Transport

    def _send(self) -> None:
        id_, sequence = self.pace.next()
        body = f'{{"text":"{WORD}","sequence":{sequence}}}'
        request = f"POST /v3/messages/{id_}/append {self._head}{len(body)}\r\n\r\n{body}"
        if not self.transport.is_closing():
            self.transport.write(request.encode())

    def data_received(self, data: bytes) -> None:
        received = self._received = self._received + data
        end = received.find(_END)
        if end < 0 or not self._is_whole(received):
            return
        self._received = b""
        if self._fault_in(received):
            if not self.failed.done():
                self.failed.set_exception(WrongAnswer(received[:300].decode("utf-8", "replace")))
            return
        self.pace.answered += self.pace.in_call
        seconds = self.pace.wait_seconds()
        if seconds > 0:
            asyncio.get_running_loop().call_later(seconds, self._send)
        else:
            self._send()

    def _is_whole(self, received: bytes) -> bool:
        return received.endswith(b"}}")

    def _fault_in(self, received: bytes) -> bool:
        return received[9:12] != b"200"


class TogetherGrower(RestGrower):
    """A connection of REST that appends to all of its messages in each call."""

    def __init__(self, ids: Sequence[str], head: str) -> None:
        super().__init__(Pace(ids, in_call=len(ids)), head)
        self._ids = ids
        self._sequence = 0

    def _send(self) -> None:
        self._sequence += 1
        appends = ",".join(
            f'{{"id":"{id_}","text":"{WORD}","sequence":{self._sequence}}}' for id_ in self._ids
        )
        body = f'{{"appends":[{appends}]}}'
        request = f"POST /v3/messages/append {self._head}{len(body)}\r\n\r\n{body}"
        if not self.transport.is_closing():
            self.transport.write(request.encode())

    def _is_whole(self, received: bytes) -> bool:
        return received.endswith(b"]}")

    def _fault_in(self, received: bytes) -> bool:
        return received[9:12] != b"200" or b'"success":false' in received


class SocketGrower(Count):
    """A socket that appends; the frames that it receives are replies and events of its own."""

    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self.pace = pace
        self.socket: Socket | None = None

    def begin(self, socket: Socket) -> None:
        """Append from now on."""
        self.socket = socket
        self._send()

    def _send(self) -> None:
        assert self.socket is not None
        if self.socket.transport.is_closing():
            return
        id_, sequence = self.pace.next()
        self.socket.say(
            b'{"op":"call","ref":"1","method":"append_message","params":'
            b'{"id":"%b","text":"%b","sequence":%d}}' % (id_.encode(), WORD.encode(), sequence)
        )

    def add(self, frames: int, data: bytes) -> None:
        super().add(frames, data)
        if b'"error"' in data:
            raise WrongAnswer(data[:300].decode("utf-8", "replace"))
        replies = data.count(b'"op":"reply"')
        if not replies:
            return
        self.pace.answered += replies
        seconds = self.pace.wait_seconds()
        if seconds > 0:
            asyncio.get_running_loop().call_later(seconds, self._send)
        else:
            self._send()


Growers = tuple[list[Pace], Callable[[], None]]
"""What was answered, and what ends it."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A node with an app whose messages grow, and another app beside it."""

    stage: Stage
    neighbour: Scene
    processes: ProcessPoolExecutor

    def load_of_neighbour(self) -> Load:
        """Return the sends of the other app."""
        scene = self.neighbour
        load = timed_texts(scene, scene.senders, scene.senders, "user")
        return replace(load, connections=NEIGHBOURS)

    async def measure_alone(self, seconds: float) -> Found:
        """Return the sends of the other app while nothing grows."""
        before, began = self._cpu(), time.perf_counter()
        found = await self._begin_sending(seconds)
        cpu = (self._cpu() - before) / (time.perf_counter() - began)
        return Found(0, 0, cpu, found.rate, found.percentile(50), found.percentile(99))

    def _begin_sending(self, seconds: float) -> "asyncio.Future[Measured]":
        """Send as the other app, in a process of its own: what grows keeps this one busy."""
        send = partial(_send, self.stage.node.port, self.load_of_neighbour(), seconds)
        return asyncio.get_running_loop().run_in_executor(self.processes, send)

    async def measure_growth(
        self, way: str, count: int, seconds: float, *, with_neighbour: bool
    ) -> Found:
        """Return what a node does with so many messages that grow."""
        stage = self.stage
        bots = stage.people(stage.scene.make_users("bot", count))
        readers = stage.people(stage.scene.make_users("reader", count))
        told = Count()
        listening = await open_sockets(
            stage.node.port, PATH, [each.connect_frame for each in readers], told
        )
        ids = [self._begin(bot, reader) for bot, reader in zip(bots, readers, strict=True)]
        await stage.settle()
        paces, closing_down = await (
            self._grow_by_sockets(ids, bots) if way == SOCKETS else self._grow_by_rest(ids, way)
        )
        found: list[float] = []

        async def look() -> None:
            before = sum(each.answered for each in paces), told.frames, self._cpu()
            began = time.perf_counter()
            await asyncio.sleep(seconds)
            passed = time.perf_counter() - began
            after = sum(each.answered for each in paces), told.frames, self._cpu()
            found.extend((b - a) / passed for a, b in zip(before, after, strict=True))

        sends = send_50 = send_99 = 0.0
        neighbour = self._begin_sending(seconds) if with_neighbour else None
        try:
            await asyncio.sleep(WARM_UP_SECONDS)
            await look()
            if neighbour is not None:
                measured = await neighbour
                sends, send_50 = measured.rate, measured.percentile(50)
                send_99 = measured.percentile(99)
        finally:
            closing_down()
            close_sockets(listening)
        appends, frames, cpu = found
        return Found(appends, frames, cpu, sends, send_50, send_99)

    def _begin(self, bot: Person, reader: Person) -> str:
        body = {"receiver": reader.uid, "receiverType": "user", "growing": True}
        sent = self.stage.scene.client.post("/messages", body, as_=bot.uid)
        return str(sent["id"])

    async def _grow_by_rest(self, ids: Sequence[str], way: str) -> Growers:
        start = (
            f"HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
            f"apikey: {self.stage.scene.key}\r\nContent-Length: "
        )
        growers: list[RestGrower] = []
        size = IN_CALL if way == TOGETHER else ON_CONNECTION
        for at in range(0, len(ids), size):
            some = ids[at : at + size]
            grower = (
                TogetherGrower(some, start) if way == TOGETHER else RestGrower(Pace(some), start)
            )
            await asyncio.get_running_loop().create_connection(
                partial(_itself, grower), HOST, self.stage.node.port
            )
            growers.append(grower)

        def end() -> None:
            for each in growers:
                each.transport.abort()
                if each.failed.done():
                    each.failed.result()

        return [each.pace for each in growers], end

    async def _grow_by_sockets(self, ids: Sequence[str], bots: Sequence[Person]) -> Growers:
        growers = [SocketGrower(Pace([id_])) for id_ in ids]
        opened = await asyncio.gather(
            *(
                open_sockets(self.stage.node.port, PATH, [bot.connect_frame], grower)
                for grower, bot in zip(growers, bots, strict=True)
            )
        )
        sockets = [socket for [socket] in opened]
        for grower, socket in zip(growers, sockets, strict=True):
            grower.begin(socket)
        return [each.pace for each in growers], lambda: close_sockets(sockets)

    def _cpu(self) -> float:
        used = self.stage.process.cpu_times()
        return float(used.user + used.system)


def _send(port: int, load: Load, seconds: float) -> Measured:
    """Return what a load has shown that this process makes."""
    return uvloop.run(measure([port], load, warm_up_seconds=WARM_UP_SECONDS, seconds=seconds))


def _itself(grower: RestGrower) -> RestGrower:
    return grower


def measure_growing(variants: Sequence[Variant], *, seconds: float, is_quick: bool) -> None:
    """Measure, and print the figures."""
    console = Console(width=140)
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), choose_cores())) as stores,
    ):
        is_postgres = any(variant.engine == POSTGRES for variant in variants)
        version = (
            find_installation().run("postgres", "--version").split()[-1] if is_postgres else None
        )
        report.show_machine(console, describe(stores.folder, version))
        for variant in variants:
            _show(console, stores, variant, seconds, LEVELS_OF_QUICK if is_quick else LEVELS)


def _show(
    console: Console, stores: Stores, variant: Variant, seconds: float, levels: Sequence[int]
) -> None:
    table = Table(title=f"growing, {variant.name}", title_justify="left", box=box.SIMPLE_HEAD)
    names = ("", "asked/s", "appends/s", "frames/s", "CPU", "µs each", "with others", "frames/s")
    for name in (*names, "CPU", "their sends/s", "of alone", "p50, ms", "p99, ms", "of alone"):
        table.add_column(name, justify="right" if name else "left")
    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes,
        stores.node(variant) as node,
    ):
        stage = Stage([node], seconds)
        app_id, key = create_app(node)
        scene = Scene(Client(node.port, {"apikey": key}), app_id, key)
        ground = Ground(stage, scene, processes)
        quiet = uvloop.run(ground.measure_alone(seconds))
        table.add_row("nothing grows", *[""] * 7, *_of_others(quiet, quiet))
        for way in (REST, SOCKETS, TOGETHER):
            for count in levels:
                with console.status(f"{variant.name}, {count} over {way}"):
                    alone, beside = (
                        uvloop.run(
                            ground.measure_growth(way, count, seconds, with_neighbour=is_with)
                        )
                        for is_with in (False, True)
                    )
                    quiet = uvloop.run(ground.measure_alone(seconds))
                table.add_row(
                    f"{count:,} over {way}" if way != TOGETHER else f"{count:,} together",
                    f"{count * PER_SECOND:,}",
                    f"{alone.appends:,.0f}",
                    f"{alone.frames:,.0f}",
                    f"{alone.cpu:.0%}",
                    f"{1e6 * alone.cpu / max(alone.appends, 1):.0f}",
                    f"{beside.appends:,.0f}",
                    f"{beside.frames:,.0f}",
                    *_of_others(beside, quiet),
                )
    console.print(table)


def _of_others(found: Found, quiet: Found) -> list[str]:
    """Return the cells about the other app, with its ratios to `quiet`, which was alone."""
    return [
        f"{found.cpu:.0%}",
        f"{found.sends:,.0f}",
        f"{found.sends / quiet.sends:.2f}",
        f"{1000 * found.send_50:.1f}",
        f"{1000 * found.send_99:.1f}",
        f"{found.send_99 / quiet.send_99:.1f}",
    ]
