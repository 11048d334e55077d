"""People are notified of messages that grow at their end."""

from tests.api.growing.stream import append, begin, finish
from tests.notifications.engine.office import Office


async def test_a_push_at_the_end(office: Office) -> None:
    """A message that grows is one push, at its end, with its whole text."""
    await office.add_fcm()
    await office.register("ben")
    message = await begin(office.world, "Once")
    await append(office.world, message, " upon a time", 1)
    await office.work()
    assert office.pushed == []
    await finish(office.world, message)
    await office.work()
    await office.work()

    [push] = office.pushed
    assert push["data"]["body"] == "Once upon a time"
    assert push["data"]["tag"] == message["id"]
    [log] = await office.logs()
    assert (log["messageId"], log["trigger"]) == (int(message["id"]), "after_message")


async def test_nothing_was_said(office: Office) -> None:
    """A message that ends without a text is no push."""
    await office.add_fcm()
    await office.register("ben")
    await finish(office.world, await begin(office.world), status="failed")
    await office.work()

    assert office.pushed == []


async def test_a_reply_that_grows(office: Office) -> None:
    """A reply in a thread grows as well, and is a push at its end."""
    await office.add_fcm()
    await office.register("ben")
    asked = await office.say("Well?")
    await office.work()
    body = {"growing": True, "data": {"text": "So"}}
    reply = await office.world.post(f"/messages/{asked}/thread", body, as_="anna")
    await append(office.world, reply, " it is", 1)
    await finish(office.world, reply)
    await office.work()

    assert [push["data"]["body"] for push in office.pushed] == ["Well?", "So it is"]
