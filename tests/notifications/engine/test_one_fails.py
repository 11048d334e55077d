"""Bundles that can't be read for a moment do not repeat the others."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.notifications.engine.office import Office
from tests.soon import until

from hubbub.domain.notifications.planning.plan import notification_consumer
from hubbub.domain.notifications.sending import send
from hubbub.domain.notifications.sending.contents import Content, open_bundle
from hubbub.domain.notifications.sending.gateways import Gateway
from hubbub.domain.notifications.sending.pushes import PushBundle
from hubbub.kernel.turns import QueueFull
from hubbub.providers.interface import Result
from hubbub.records.notifications.sending.model import Bundle
from hubbub.runtime import Runtime


async def test_a_bundle_for_which_the_database_is_busy(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is sent later, and nothing that was sent beside it is sent again."""
    await office.add_fcm()
    await office.register("ben")
    await office.register("cora")
    for uid in ("ben", "cora"):
        await office.say(f"To {uid}", uid)
        await notification_consumer(office.runtime).consume_all()
    send_at_once = PushBundle.send
    refused: list[str] = []
    refusing = asyncio.Event()

    async def refuse_once(
        runtime: Runtime, app_id: str, bundle: Bundle, gateway: Gateway
    ) -> Content:
        if "device-of-cora" in bundle.content and not refused:
            refused.append(bundle.id)
            await until(lambda: len(office.pushed) == 1)
            refusing.set()
            raise QueueFull
        return await open_bundle(runtime, app_id, bundle, gateway)

    async def send_slowly(self: PushBundle) -> Sequence[Result]:
        results = await send_at_once(self)
        await refusing.wait()
        for _ in range(10):  # so that all who are told of the refusal know it
            await asyncio.sleep(0)
        return results

    office.width_beside = send.WIDTH  # they are sent at once
    monkeypatch.setattr(send, "open_bundle", refuse_once)
    monkeypatch.setattr(PushBundle, "send", send_slowly)
    await office.work()
    await office.work(after=100)

    assert refused
    told = sorted(push["data"]["body"] for push in office.pushed)
    assert told == ["To ben", "To cora"]
