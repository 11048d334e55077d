"""The first page says what is wrong; the page of an app has the figures of the interface."""

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

import pytest
from tests.api.messages.talk import say, to_user
from tests.console.conftest import SignIn
from tests.world import Node, World

from hubbub.console.pages.apps import DAYS
from hubbub.console.troubles import LATE_SECONDS
from hubbub.domain.metrics.count import count_all
from hubbub.records.operators.model import OperatorRole
from hubbub.records.webhooks import queues
from hubbub.records.webhooks.store import find_webhook
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction
from hubbub.storage.measures import StoreFault

HOOK = {"id": "hook", "name": "Our server", "webhookURL": "https://hooks.example.com/chat"}
DAY = 86_400


async def let_it_fail(runtime: Runtime, app: str, since: int) -> None:
    """Note that every attempt to reach the webhook of an app has failed since then."""

    async def within(tx: Transaction) -> None:
        webhook = await find_webhook(tx, runtime.sealer, "hook")
        assert webhook is not None
        queue = await queues.lock_queue(tx, webhook.number)
        assert queue is not None
        await queues.store_queue(tx, replace(queue, failing_since=since))

    await runtime.database.write(app, within)


async def test_a_failing_webhook_is_on_the_first_page(
    world: World, node: Node, signed_in: SignIn
) -> None:
    """It says which webhook of which app fails, since when, and where to mend it; to no others."""
    other = await node.world()
    await world.post("/webhooks", HOOK)
    developer = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    assert "Nothing is wrong" in await developer.get()
    await let_it_fail(node.runtime, world.app_id, since=1_799_999_000)

    for path in ("", "/troubles"):
        page = await developer.get(path)
        assert "the webhook hook" in page
        assert 'datetime="2027-01-15T07:43:20.000+00:00"' in page
        assert f'href="/console/apps/{world.app_id}/webhooks/hook"' in page
    for who in (
        await signed_in(OperatorRole.DEVELOPER, other.app_id),
        await signed_in(OperatorRole.MODERATOR, world.app_id),
    ):
        assert "hook" not in await who.get()


async def test_messages_that_wait_long_are_on_the_first_page(
    world: World, node: Node, signed_in: SignIn
) -> None:
    """After an hour a message that waits for its review is a trouble, for those who review it."""
    other, third = await node.world(), await node.world()
    for each in (world, other, third):
        await each.users("anna", "ben")
        sent = await say(each, "anna", to_user("ben", "Hello"))
        await each.post("/moderation/reasons", {"id": "spam", "name": "Spam"})
        await each.post(f"/messages/{sent['id']}/flagged", {"reasonId": "spam"}, as_="ben")
        node.clock.advance(10)
    node.clock.advance(LATE_SECONDS - 25)
    of_all, of_one = await signed_in(), await signed_in(OperatorRole.MODERATOR, other.app_id)
    developer = await signed_in(OperatorRole.DEVELOPER, other.app_id)

    def address(each: World) -> str:
        return f"/console/apps/{each.app_id}/moderation"

    assert address(other) in await of_one.get()
    assert address(world) not in await of_one.get()
    assert address(other) not in await developer.get()
    page = await of_all.get()
    assert page.index(address(world)) < page.index(address(other)) < page.index(address(third))


async def test_a_fault_of_the_store_is_on_the_first_page(
    node: Node, signed_in: SignIn, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that can't be written is told to those who look after the machine."""
    admin, other = await signed_in(), await signed_in(OperatorRole.OWNER, world.app_id)
    monkeypatch.setattr(node.runtime.measures, "fault", StoreFault.UNWRITABLE)

    assert str(StoreFault.UNWRITABLE) in unescape(await admin.get())
    assert str(StoreFault.UNWRITABLE) not in unescape(await other.get())


async def test_plots_agree_with_the_interface(world: World, node: Node, signed_in: SignIn) -> None:
    """Each figure of the page is that of `GET /stats` for the day, or of `GET /stats/messages`."""
    await world.users("anna", "ben", "chiara")
    message = {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}}
    for senders in (("anna", "chiara"), ("anna",)):
        for sender in senders:
            await world.post("/messages", message, as_=sender)
        await count_all(node.runtime)
        node.clock.advance(DAY)
    await world.post("/messages", message, as_="anna")
    await count_all(node.runtime)
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    page = await visitor.get(f"/apps/{world.app_id}")

    def rows(table: str) -> Sequence[Sequence[int]]:
        body = page.partition(f'<table id="{table}">')[2].partition("</table>")[0]
        return [
            [int(value) for value in re.findall(r'data-value="(\d+)"', row)]
            for row in body.split("<tr>")[2:]
        ]

    days = rows("days")
    assert len(days) == DAYS
    for at, active, most in days:
        shown = (await world.get(f"/stats?fromDate={at}&toDate={at}"))["metrics"]
        assert (active, most) == (shown["active_users"], shown["concurrent_users"])
    assert [active for _, active, _ in days[-3:]] == [2, 1, 1]
    points = (await world.get("/stats/messages"))["dataPoints"]
    assert [row[1:] for row in rows("traffic")] == [
        [each["messagesSent"], each["readReceipts"], each["deliveryReceipts"]] for each in points
    ]
    assert sum(row[1] for row in rows("traffic")) == 1
