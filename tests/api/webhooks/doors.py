"""Both doors to the webhooks of an app: its own key, and the management credentials."""

from dataclasses import dataclass
from typing import Any, Unpack

from tests.wire import Answer
from tests.world import Caller, CallOptions, Json, Node, World

URL = "https://example.com/hook"


@dataclass(frozen=True, slots=True)
class Door:
    """A way to the webhooks of an app."""

    caller: Caller
    prefix: str
    """What precedes the paths at this door."""

    async def ask(
        self, method: str, path: str, body: Any = None, **how: Unpack[CallOptions]
    ) -> Answer:
        """Send a call and return its answer, of any status."""
        return await self.caller.ask(method, self.prefix + path, body, **how)

    async def call(
        self, method: str, path: str, body: Any = None, **how: Unpack[CallOptions]
    ) -> Any:
        """Return the `data` of a successful call."""
        return await self.caller.call(method, self.prefix + path, body, **how)

    async def refused(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        status: int = 400,
        code: str = "ERR_BAD_REQUEST",
    ) -> dict[str, list[str]]:
        """Check that a call is refused; return the `details` of its error."""
        return await self.caller.refused(method, self.prefix + path, body, status=status, code=code)

    async def create(self, webhook_id: str = "server", **fields: Any) -> Json:
        """Create a webhook and return it."""
        body = {"id": webhook_id, "name": "My server", "webhookURL": URL, **fields}
        created: Json = await self.call("POST", "/webhooks", body)
        return created

    async def attach(self, webhook_id: str, *trigger_ids: str) -> Any:
        """Attach a webhook to triggers."""
        path = f"/webhooks/{webhook_id}/triggers"
        return await self.call("POST", path, {"triggerIds": trigger_ids})

    async def attached(self, webhook_id: str) -> list[str]:
        """Return the ids of the triggers that a webhook is attached to."""
        found = await self.call("GET", f"/webhooks/{webhook_id}/triggers")
        return [trigger["id"] for trigger in found]


def doors_of(node: Node, world: World) -> dict[str, Door]:
    """Return both doors of an app by name."""
    return {
        "app": Door(world, ""),
        "management": Door(node.manager(), f"/apps/{world.app_id}"),
    }
