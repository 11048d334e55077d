"""A plain model of which messages a session is told while the rules of its role change."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.realtime.chat import Client, Hall
from tests.world import World

from hubbub.outbox.positions import find_head

CATEGORIES = "listMessages.allowedMessageCategories"
BODIES: dict[str, dict[str, Any]] = {
    "message": {"type": "text", "data": {"text": "Hello"}},
    "custom": {"type": "poll", "data": {"customData": {"question": "When?"}}},
}
ROLES = ("default", "reader", "guest")


@dataclass(slots=True)
class Rules:
    """A plain model: what Ben's role may list, and what Ben is told."""

    world: World
    role: str = "default"
    allowed: dict[str, str] = field(default_factory=dict)
    """The one category that a role may list, if it is restricted."""
    sent: list[tuple[int, str, bool]] = field(default_factory=list)
    """The id and category of each message, and whether Ben was told."""

    async def begin(self) -> None:
        for role in ROLES[1:]:
            await self.world.post("/roles", {"role": role, "name": role.capitalize()})

    async def send(self, category: str) -> None:
        """Send a message of Anna to Ben."""
        body = {"receiver": "ben", "receiverType": "user", "category": category, **BODIES[category]}
        sent = await self.world.post("/messages", body, as_="anna")
        self.sent.append((int(sent["id"]), category, self.may_list(category)))

    def may_list(self, category: str) -> bool:
        return self.allowed.get(self.role, category) == category

    async def permit(self, role: str, category: str) -> None:
        """Allow a role to list one category only, or again all."""
        if category:
            self.allowed[role] = category
            permissions = {"permissions": {CATEGORIES: [category]}}
            await self.world.put(f"/roles/{role}/permissions", permissions)
        else:
            self.allowed.pop(role, None)
            await self.world.delete(f"/roles/{role}/permissions/{CATEGORIES}")

    async def appoint(self, role: str, *, by_import: bool) -> None:
        """Give Ben a role."""
        self.role = role
        if not by_import:
            await self.world.put("/users/ben", {"role": role})
            return
        users = {"ben": {"uid": "ben", "name": "Ben", "role": role}}
        made = await self.world.post("/data_import/users?onConflict=update", {"users": users})
        assert made["ben"]["success"], made

    async def step(self, chance: random.Random) -> None:
        """Do something, as chance has it."""
        dice = chance.random()
        if dice < 0.6:
            await self.send(chance.choice([*BODIES]))
        elif dice < 0.8:
            await self.permit(chance.choice(ROLES), chance.choice([*BODIES, ""]))
        else:
            await self.appoint(chance.choice(ROLES), by_import=chance.random() < 0.5)

    def told(self) -> list[int]:
        """Return the messages that Ben's session was told while it was connected."""
        return [id_ for id_, _, is_told in self.sent if is_told]

    def listed(self) -> list[int]:
        """Return the messages that Ben may list now."""
        return [id_ for id_, category, _ in self.sent if self.may_list(category)]


async def ids_told(client: Client) -> Sequence[int]:
    """Return the ids of the messages that a client was told of."""
    frames = await client.until_pong()
    return [int(f["data"]["message"]["id"]) for f in frames if f["event"] == "message_sent"]


async def play(rules: Rules, writer: Hall, teller: Hall, chance: random.Random) -> None:
    """Change rules at one node while Ben is connected to another, and compare what Ben is told."""
    async with teller.client("ben") as ben:
        cursor = ben.connected["cursor"] if ben.connected else ""
        for _ in range(40):
            await rules.step(chance)
        await settle(writer, teller)
        assert await ids_told(ben) == rules.told()
        async with teller.client("ben", since=cursor) as again:
            assert await ids_told(again) == rules.listed()
            before = len(rules.told())
            for _ in range(20):
                await rules.step(chance)
            await settle(writer, teller)
            assert await ids_told(again) == await ids_told(ben) == rules.told()[before:]


async def settle(writer: Hall, teller: Hall) -> None:
    """Wait until the node of the sessions has told all that the other one has committed."""
    await (await teller.gateway.feeds.find(writer.world.app_id)).reach(
        await writer.gateway.runtime.database.read(writer.world.app_id, find_head)
    )
