"""Deliveries that a defect, or a busy database, is in the way of."""

import asyncio
import json
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach, say
from tests.receiver import Receiver
from tests.world import World

from hubbub.kernel.turns import QueueFull
from hubbub.records.webhooks import queues
from hubbub.storage.queries import Query

SPOIL = Query("spoil", "UPDATE webhook_deliveries SET attempts = '{' WHERE app_id = :app_id")


async def test_a_delivery_that_can_not_be_read(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """It is given up with its reason, once, and those behind it and beside it are told once."""
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "spoilt")
    await teller.plan()
    await teller.runtime.database.write(town.app_id, lambda tx: tx.run(SPOIL))
    await say(town, "behind it")
    to_anna = {"receiver": "anna", "receiverType": "user", "category": "message", "type": "text"}
    await town.post("/messages", {**to_anna, "data": {"text": "beside it"}}, as_="cora")
    with capture_logs() as logs:
        for _ in range(3):
            await teller.tell(after=10)

    messages = [json.loads(each.body)["data"]["message"] for each in receiver.received]
    texts = [each["data"]["text"] for each in messages]
    assert sorted(texts) == ["behind it", "beside it", "spoilt"]
    assert [each["event"] for each in logs].count("delivery_defect") == 1
    deliveries = await town.get("/webhooks/hook/deliveries")
    assert sorted(each["state"] for each in deliveries) == ["delivered", "delivered", "failed"]
    [failed] = [each for each in deliveries if each["state"] == "failed"]
    assert "could not process" in failed["attempts"][0]["error"]


async def test_a_call_under_way_while_the_database_is_busy(
    town: World, teller: Teller, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If nothing more can be read meanwhile, its outcome is stored: it is not made again."""
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "Hello")
    await teller.plan()
    receiver.gate = asyncio.Event()
    list_heads, looks = queues.list_heads, 0

    async def refuse_the_second(*args: Any, **kwargs: Any) -> list[queues.Pending]:
        nonlocal looks
        looks += 1
        if looks == 2:
            assert receiver.gate is not None
            receiver.gate.set()
            raise QueueFull
        return await list_heads(*args, **kwargs)

    monkeypatch.setattr(queues, "list_heads", refuse_the_second)
    await teller.tell()
    await teller.tell(after=100)

    assert looks == 2
    assert len(receiver.received) == 1
    [delivery] = await town.get("/webhooks/hook/deliveries")
    assert (delivery["state"], len(delivery["attempts"])) == ("delivered", 1)
