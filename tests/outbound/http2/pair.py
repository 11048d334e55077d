"""A client of HTTP/2, and a server of another implementation, without I/O."""

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded, StreamReset
from h2.settings import SettingCodes, Settings

from hubbub.outbound.http2.protocol import ClientProtocol, Stream

COMMON = ((b":method", b"POST"), (b":scheme", b"https"), (b":authority", b"push.example"))
OK = [(":status", "200"), ("apns-id", "1")]


class Pair:
    """A client, and a server of another implementation."""

    def __init__(self, settings: dict[SettingCodes, int] | None = None) -> None:
        self.client = ClientProtocol()
        config = H2Configuration(client_side=False, header_encoding="utf-8")
        self.server = H2Connection(config)
        self.requests: dict[int, list[tuple[str, str]]] = {}
        self.bodies: dict[int, bytes] = {}
        self.ended: list[int] = []
        self.resets: list[int] = []
        if settings:
            self.server.local_settings = Settings(client=False, initial_values=settings)
        self.server.initiate_connection()
        self.exchange()

    def start(self, body: bytes = b"body", path: bytes = b"/send") -> Stream:
        """Begin a request."""
        return self.client.start(path, COMMON, ((b"apns-id", b"7"),), body, 0.0)

    def exchange(self, pieces: int = 2**20) -> list[Stream]:
        """Carry bytes in both directions until there are no more; return the ended streams."""
        ended: list[Stream] = []
        for _ in range(100):
            sent, self.client.output[:] = b"".join(self.client.output), []
            self._take(sent)
            answered = self.server.data_to_send()
            for at in range(0, len(answered), pieces):
                self.client.receive(answered[at : at + pieces])
            ended += self.client.finished
            self.client.finished.clear()
            if not sent and not answered:
                return ended
        raise AssertionError("it never ends")

    def _take(self, sent: bytes) -> None:
        for event in self.server.receive_data(sent):
            if isinstance(event, RequestReceived):
                pairs = [(str(name), str(value)) for name, value in event.headers]
                self.requests[event.stream_id] = pairs
            elif isinstance(event, DataReceived):
                body = self.bodies.get(event.stream_id, b"")
                self.bodies[event.stream_id] = body + event.data
            elif isinstance(event, StreamEnded):
                self.ended.append(event.stream_id)
            elif isinstance(event, StreamReset):
                self.resets.append(event.stream_id)

    def answer(self, stream: Stream, body: bytes = b"{}") -> None:
        """Answer a request with success."""
        self.server.send_headers(stream.id, OK)
        self.server.send_data(stream.id, body, end_stream=True)
