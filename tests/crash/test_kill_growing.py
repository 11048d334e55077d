"""Kill the server while a message grows: the message stays, and its sender goes on."""

from typing import Any

from tests.crash.conftest import Victim
from tests.world import World

KILLS = 3
APPENDS = 8
"""The appends before each kill; one of them in the middle is durable."""


async def test_a_message_grows_through_kills(victim: Victim) -> None:
    """After each kill the text has all durable appends, and no hole; the end has all of it."""
    world = await victim.node.world()
    await world.users("anna", "ben")
    body = {"receiver": "ben", "receiverType": "user", "growing": True}
    message = await world.post("/messages", body, as_="anna")
    texts: list[str] = []
    durable = 0
    for _ in range(KILLS):
        for number in range(APPENDS):
            texts.append(f"{len(texts) + 1} ")
            is_durable = number == APPENDS // 2
            await append_missing(world, message, texts, is_durable=is_durable)
            durable = len(texts) if is_durable else durable
        victim.node.kill()
        victim.node.start()
        data = (await world.get(f"/messages/{message['id']}", as_="ben"))["data"]
        sequence = data["growing"]["sequence"]
        assert durable <= sequence <= len(texts)
        assert data["text"] == "".join(texts[:sequence])
    await append_missing(world, message, texts)
    ended = await world.post(f"/messages/{message['id']}/finish", {}, as_="anna")

    assert ended["data"]["text"] == "".join(texts)
    assert ended["data"]["grown"] == {"status": "done", "appends": len(texts)}


async def append_missing(
    world: World, message: Any, texts: list[str], *, is_durable: bool = False
) -> None:
    """Append the last text, after those that the server asks for again."""
    sequence = len(texts)
    while sequence <= len(texts):
        body = {"text": texts[sequence - 1], "sequence": sequence, "durable": is_durable}
        answer = await world.ask("POST", f"/messages/{message['id']}/append", body, as_="anna")
        if answer.status == 409:
            assert answer.error["code"] == "ERR_SEQUENCE_GAP", answer
            sequence = int(answer.error["details"]["sequence"][0])
        else:
            assert answer.status == 200, answer
            sequence += 1
