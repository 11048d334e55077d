"""What is sent later: short ways to schedule messages, and to have sent what is due."""

from dataclasses import dataclass
from typing import Any

from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.domain.scheduled.due import scheduled_runs
from hubbub.rest.messages.wire.unsent import render_unsent
from hubbub.runtime import Runtime

ALL = "/scheduled-messages"


@dataclass(slots=True)
class Later:
    """An app on a node of the test's own, whose background work is done when the test says so."""

    world: World
    runtime: Runtime
    clock: ManualClock
    node: Node
    cursor: str
    """The position of the log before anything was scheduled."""

    async def schedule(
        self, text: str, after: float = 60, *, as_: str = "anna", **fields: Any
    ) -> Json:
        """Schedule a message to Ben, so many seconds from now."""
        body = {
            "receiver": "ben",
            "receiverType": "user",
            "data": {"text": text},
            "sendAt": self.clock.now() + round(after),
            **fields,
        }
        kept: Json = await self.world.post("/messages", body, as_=as_)
        return kept

    async def send_due(self, *, after: float = 0) -> None:
        """Wait, and have a node send what is due then, as its background work does."""
        self.clock.advance(after)
        runs = scheduled_runs(self.runtime, render_unsent)
        await runs.start_due()
        await runs.wait()

    async def texts(self, path: str = "/users/ben/messages", as_: str | None = "anna") -> list[str]:
        """Return the texts of the messages between Anna and Ben, or of another list."""
        listed = await self.world.get(path, as_=as_)
        return [each["data"]["text"] for each in listed if each["category"] == "message"]

    async def waiting(self, as_: str | None = None) -> list[str]:
        """Return the texts of what is kept, in its order."""
        return [each["message"]["data"]["text"] for each in await self.world.get(ALL, as_=as_)]

    async def events(self, name: str) -> list[Json]:
        """Return the data of the app's events of a name."""
        log = await self.world.get(f"/events?since={self.cursor}&limit=1000")
        return [each["data"] for each in log if each["event"] == name]
