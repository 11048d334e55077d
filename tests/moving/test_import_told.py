"""Whom an import tells: connected clients that their conversations changed, and nobody more."""

from pathlib import Path

from tests.moving.mover import Mover, group, member, message, to_group
from tests.realtime.chat import hall_of
from tests.world import Node, World


async def test_clients_are_told_once(node: Node, world: World, tmp_path: Path) -> None:
    """Participants hear one event, however many messages there are; others hear nothing."""
    mover = Mover(node, world, tmp_path)
    await world.users("anna", "ben", "cora", "dora")
    async with (
        hall_of(world, node.runtime) as hall,
        hall.client("ben") as ben,
        hall.client("dora") as dora,
    ):
        report = await mover.move_lines(
            group("hikers", "anna"),
            member("hikers", "ben"),
            *(message(f"m{n}", "anna", "ben") for n in range(7)),
            *(to_group(f"g{n}", "anna", "hikers") for n in range(7)),
        )
        assert report.is_clean
        await world.post("/messages", _hello("ben"), as_="anna")
        await world.post("/messages", _hello("dora"), as_="anna")
        await hall.settle()

        assert await _names(ben) == ["conversations_changed", "message_sent"]
        assert await _names(dora) == ["message_sent"]


def _hello(uid: str) -> dict[str, object]:
    return {"receiver": uid, "receiverType": "user", "data": {"text": "Hello"}}


async def _names(client: object) -> list[str]:
    names: list[str] = []
    while not names or names[-1] != "message_sent":
        frame = await client.hear()  # type: ignore[attr-defined]
        if frame["op"] == "event":
            names.append(frame["event"])
    return names
