"""Calls whose client leaves before the reply."""

import asyncio
from dataclasses import dataclass, field

import pytest
from tests.realtime.chat import Hall
from tests.soon import SOON_SECONDS, until

from hubbub.http.answer import Answer
from hubbub.http.app import HttpApplication
from hubbub.http.request import Request


@dataclass
class Held:
    """The calls of a socket: each waits before it is carried out."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    is_cancelled: bool = False


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    """Hold the calls of sockets."""
    held, answer = Held(), HttpApplication.answer

    async def hold(app: HttpApplication, request: Request, *further: object) -> Answer:
        if request.is_counted:
            held.begun.set()
            try:
                await held.released.wait()
            except asyncio.CancelledError:
                held.is_cancelled = True
                raise
        return await answer(app, request, *further)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(HttpApplication, "answer", hold)
    return held


async def test_a_reading_ends_with_its_socket(hall: Hall, held: Held) -> None:
    """A list is not read to its end for a client that is gone."""
    async with hall.client("anna") as anna:
        await anna.say(op="call", ref="r", method="list_conversations", params={})
        await held.begun.wait()
        assert not held.is_cancelled

    await until(lambda: held.is_cancelled)


async def test_a_change_outlives_its_socket(hall: Hall, held: Held) -> None:
    """A message that has arrived is sent, though its client is gone."""
    params = {"receiver": "ben", "receiverType": "user", "data": {"text": "Bye"}}
    async with hall.client("anna") as anna:
        await anna.say(op="call", ref="r", method="send_message", params=params)
        await held.begun.wait()
    await until(lambda: not hall.gateway.sessions)
    held.released.set()

    async with asyncio.timeout(SOON_SECONDS):
        while not (shown := await hall.world.get("/messages")):  # noqa: ASYNC110  # see `until`
            await asyncio.sleep(0)
    assert [message["data"]["text"] for message in shown] == ["Bye"]
    assert not held.is_cancelled
