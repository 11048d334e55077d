"""The body that the guide to webhooks shows is like those that are delivered."""

import json

from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach, say
from tests.documents.blocks import take
from tests.receiver import Receiver
from tests.world import World

SHOWN = take("docs/guides/webhooks.md", "## Receive and verify", "text")


async def test_the_guide_shows_a_body(town: World, teller: Teller, receiver: Receiver) -> None:
    """A delivery has the fields of the shown one, in the same order."""
    await attach(town, receiver.url())
    await say(town, "Hello")
    await teller.tell()

    (call,) = receiver.received
    shown = json.loads(SHOWN.replace("{…}", "{}"))
    assert list(call.content) == list(shown)
    assert list(call.content["data"]) == list(shown["data"])
