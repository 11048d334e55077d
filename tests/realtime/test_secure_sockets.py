"""Sockets over TLS (`wss`) work as those without."""

import asyncio
from pathlib import Path

from tests.certificate import make_certificate
from tests.conftest import NewSettings
from tests.live import LiveNode
from tests.realtime.chat import Client
from tests.realtime.test_delivery import say
from tests.wire import LOOPBACK
from websockets.asyncio.client import connect

LARGE = "x" * 10_000


async def test_sockets_over_tls(new_settings: NewSettings, tmp_path: Path) -> None:
    """Over TLS a client connects, is told events, calls methods, and hears of the server's stop."""
    certificate = make_certificate(tmp_path)
    options = ("--tls-cert", str(certificate.cert), "--tls-key", str(certificate.key))
    with LiveNode(new_settings(), *options) as live:
        world = await live.world()
        await world.users("anna", "ben")
        url = f"wss://{LOOPBACK}:{live.port}/v3/realtime"
        async with connect(url, ssl=certificate.trust(), compression=None) as socket:
            ben = Client(socket)
            await ben.say(op="connect", authToken=await world.token("ben"))
            assert (await ben.hear())["op"] == "connected"
            await say(world, LARGE)
            event = await ben.event("message_sent")
            assert event["data"]["message"]["data"]["text"] == LARGE
            sent = {"receiver": "anna", "receiverType": "user", "type": "text"}
            reply = await ben.ask("send_message", **sent, data={"text": LARGE})
            assert reply["data"]["data"]["text"] == LARGE
            stopping = asyncio.create_task(asyncio.to_thread(live.stop))
            assert await ben.close_code() == 1012
            assert await stopping == 0
