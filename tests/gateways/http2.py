"""A gateway that speaks HTTP/2 on loopback, by the library h2, with TLS or without."""

import asyncio
import json
import ssl
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import DataReceived, Event, RequestReceived, StreamEnded, StreamReset
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings
from tests.certificate import Certificate
from tests.gateways.faults import LOST, RESET, SILENCE, Accepted, Fault, Faults, Refused
from tests.wire import LOOPBACK

GOAWAY_HEAD = struct.pack(">HBBBL", 0, 8, 7, 0, 0)
REFUSED_STREAM = "refused stream"
"""The request is not looked at."""
LEAVING = "leaving"
"""The request is answered, and no more are taken on this connection."""
LEFT = "left"
"""The request is not looked at, and no more are taken on this connection."""


@dataclass(slots=True)
class Asked:
    """A request as it arrives."""

    headers: dict[str, str]
    body: bytearray = field(default_factory=bytearray)


class Http2Gateway:
    """Checks calls like the provider that it stands for, and keeps what it accepted."""

    ERRORS: ClassVar[Mapping[str, Fault]] = {}
    """The documented errors, by name."""
    PASSING: ClassVar[tuple[str, ...]] = ()
    """The errors after which a call is to be made again."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.calls = 0
        self.received: list[Any] = []
        """What was accepted."""
        self.accepted: list[Accepted] = []
        """The same, as it arrived."""
        self.refused: list[str] = []
        """Why other calls were not."""
        self.settings: dict[SettingCodes, int] = {SettingCodes.MAX_CONCURRENT_STREAMS: 100}
        self.url = ""
        self.connections: list[GatewayConnection] = []
        """All that there were."""
        self.most_streams = 0
        """How many requests were open on a connection at the same time."""
        self.changed = asyncio.Event()
        """Set with each call, and with each connection that ends."""
        self._server: asyncio.Server | None = None

    async def start(self, certificate: Certificate | None, port: int = 0) -> None:
        """Listen on a port of loopback; 0 is a free one."""
        tls = None
        if certificate is not None:
            tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            tls.load_cert_chain(certificate.cert, certificate.key)
            tls.set_alpn_protocols(["h2"])
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: GatewayConnection(self), LOOPBACK, port, ssl=tls, reuse_address=True
        )
        found = self._server.sockets[0].getsockname()[1]
        self.url = f"{'http' if tls is None else 'https'}://{LOOPBACK}:{found}"

    async def stop(self) -> None:
        """Close the connections, and listen no more."""
        if self._server is not None:
            self._server.close()
        self.disconnect()

    async def wait_for(self, calls: int) -> None:
        """Wait until there were so many calls."""
        while self.calls < calls:
            self.changed.clear()
            await self.changed.wait()

    def disconnect(self) -> None:
        """Reset all connections."""
        for connection in self.connections:
            connection.transport.abort()

    def fail_at_random(self, share: float, seed: int = 0) -> None:
        """Answer a share of the calls with an error that passes."""
        passing = (*self.PASSING, RESET, LOST, REFUSED_STREAM, LEAVING, LEFT)
        self.faults.answer_at_random(share, *passing, seed=seed)

    def accept(self, headers: Mapping[str, str], body: bytes) -> Fault:
        """Check a call, keep it, and return the answer.

        Raises:
            Refused: it is not as it must be.
        """
        raise NotImplementedError

    def answer_call(self, asked: Asked, name: str) -> Fault:
        """Return the answer to a call; `name` is the error that is asked for."""
        try:
            if name in self.ERRORS:
                raise Refused(name, "as was asked for")
            answer = self.accept(asked.headers, bytes(asked.body))
        except Refused as refusal:
            self.refused.append(str(refusal))
            return self.ERRORS[refusal.name]
        self.accepted.append(Accepted(asked.headers[":path"], asked.headers, bytes(asked.body)))
        return answer


class GatewayConnection(asyncio.Protocol):
    """A connection to a gateway."""

    def __init__(self, gateway: Http2Gateway) -> None:
        self.gateway = gateway
        self.http = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.asked: dict[int, Asked] = {}
        self.last_stream: int | None = None
        """The last one that is looked at, once the gateway has said that it leaves."""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.gateway.connections.append(self)
        self.http.local_settings = Settings(client=False, initial_values=self.gateway.settings)
        self.http.initiate_connection()
        self.flush()

    def data_received(self, data: bytes) -> None:
        try:
            for event in self.http.receive_data(data):
                self._take(event)
        except ProtocolError as failure:
            self.gateway.refused.append(f"protocol: {failure!r}")
        self.flush()

    def connection_lost(self, _: Exception | None) -> None:
        self.gateway.changed.set()

    def flush(self) -> None:
        """Send what is to be sent."""
        self.transport.write(self.http.data_to_send())

    def leave(self, last_stream: int) -> None:
        """Say that no stream after that one is looked at; earlier ones are answered."""
        self.last_stream = last_stream
        self.flush()
        # h2 itself would send nothing after it
        self.transport.write(GOAWAY_HEAD + struct.pack(">LL", last_stream, 0))

    def _take(self, event: Event) -> None:
        if isinstance(event, RequestReceived):
            headers = {str(name): str(value) for name, value in event.headers}
            self.asked[event.stream_id] = Asked(headers)
            self.gateway.most_streams = max(self.gateway.most_streams, len(self.asked))
        elif isinstance(event, DataReceived):
            self.asked[event.stream_id].body += event.data
            size = event.flow_controlled_length
            self.http.acknowledge_received_data(size, event.stream_id)
        elif isinstance(event, StreamEnded) and not self._is_past(event.stream_id):
            self._answer(event.stream_id, self.asked[event.stream_id])
        elif isinstance(event, StreamReset):
            self.asked.pop(event.stream_id, None)

    def _is_past(self, stream_id: int) -> bool:
        return self.last_stream is not None and stream_id > self.last_stream

    def _answer(self, stream_id: int, asked: Asked) -> None:
        self.gateway.calls += 1
        self.gateway.changed.set()
        name = self.gateway.faults.choose()
        if name == SILENCE:
            return
        if name == RESET:
            self.transport.abort()
            return
        del self.asked[stream_id]
        if name == LEFT:
            self.leave(stream_id - 2)
        elif name == REFUSED_STREAM:
            self.http.reset_stream(stream_id, ErrorCodes.REFUSED_STREAM)
        else:
            answer = self.gateway.answer_call(asked, name)
            if name == LOST:
                self.transport.abort()
                return
            self._send(stream_id, answer)
            if name == LEAVING:
                self.leave(stream_id)

    def _send(self, stream_id: int, answer: Fault) -> None:
        body = b"" if answer.body is None else json.dumps(answer.body).encode()
        headers = {"content-type": "application/json; charset=UTF-8", **answer.headers}
        fields = [(":status", str(answer.status)), *headers.items()]
        self.http.send_headers(stream_id, fields, end_stream=not body)
        if body:
            self.http.send_data(stream_id, body, end_stream=True)
