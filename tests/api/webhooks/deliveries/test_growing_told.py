"""Webhooks are told of messages that grow at their beginning, or only at their end."""

from tests.api.growing.stream import append, begin, finish
from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach
from tests.receiver import Receiver
from tests.world import World

TRIGGERS = ("message_sent", "user_mentioned", "message_grown", "message_stop_requested")


def triggers_of(receiver: Receiver) -> list[str]:
    """Return the triggers of the deliveries so far, and forget them."""
    told = [call.content["trigger"] for call in receiver.received]
    receiver.received.clear()
    return told


async def test_at_the_beginning(town: World, teller: Teller, receiver: Receiver) -> None:
    """A webhook is told once that the message was sent, of its mentions at the end, and of it."""
    await attach(town, receiver.url("/"), *TRIGGERS)
    message = await begin(town, "Hi <@uid:ben>")
    await teller.tell()
    assert triggers_of(receiver) == ["message_sent"]
    await append(town, message, "!", 1)
    await town.post(f"/messages/{message['id']}/stop", as_="ben")
    await teller.tell()
    [stop] = [call.content["data"] for call in receiver.received]
    assert stop["message"] == {
        "id": message["id"],
        "conversationId": message["conversationId"],
    }
    assert stop["by"]["uid"] == "ben"
    assert triggers_of(receiver) == ["message_stop_requested"]
    await town.post(f"/messages/{message['id']}/stop", as_="anna")
    await finish(town, message)
    await teller.tell()

    grown = receiver.received[0].content["data"]["message"]["data"]
    assert grown["text"] == "Hi <@uid:ben>!"
    assert grown["grown"] == {"status": "done", "appends": 1}
    assert triggers_of(receiver) == ["message_grown", "user_mentioned"]


async def test_at_the_end(town: World, teller: Teller, receiver: Receiver) -> None:
    """With `notify` a webhook is told only at the end that the message was sent, as a whole."""
    await attach(town, receiver.url("/"), *TRIGGERS)
    message = await begin(town, notify="finished")
    await append(town, message, "Hi", 1)
    await teller.tell()
    assert triggers_of(receiver) == []
    await finish(town, message)
    await teller.tell()

    sent = receiver.received[1].content["data"]["message"]
    assert sent["data"]["text"] == "Hi"
    assert triggers_of(receiver) == ["message_grown", "message_sent"]


async def test_of_what_is_deleted(town: World, teller: Teller, receiver: Receiver) -> None:
    """Of a message that is deleted for ever before its delivery, nothing is told."""
    await attach(town, receiver.url("/"), *TRIGGERS)
    message = await begin(town, "secret", notify="finished")
    await finish(town, message)
    await town.delete(f"/messages/{message['id']}", {"permanent": True})
    await teller.tell()

    assert receiver.received == []
