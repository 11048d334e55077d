"""The client's side of a connection (RFC 9113) without I/O: bytes in, bytes out.

It makes requests with a body and reads their answers. Streams that a server opens are refused.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from hubbub.outbound.http2 import frames
from hubbub.outbound.http2.frames import Code, FrameType, Head, Setting, Violation
from hubbub.outbound.http2.headers import FieldReader, Fields, FieldWriter, Headers

MOST_ANSWER_BYTES = 64 * 1024
OUR_WINDOW = 2**24
"""How many bytes of all answers may be under way."""
MOST_STREAMS = 200
"""Requests at the same time, though the server may allow more: others have to have their turn."""
LAST_STREAM = 2**31 - 1
PING_BYTES = 8
_SUCCESS = 200


@dataclass(slots=True, eq=False)
class Stream:
    """A request and what has been answered to it."""

    id: int
    started_at: float
    body: memoryview
    """What is still to be sent."""
    window: int
    status: int = 0
    fields: Headers = field(default_factory=Headers)
    content: bytearray = field(default_factory=bytearray)
    failure: str = ""
    """Why there is no whole answer."""
    is_untouched: bool = False
    """The server says that it has not looked at the request."""


class ClientProtocol:
    """The state of a connection.

    `finished` has the streams that have ended, until the owner takes them; `output` the bytes that
    are to be sent.
    """

    def __init__(self) -> None:
        self.output: list[bytes] = [frames.PREFACE, frames.settings_frame(_OUR_SETTINGS)]
        self.output.append(frames.window_frame(OUR_WINDOW - frames.INITIAL_WINDOW))
        self.streams: dict[int, Stream] = {}
        """Those that have not ended, the oldest first."""
        self.finished: list[Stream] = []
        self.is_ready = False
        """The server has sent its settings."""
        self.is_leaving = False
        """It takes no more requests."""
        self._writer = FieldWriter()
        self._reader = FieldReader()
        self._buffer = bytearray()
        self._block: tuple[Head, bytearray] | None = None
        """The header block that continues in the next frame."""
        self._next_id = 1
        self._window = self._initial_window = frames.INITIAL_WINDOW
        self._longest_frame = frames.LONGEST_FRAME
        self._most_streams = MOST_STREAMS
        self._consumed = 0
        self._stalled: dict[int, Stream] = {}
        """Streams whose body waits for a larger window."""

    @property
    def has_room(self) -> bool:
        """Return whether a request may be started now."""
        return (
            self.is_ready
            and not self.is_leaving
            and not self._stalled
            and len(self.streams) < self._most_streams
            and self._window > 0
        )

    def start(self, path: bytes, common: Fields, own: Fields, body: bytes, now: float) -> Stream:
        """Begin a request; there must be room for it."""
        stream = Stream(self._next_id, now, memoryview(body), self._initial_window)
        self._next_id += 2
        if self._next_id > LAST_STREAM:
            self.is_leaving = True
        self.streams[stream.id] = stream
        block = self._writer.write(path, common, own)
        self._write_block(stream.id, block)
        self._write_body(stream)
        return stream

    def cancel(self, stream: Stream) -> None:
        """End a stream whose answer is no longer waited for."""
        if self.streams.pop(stream.id, None) is not None:
            self._stalled.pop(stream.id, None)
            self.output.append(frames.reset_frame(stream.id, Code.CANCEL))

    def receive(self, data: bytes) -> None:
        """Take what was received; streams that end with it get into `finished`.

        Raises:
            Violation: the connection is to be closed. The frames before count.
        """
        buffer = self._buffer
        buffer += data
        at = 0
        try:
            while len(buffer) - at >= frames.HEAD_BYTES:
                head = frames.read_head(buffer, at)
                if head.length > frames.LONGEST_FRAME:
                    raise Violation(Code.FRAME_SIZE_ERROR, "a frame that is too long")
                begin = at + frames.HEAD_BYTES
                end = begin + head.length
                if end > len(buffer):
                    break
                at = end
                self._take(head, bytes(buffer[begin:end]))
        except Violation as violation:
            self.output.append(frames.goaway_frame(violation.code))
            raise
        finally:
            del buffer[:at]

    def _take(self, head: Head, payload: bytes) -> None:
        if self._block is not None and head.kind != FrameType.CONTINUATION:
            raise Violation(Code.PROTOCOL_ERROR, "a header block that is not continued")
        if not self.is_ready and head.kind != FrameType.SETTINGS:
            raise Violation(Code.PROTOCOL_ERROR, "no settings at the beginning")
        take = _TAKES.get(head.kind)
        if take is not None:  # unknown ones are ignored
            take(self, head, payload)

    def _take_data(self, head: Head, payload: bytes) -> None:
        self._consume(head.length)
        stream = self._find(head)
        if stream is None:
            return
        if not stream.status:
            raise Violation(Code.PROTOCOL_ERROR, "DATA before HEADERS")
        stream.content += frames.unpad(head, payload)
        if head.flags & frames.END_STREAM:
            self._finish(stream)
        elif len(stream.content) >= MOST_ANSWER_BYTES:
            self.output.append(frames.reset_frame(stream.id, Code.CANCEL))
            self._finish(stream)

    def _take_headers(self, head: Head, payload: bytes) -> None:
        block = frames.unpad(head, payload)
        if head.flags & frames.END_HEADERS:
            self._take_fields(head, block)
        else:
            self._block = head, bytearray(block)

    def _take_continuation(self, head: Head, payload: bytes) -> None:
        if self._block is None or self._block[0].stream_id != head.stream_id:
            raise Violation(Code.PROTOCOL_ERROR, "CONTINUATION of nothing")
        first, block = self._block
        block += payload
        if len(block) > MOST_ANSWER_BYTES or not payload:
            raise Violation(Code.PROTOCOL_ERROR, "a header block that is too long")
        if head.flags & frames.END_HEADERS:
            self._block = None
            self._take_fields(first, bytes(block))

    def _take_fields(self, head: Head, block: bytes) -> None:
        fields = self._reader.read(block)
        stream = self._find(head)
        if stream is None:
            return
        if not stream.status:  # else these are trailers
            status = fields.get(":status", "")
            if len(status) != 3 or not (status.isascii() and status.isdigit()):
                raise Violation(Code.PROTOCOL_ERROR, "HEADERS without a status")
            if int(status) < _SUCCESS and not head.flags & frames.END_STREAM:
                return  # an interim answer
            stream.status, stream.fields = int(status), fields
        if head.flags & frames.END_STREAM:
            self._finish(stream)

    def _take_reset(self, head: Head, payload: bytes) -> None:
        code = frames.read_number(payload)
        stream = self._find(head)
        if stream is not None:
            stream.failure = f"The server has reset the stream, with the code {code}."
            stream.is_untouched = code == Code.REFUSED_STREAM
            self._finish(stream)

    def _take_settings(self, head: Head, payload: bytes) -> None:
        if head.flags & frames.ACK:
            return
        for name, value in frames.read_settings(payload):
            self._apply(name, value)
        self.is_ready = True
        self.output.append(frames.frame(FrameType.SETTINGS, frames.ACK, 0))
        self._resume()

    def _apply(self, name: int, value: int) -> None:
        if name == Setting.HEADER_TABLE_SIZE:
            self._writer.limit_table(value)
        elif name == Setting.MAX_CONCURRENT_STREAMS:
            self._most_streams = min(value, MOST_STREAMS)
        elif name == Setting.INITIAL_WINDOW_SIZE:
            if value > frames.LARGEST_WINDOW:
                raise Violation(Code.FLOW_CONTROL_ERROR, "a window that is too large")
            for stream in self.streams.values():
                stream.window += value - self._initial_window
            self._initial_window = value
        elif name == Setting.MAX_FRAME_SIZE:
            if value < frames.LONGEST_FRAME:
                raise Violation(Code.PROTOCOL_ERROR, "a longest frame that is too short")
            self._longest_frame = value

    def _take_ping(self, head: Head, payload: bytes) -> None:
        if len(payload) != PING_BYTES:
            raise Violation(Code.FRAME_SIZE_ERROR, "PING of a wrong length")
        if not head.flags & frames.ACK:
            self.output.append(frames.frame(FrameType.PING, frames.ACK, 0, payload))

    def _take_goaway(self, _: Head, payload: bytes) -> None:
        last = frames.read_last_stream(payload)
        self.is_leaving = True
        for stream in [each for each in self.streams.values() if each.id > last]:
            stream.failure = "The server is leaving."
            stream.is_untouched = True
            self._finish(stream)

    def _take_window(self, head: Head, payload: bytes) -> None:
        increment = frames.read_number(payload) & frames.LARGEST_WINDOW
        if not head.stream_id:
            self._window = _widened(self._window, increment)
        elif stream := self._find(head):
            stream.window = _widened(stream.window, increment)
        self._resume()

    def _take_push(self, _: Head, __: bytes) -> None:
        raise Violation(Code.PROTOCOL_ERROR, "a push, which was not asked for")

    def _find(self, head: Head) -> Stream | None:
        """Return the stream of a frame; None if it has ended, as far as this side knows."""
        stream = self.streams.get(head.stream_id)
        if stream is None and (head.stream_id % 2 == 0 or head.stream_id >= self._next_id):
            raise Violation(Code.PROTOCOL_ERROR, "a frame of a stream that was never opened")
        return stream

    def _finish(self, stream: Stream) -> None:
        del self.streams[stream.id]
        if stream.body and not stream.failure:  # answered before all was sent
            self.output.append(frames.reset_frame(stream.id, Code.CANCEL))
        self._stalled.pop(stream.id, None)
        self.finished.append(stream)

    def _consume(self, length: int) -> None:
        """Count what was received, and let the server send more when half the window is used."""
        self._consumed += length
        if self._consumed > OUR_WINDOW // 2:
            self.output.append(frames.window_frame(self._consumed))
            self._consumed = 0

    def _write_block(self, stream_id: int, block: bytes) -> None:
        kind, longest = FrameType.HEADERS, self._longest_frame
        while len(block) > longest:
            self.output.append(frames.frame(kind, 0, stream_id, block[:longest]))
            kind, block = FrameType.CONTINUATION, block[longest:]
        self.output.append(frames.frame(kind, frames.END_HEADERS, stream_id, block))

    def _write_body(self, stream: Stream) -> None:
        """Send as much of a body as the windows allow."""
        while True:
            size = max(0, min(len(stream.body), self._window, stream.window, self._longest_frame))
            if not size and stream.body:
                self._stalled[stream.id] = stream
                return
            piece, stream.body = bytes(stream.body[:size]), stream.body[size:]
            self._window -= size
            stream.window -= size
            flags = 0 if stream.body else frames.END_STREAM
            self.output.append(frames.frame(FrameType.DATA, flags, stream.id, piece))
            if not stream.body:
                return

    def _resume(self) -> None:
        """Send more of the bodies that wait for a larger window."""
        for stream in list(self._stalled.values()):
            del self._stalled[stream.id]
            self._write_body(stream)


def _widened(window: int, increment: int) -> int:
    if not increment or window + increment > frames.LARGEST_WINDOW:
        raise Violation(Code.FLOW_CONTROL_ERROR, "a window that is not widened, or too far")
    return window + increment


_OUR_SETTINGS = {
    Setting.ENABLE_PUSH: 0,
    Setting.INITIAL_WINDOW_SIZE: MOST_ANSWER_BYTES,
    Setting.MAX_HEADER_LIST_SIZE: MOST_ANSWER_BYTES,
}
_TAKES: dict[int, Callable[[ClientProtocol, Head, bytes], None]] = {
    FrameType.DATA: ClientProtocol._take_data,
    FrameType.HEADERS: ClientProtocol._take_headers,
    FrameType.RST_STREAM: ClientProtocol._take_reset,
    FrameType.SETTINGS: ClientProtocol._take_settings,
    FrameType.PUSH_PROMISE: ClientProtocol._take_push,
    FrameType.PING: ClientProtocol._take_ping,
    FrameType.GOAWAY: ClientProtocol._take_goaway,
    FrameType.WINDOW_UPDATE: ClientProtocol._take_window,
    FrameType.CONTINUATION: ClientProtocol._take_continuation,
}
