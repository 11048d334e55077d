"""Deliveries that no version of the code can process."""

import json

from structlog.testing import capture_logs
from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach, say
from tests.receiver import Receiver
from tests.world import World

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
