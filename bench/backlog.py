"""Measure whether a webhook whose receiver hangs, with a large backlog, delays those of others."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import psutil
from rich import box
from rich.console import Console
from rich.table import Table
from tests.live import LiveNode
from tests.receiver import HANG, Received, Receiver, receiving

from bench.crowd import make_app
from bench.load.client import Client
from bench.load.requests import HOST
from bench.machine import choose_cores
from bench.stores import Store, Stores, Variant
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.webhooks.attach import attach_triggers
from hubbub.domain.webhooks.manage import create_webhook
from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.records.webhooks import queues
from hubbub.records.webhooks.model import Body, Delivery, State
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

MEGABYTE = 1024 * 1024
CONVERSATIONS = 1_000
CHUNK = 5_000
MESSAGES = 40
TRIGGER = "message_sent"
NUMBERS_FROM = 1_000_000_000
"""Above the numbers of events that the node writes."""


async def _make(settings: Settings, port: int, backlog: int) -> str:
    """Fill an empty store: an app with the backlog, and one without; return the key of that one."""
    async with open_runtime(settings) as runtime:
        runtime.outbound = OutboundClient(parse_rule(f"{HOST}/32"))
        stuck, _ = await make_app(runtime, "Stuck")
        quick, key = await make_app(runtime, "Quick")
        for app_id, name in ((stuck, "stuck"), (quick, "quick")):
            url = f"http://{HOST}:{port}/{name}"
            fields = {"id": name, "name": name, "url": url, "retries": True}
            webhook = await create_webhook(runtime, app_id, fields)
            await attach_triggers(runtime, app_id, name, [TRIGGER])
            if name == "stuck":
                await _write_backlog(runtime, app_id, webhook.number, backlog)
    return key


async def _write_backlog(runtime: Runtime, app_id: str, webhook: int, count: int) -> None:
    now = runtime.clock.now()
    for first in range(0, count, CHUNK):
        events = range(NUMBERS_FROM + first, NUMBERS_FROM + min(first + CHUNK, count))
        bodies = [
            Body(each, 0, f"1-{each}", '{"data":"' + "x" * 1_000 + '"', now) for each in events
        ]
        rows = [_delivery(webhook, each, now) for each in events]

        async def within(
            tx: Transaction, bodies: Sequence[Body] = bodies, rows: Sequence[Delivery] = rows
        ) -> None:
            await queues.lock_queues(tx)
            await queues.insert_deliveries(tx, bodies, rows, runtime.clock.milliseconds())
            await queues.wake_queues(tx, [webhook], runtime.clock.milliseconds())

        await runtime.database.write(app_id, within)


def _delivery(webhook: int, event: int, now: int) -> Delivery:
    partition = event % CONVERSATIONS + 1
    return Delivery(
        webhook, event, 0, 1, TRIGGER, partition, partition, State.PENDING, 0, "[]", now
    )


class Arrivals:
    """Answers for the quick webhook at once, and for the stuck one never."""

    def __init__(self) -> None:
        self.at: dict[str, float] = {}
        self.stuck = 0

    def reply(self, call: Received) -> int:
        """Record when a text arrived."""
        if call.path == "/stuck":
            self.stuck += 1
            return HANG
        self.at[call.text] = time.monotonic()
        return 200


async def _measure(stores: Stores, store: Store, backlog: int) -> tuple[list[float], float, int]:
    """Return the seconds from answer to arrival, the node's memory in MB, and the stuck calls."""
    arrivals = Arrivals()
    async with receiving() as receiver:
        receiver.reply = arrivals.reply
        settings = stores.settings(store)
        key = await _make(settings, receiver.port, backlog)
        with LiveNode(settings, HUBBUB_OUTBOUND_ALLOW=f"{HOST}/32") as node:
            delays = await _send_some(node, key, arrivals, receiver)
            assert node.process is not None
            memory = psutil.Process(node.process.pid).memory_info().rss / MEGABYTE
    return delays, memory, arrivals.stuck


async def _send_some(
    node: LiveNode, key: str, arrivals: Arrivals, receiver: Receiver
) -> list[float]:
    client = Client(node.port, {"apikey": key})
    await asyncio.to_thread(_make_people, client)
    delays = []
    for number in range(MESSAGES):
        text = f"message {number}"
        body = {"receiver": "ben", "receiverType": "user", "data": {"text": text}}
        await asyncio.to_thread(client.post, "/messages", body, as_="anna")
        answered = time.monotonic()
        async with asyncio.timeout(30):
            while text not in arrivals.at:  # noqa: ASYNC110
                await asyncio.sleep(0.002)
        delays.append(arrivals.at[text] - answered)
    client.close()
    return sorted(delays)


def _make_people(client: Client) -> None:
    client.import_rows("users", {uid: {"uid": uid, "name": uid} for uid in ("anna", "ben")})


def measure_backlog(variants: Sequence[Variant], backlogs: Sequence[int]) -> None:
    """Measure on new stores, and print the figures."""
    console = Console(width=120)
    title = "deliveries of another app, beside a receiver that hangs"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    columns = ("", "its backlog", "median, ms", "most, ms", "its calls", "memory of the node, MB")
    for column in columns:
        table.add_column(column, justify="right" if column else "left")
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), choose_cores())) as stores,
    ):
        for variant in variants:
            for backlog in backlogs:
                found = asyncio.run(_measure(stores, stores.create(variant.engine), backlog))
                delays, memory, stuck = found
                table.add_row(
                    variant.name,
                    f"{backlog:,}",
                    f"{1000 * statistics.median(delays):.0f}",
                    f"{1000 * delays[-1]:.0f}",
                    f"{stuck:,}",
                    f"{memory:.0f}",
                )
    console.print(table)
