"""An app whose messages are checked by webhooks, which are pages of another server."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aiohttp import web
from tests.elsewhere import Elsewhere, serve_elsewhere
from tests.wire import InProcess
from tests.world import Json, Node, World

from hubbub.domain.webhooks.change import HOOKS
from hubbub.http.app import make_app
from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.outbox import lock_counters
from hubbub.records.webhooks import store
from hubbub.records.webhooks.model import Webhook
from hubbub.records.webhooks.queues import insert_queue
from hubbub.records.webhooks.triggers import BEFORE_MESSAGE
from hubbub.rest.operations import OPERATIONS
from hubbub.storage.interface import Transaction

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ALLOW: Json = {"action": "allow"}
TIMEOUT = 5.0

Decide = Callable[[Json], Awaitable[web.StreamResponse]]
"""Answers the body of a call."""


def says(answer: Any, status: int = 200) -> Decide:
    """Return a webhook that always answers the same: JSON, or bytes as they are."""

    async def decide(_: Json) -> web.StreamResponse:
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return web.Response(body=body, status=status)

    return decide


def change(**data: Any) -> Json:
    """Return the answer that changes the data."""
    return {"action": "change", "data": data}


@dataclass(slots=True)
class Checked:
    """An app with webhooks, and the server that they are pages of."""

    node: Node
    world: World
    elsewhere: Elsewhere
    bodies: list[Json] = field(default_factory=list)
    """What the webhooks were sent."""
    _number: int = 0

    @property
    def messages(self) -> list[Json]:
        """The messages that the webhooks were asked about."""
        return [body["data"]["message"] for body in self.bodies]

    def url(self, path: str) -> str:
        """Return the address of a page."""
        return f"https://localhost:{self.elsewhere.encrypted}/{path}"

    async def attach(self, decide: Decide, id_: str = "check", **fields: Any) -> Webhook:
        """Add a webhook that is asked about each message, and answers like this."""

        async def answer(body: bytes) -> web.StreamResponse:
            self.bodies.append(json.loads(body))
            return await decide(self.bodies[-1])

        self.elsewhere.pages[id_] = answer
        return await self.attach_url(self.url(f"pages/{id_}"), id_, **fields)

    async def attach_url(self, url: str, id_: str = "check", **fields: Any) -> Webhook:
        """Add a webhook that is asked about each message."""
        self._number += 1
        webhook = Webhook(self._number, id_, id_, url, secret=SECRET, created_at=1, **fields)

        async def within(tx: Transaction) -> None:
            await store.insert_webhook(tx, self.node.runtime.sealer, webhook)
            await insert_queue(tx, webhook.number, is_stopped=webhook.is_stopped)
            await store.open_periods(tx, webhook.number, [BEFORE_MESSAGE], after=0)

        await self._write(within)
        return webhook

    async def update(self, webhook: Webhook) -> None:
        """Store a changed webhook."""

        async def within(tx: Transaction) -> None:
            await store.update_webhook(tx, self.node.runtime.sealer, webhook)

        await self._write(within)

    async def detach(self, webhook: Webhook) -> None:
        """Ask a webhook about messages no more."""

        async def within(tx: Transaction) -> None:
            await store.close_periods(tx, webhook.number, [BEFORE_MESSAGE], upto=9)

        await self._write(within)

    async def refuse_on_failure(self) -> None:
        """Refuse messages when a webhook fails."""
        settings = {"webhooks.beforeMessage.refuseOnFailure": True}
        await self.world.put("/settings", {"settings": settings})

    async def _write(self, within: Callable[[Transaction], Awaitable[None]]) -> None:
        async def locked(tx: Transaction) -> None:
            await lock_counters(tx)
            await within(tx)

        await self.node.runtime.database.write(self.world.app_id, locked)
        self.node.runtime.cache.drop((HOOKS, self.world.app_id), app_id=self.world.app_id)


@asynccontextmanager
async def serve_checked(
    node: Node, folder: Path, seconds: float = TIMEOUT
) -> AsyncIterator[Checked]:
    """Yield an app with the users Anna and Ben; it has no webhooks yet."""
    async with serve_elsewhere(folder) as elsewhere:
        client = OutboundClient(parse_rule("127.0.0.0/8"), str(elsewhere.certificate.cert))
        settings = replace(node.runtime.settings, webhook_timeout=seconds)
        runtime = replace(node.runtime, outbound=client, settings=settings)
        own = replace(node, runtime=runtime, sender=InProcess(make_app(runtime, OPERATIONS)))
        world = await own.world()
        await world.users("anna", "ben")
        yield Checked(own, world, elsewhere)
        await client.close()
