"""The example of a client, at a node that restarts; tests/clients_conformance has the rest."""

import asyncio
import importlib.util
from typing import Any

import httpx2
from tests.conftest import NewSettings
from tests.documents.blocks import ROOT
from tests.live import LiveNode
from tests.wire import LOOPBACK

_SPEC = importlib.util.spec_from_file_location("socket_client", ROOT / "examples/sockets/client.py")
assert _SPEC is not None
assert _SPEC.loader is not None
example: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(example)

Frame = dict[str, Any]
PATIENCE_SECONDS = 60.0


async def test_a_node_that_restarts(new_settings: NewSettings) -> None:
    """Messages that are sent while a node is away are stored once, in order, when it is back."""
    with LiveNode(new_settings(), "--demo") as node:
        key = (node.data / "demo-key.txt").read_text().strip()
        base = f"http://{LOOPBACK}:{node.port}/v3"

        async def token() -> str:
            async with httpx2.AsyncClient() as http:
                answer = await http.post(f"{base}/users/anna/auth_tokens", headers={"apikey": key})
            return str(answer.json()["data"]["authToken"])

        async def load() -> str:
            headers = {"apikey": key, "onBehalfOf": "anna"}
            async with httpx2.AsyncClient() as http:
                answer = await http.get(f"{base}/conversations", headers=headers)
            return str(answer.json()["meta"]["eventCursor"])

        shown: list[str] = []

        def show(frame: Frame) -> None:
            if frame["event"] == "message_sent":
                shown.append(frame["data"]["message"]["data"]["text"])

        url = base.replace("http", "ws") + "/realtime"
        client = example.Client(url, token, load, show)
        running = asyncio.create_task(client.run())
        async with asyncio.timeout(PATIENCE_SECONDS):
            await client.send("ben", "user", {"text": "before"})
        await asyncio.to_thread(node.stop)
        texts = [f"while away {number}" for number in range(5)]
        sending = asyncio.gather(*(client.send("ben", "user", {"text": t}) for t in texts))
        await asyncio.to_thread(node.start)
        client.try_now()
        async with asyncio.timeout(PATIENCE_SECONDS):
            stored = await sending
        running.cancel()

    assert [each["data"]["text"] for each in stored] == texts
    assert shown[:1] == ["before"]
    assert shown == ["before", *texts][: len(shown)]
