"""Deliveries of a webhook, as planning and delivering leave them in the store."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tests.clock import START
from tests.world import Node, World

from hubbub.kernel.clock import NEVER
from hubbub.records.webhooks import queues
from hubbub.records.webhooks.model import Body, Delivery, State, WebhookQueue, delivery_id
from hubbub.records.webhooks.store import find_webhook
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Query

EPOCH = Query("epoch", "SELECT epoch FROM counters WHERE app_id = :app_id")
PARTITIONS = Query(
    "partitions",
    "SELECT lane, due_at FROM webhook_lanes"
    " WHERE app_id = :app_id AND webhook = :webhook ORDER BY lane",
)
ATTEMPTS = [{"at": START, "duration": 12, "status": 500, "answer": "Oops"}]


class Made(NamedTuple):
    """A delivery that is stored; its partition is `conversation` unless it has stepped aside."""

    event: int
    part: int = 0
    conversation: int = 0
    state: State = State.DELIVERED
    trigger_id: str = "message_sent"
    at: int = START
    is_aside: bool = False
    attempts: Sequence[Any] = ATTEMPTS
    has_body: bool = True


@dataclass(frozen=True, slots=True)
class Shelf:
    """The queue and the deliveries of one webhook of an app."""

    node: Node
    world: World
    webhook: int
    epoch: int

    @classmethod
    async def of(cls, node: Node, world: World, webhook_id: str = "server") -> "Shelf":
        """Return the shelf of a webhook that exists."""

        async def find(snapshot: Snapshot) -> tuple[int, int]:
            webhook = await find_webhook(snapshot, node.runtime.sealer, webhook_id)
            assert webhook is not None
            row = await snapshot.fetch_one(EPOCH)
            assert row is not None
            return webhook.number, row[0]

        return cls(node, world, *await node.runtime.database.read(world.app_id, find))

    def id_of(self, event: int, part: int = 0) -> str:
        """Return the id of a delivery."""
        return delivery_id(self.epoch, event, part)

    async def put(self, *made: Made) -> None:
        """Store deliveries; partitions of pending ones are due in an hour, and so is the queue."""
        later = 1000 * (self.node.clock.now() + 3600)
        deliveries = [self._delivery(each) for each in made]
        bodies = [
            Body(each.event, each.part, self.id_of(each.event, each.part), "{", each.at)
            for each in made
            if each.has_body
        ]
        pending = [each for each in deliveries if each.state == State.PENDING]

        async def within(tx: Transaction) -> None:
            queue = await queues.lock_queue(tx, self.webhook)
            assert queue is not None
            await queues.insert_deliveries(tx, bodies, deliveries, later)
            ended = {each.partition for each in deliveries} - {each.partition for each in pending}
            await queues.close_partitions(tx, self.webhook, ended)
            await queues.wake_queues(tx, [self.webhook], later if pending else NEVER)

        await self.node.runtime.database.write(self.world.app_id, within)

    def _delivery(self, made: Made) -> Delivery:
        delivery = Delivery(
            self.webhook,
            made.event,
            made.part,
            self.epoch,
            made.trigger_id,
            made.conversation,
            made.conversation,
            made.state,
            len(made.attempts),
            json.dumps(made.attempts),
            made.at,
        )
        if not made.is_aside:
            return delivery
        return replace(delivery, partition=delivery.own_partition)

    async def queue(self) -> WebhookQueue:
        """Return the queue as it is."""

        async def find(tx: Transaction) -> WebhookQueue:
            queue = await queues.lock_queue(tx, self.webhook)
            assert queue is not None
            return queue

        return await self.node.runtime.database.write(self.world.app_id, find)

    async def partitions(self) -> dict[int, int]:
        """Return when each partition is due, in milliseconds."""
        rows = await self.node.runtime.database.read(
            self.world.app_id, lambda snapshot: snapshot.fetch(PARTITIONS, webhook=self.webhook)
        )
        return {row[0]: row[1] for row in rows}

    async def next_ids(self) -> list[str]:
        """Return the ids of the deliveries that are due, in the order in which they are made."""
        now = self.node.clock.milliseconds()
        heads = await self.node.runtime.database.read(
            self.world.app_id,
            lambda snapshot: queues.list_heads(
                snapshot, self.webhook, now, busy=[], partitions=1000, each=1000
            ),
        )
        return [each.id for each in heads]
