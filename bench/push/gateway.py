"""An FCM that costs little, and its token endpoint: it reads messages, counts them and answers.

Run as `python -m bench.push.gateway [certificate key]`, it prints two ports: of FCM, over HTTP/2,
and of the token endpoint, whose path is `/token`. Without a certificate there is no TLS. For each
line that it reads, it prints the number of messages so far; it ends with its input.
"""

import asyncio
import ssl
import sys
from collections.abc import Sequence
from typing import Any, cast

import msgspec
import uvloop
from aiohttp import web
from hpack import Decoder, Encoder

from bench.load.requests import HOST
from hubbub.outbound.http2 import frames
from hubbub.outbound.http2.frames import FrameType, Setting

TOKEN = "ya29." + "x" * 200
STREAMS = 100
WINDOW = 2**24
ANSWER_BODY = b'{\n  "name": "projects/bench/messages/0:1500415314455276%31bd1c9631bd1c96"\n}\n'
ANSWER_FIELDS = [
    (b":status", b"200"),
    (b"content-type", b"application/json; charset=UTF-8"),
    (b"vary", b"Origin, X-Origin, Referer"),
    (b"server", b"ESF"),
    (b"cache-control", b"private"),
]


class _Message(msgspec.Struct, forbid_unknown_fields=True):
    token: str
    data: dict[str, str]
    notification: dict[str, str] = {}
    android: dict[str, Any] = {}
    apns: dict[str, Any] = {}
    webpush: dict[str, Any] = {}


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    message: _Message


read_body = msgspec.json.Decoder(_Body).decode


class Count:
    """The messages so far."""

    total = 0


class Gateway(asyncio.Protocol):
    """A connection of a sender."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._buffer = bytearray()
        self._bodies: dict[int, bytearray] = {}
        self._decoder, self._encoder = Decoder(), Encoder()
        self._known: set[bytes] = set()
        """Blocks of header fields that were checked, and that change nothing in the table."""
        self._output: list[bytes] = []
        self._transport: asyncio.Transport
        self._is_greeted = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        settings = {Setting.MAX_CONCURRENT_STREAMS: STREAMS, Setting.INITIAL_WINDOW_SIZE: WINDOW}
        greeting = frames.settings_frame(settings), frames.window_frame(WINDOW)
        self._transport.write(b"".join(greeting))

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        at = 0
        if not self._is_greeted:
            if len(buffer) < len(frames.PREFACE):
                return
            assert buffer.startswith(frames.PREFACE), "not HTTP/2"
            at, self._is_greeted = len(frames.PREFACE), True
        received = 0
        while len(buffer) - at >= frames.HEAD_BYTES:
            head = frames.read_head(buffer, at)
            end = at + frames.HEAD_BYTES + head.length
            if end > len(buffer):
                break
            payload = bytes(buffer[at + frames.HEAD_BYTES : end])
            at = end
            received += head.length
            self._take(head, payload)
        del buffer[:at]
        self._output.append(frames.window_frame(received or 1))
        self._transport.write(b"".join(self._output))
        self._output.clear()

    def _take(self, head: frames.Head, payload: bytes) -> None:
        if head.kind == FrameType.HEADERS:
            assert head.flags & frames.END_HEADERS, "CONTINUATION"
            self._check(payload)
            self._bodies[head.stream_id] = bytearray()
        elif head.kind == FrameType.DATA:
            body = self._bodies[head.stream_id]
            body += payload
            if head.flags & frames.END_STREAM:
                del self._bodies[head.stream_id]
                read_body(body)
                self._count.total += 1
                self._answer(head.stream_id)
        elif head.kind == FrameType.SETTINGS and not head.flags & frames.ACK:
            self._output.append(frames.frame(FrameType.SETTINGS, frames.ACK, 0))

    def _check(self, block: bytes) -> None:
        """Check the header fields of a request; an equal block without changes only once."""
        if block in self._known:
            return
        table = self._decoder.header_table.dynamic_entries
        before = list(table)
        fields = dict(self._decoder.decode(block, raw=True))
        assert fields[b"authorization"] == f"Bearer {TOKEN}".encode(), "token"
        assert fields[b":path"].endswith(b"/messages:send"), "path"
        if before == list(table):
            self._known.add(block)
        else:
            self._known.clear()

    def _answer(self, stream_id: int) -> None:
        block = self._encoder.encode(ANSWER_FIELDS)
        flags = frames.END_HEADERS, frames.END_STREAM
        self._output.append(frames.frame(FrameType.HEADERS, flags[0], stream_id, block))
        self._output.append(frames.frame(FrameType.DATA, flags[1], stream_id, ANSWER_BODY))


async def _give_token(_: web.BaseRequest) -> web.Response:
    return web.json_response({"access_token": TOKEN, "expires_in": 3599, "token_type": "Bearer"})


def _tls(files: Sequence[str], alpn: str) -> ssl.SSLContext | None:
    if not files:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*files)
    context.set_alpn_protocols([alpn])
    return context


async def _serve(files: Sequence[str]) -> None:
    count, loop = Count(), asyncio.get_running_loop()
    fcm = await loop.create_server(lambda: Gateway(count), HOST, 0, ssl=_tls(files, "h2"))
    google = await loop.create_server(web.Server(_give_token), HOST, 0, ssl=_tls(files, "http/1.1"))
    print(*(server.sockets[0].getsockname()[1] for server in (fcm, google)), flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(count.total, flush=True)


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1:]))
