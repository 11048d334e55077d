"""A minimal client on one keep-alive connection, which a kill may end at any byte."""

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import msgspec
from tests.live import LiveNode

HOST = "127.0.0.1"
ANSWER_SECONDS = 30
LOST = (OSError, asyncio.IncompleteReadError)
"""Exceptions of a `Talk` when the server ends before it has answered."""


class Talk:
    """A client that makes one request after the other."""

    def __init__(self, port: int, api_key: str) -> None:
        self._port = port
        self._api_key = api_key
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(HOST, self._port)
        return self

    async def __aexit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._writer.transport.abort()

    async def ask(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        as_: str | None = None,
        key: str | None = None,
    ) -> tuple[int, Any]:
        """Return status and JSON of a complete answer; `key` is an Idempotency-Key."""
        further = {"onBehalfOf": as_, "Idempotency-Key": key}
        self._writer.write(self._encode(method, target, body, further))
        async with asyncio.timeout(ANSWER_SECONDS):
            head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
            text = await self._reader.readexactly(length)
        return int(head[9:12]), msgspec.json.decode(text)

    def _encode(
        self, method: str, target: str, body: Any, further: Mapping[str, str | None]
    ) -> bytes:
        text = b"" if body is None else msgspec.json.encode(body)
        lines = [
            f"{method} /v3{target} HTTP/1.1",
            f"Host: {HOST}",
            f"apikey: {self._api_key}",
            *(f"{name}: {text}" for name, text in further.items() if text),
            "Content-Type: application/json",
            f"Content-Length: {len(text)}",
        ]
        return "\r\n".join([*lines, "", ""]).encode() + text


async def ask(
    node: LiveNode, key: str, method: str, path: str, body: object, as_: str | None
) -> tuple[int, Any]:
    """Make a call of a node that may be killed, until it is answered; return status and JSON."""
    while True:
        try:
            async with Talk(node.port, key) as talk:
                status, answer = await talk.ask(method, path, body, as_=as_)
        except LOST:
            await asyncio.sleep(0.05)  # the node is starting again
            continue
        assert status != 500, node.output[-4000:]
        if status != 503:
            return status, answer
