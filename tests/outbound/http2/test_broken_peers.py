"""Peers that leave, break the protocol or send anything at all."""

import random
from collections.abc import Callable

import pytest
from hpack import Encoder
from tests.outbound.http2.pair import COMMON

from hubbub.outbound.http2 import frames
from hubbub.outbound.http2.frames import Code, FrameType, Setting, Violation
from hubbub.outbound.http2.headers import FieldReader, FieldWriter
from hubbub.outbound.http2.protocol import ClientProtocol


def greeted() -> ClientProtocol:
    """Return a client with one request, on stream 1."""
    client = ClientProtocol()
    client.receive(frames.settings_frame({}))
    client.start(b"/", COMMON, (), b"body", 0.0)
    client.output.clear()
    return client


def block(*fields: tuple[str, str]) -> bytes:
    """Return a block of header fields."""
    return Encoder().encode(fields)


def test_a_server_that_leaves() -> None:
    """Later streams have not been looked at; earlier ones are still answered."""
    client = greeted()
    for _ in range(2):
        client.start(b"/", COMMON, (), b"body", 0.0)
    client.receive(frames.frame(FrameType.GOAWAY, 0, 0, b"\0\0\0\3\0\0\0\0"))
    (untouched,) = client.finished
    assert (untouched.id, untouched.is_untouched, client.has_room) == (5, True, False)
    answer = frames.frame(FrameType.HEADERS, 5, 3, block((":status", "200")))
    client.receive(answer)

    assert [stream.id for stream in client.finished] == [5, 3]
    assert not client.finished[1].failure


@pytest.mark.parametrize(("code", "is_untouched"), [(7, True), (2, False), (0, False)])
def test_a_reset_stream(code: int, is_untouched: bool) -> None:
    """Only a refused stream has certainly not been looked at."""
    client = greeted()
    client.receive(frames.reset_frame(1, Code(code)) if code != 2 else RESET_INTERNAL)
    (stream,) = client.finished

    assert (stream.is_untouched, bool(stream.failure)) == (is_untouched, True)


RESET_INTERNAL = frames.frame(FrameType.RST_STREAM, 0, 1, b"\0\0\0\2")


def test_pings_are_answered() -> None:
    """A ping comes back; the answer to one does not."""
    client = greeted()
    client.receive(frames.frame(FrameType.PING, 0, 0, b"12345678"))
    client.receive(frames.frame(FrameType.PING, frames.ACK, 0, b"12345678"))

    assert client.output == [frames.frame(FrameType.PING, frames.ACK, 0, b"12345678")]


def test_frames_that_mean_nothing_are_ignored() -> None:
    """Unknown frames, priorities and unknown settings change nothing."""
    client = greeted()
    client.receive(frames.frame(0xBE, 0, 1, b"x"))  # type: ignore[arg-type]
    client.receive(frames.frame(FrameType.PRIORITY, 0, 1, b"12345"))
    client.receive(frames.frame(FrameType.SETTINGS, 0, 0, b"\0\x99\0\0\0\1"))

    assert client.has_room


VIOLATIONS: dict[str, tuple[bytes, Code]] = {
    "too long": (bytes((0, 64, 1, 0, 0)) + bytes(4), Code.FRAME_SIZE_ERROR),
    "data first": (frames.frame(FrameType.DATA, 0, 1, b"x"), Code.PROTOCOL_ERROR),
    "data of no stream": (frames.frame(FrameType.DATA, 0, 0, b"x"), Code.PROTOCOL_ERROR),
    "never opened": (frames.frame(FrameType.RST_STREAM, 0, 99, bytes(4)), Code.PROTOCOL_ERROR),
    "even stream": (frames.frame(FrameType.HEADERS, 4, 2, block((":status", "200"))),
                    Code.PROTOCOL_ERROR),
    "push": (frames.frame(FrameType.PUSH_PROMISE, 4, 1, bytes(4)), Code.PROTOCOL_ERROR),
    "continuation": (frames.frame(FrameType.CONTINUATION, 4, 1, b""), Code.PROTOCOL_ERROR),
    "not continued": (frames.frame(FrameType.HEADERS, 0, 1, b"\x88") +
                      frames.frame(FrameType.PING, 0, 0, bytes(8)), Code.PROTOCOL_ERROR),
    "continued elsewhere": (frames.frame(FrameType.HEADERS, 0, 1, b"\x88") +
                            frames.frame(FrameType.CONTINUATION, 4, 3, b""), Code.PROTOCOL_ERROR),
    "endless block": (frames.frame(FrameType.HEADERS, 0, 1, b"\x88" * 16_000) +
                      frames.frame(FrameType.CONTINUATION, 0, 1, b"\x88" * 16_000) * 5,
                      Code.PROTOCOL_ERROR),
    "empty continuations": (frames.frame(FrameType.HEADERS, 0, 1, b"\x88") +
                            frames.frame(FrameType.CONTINUATION, 0, 1, b""), Code.PROTOCOL_ERROR),
    "no status": (frames.frame(FrameType.HEADERS, 4, 1, block(("a", "b"))), Code.PROTOCOL_ERROR),
    "bad status": (frames.frame(FrameType.HEADERS, 4, 1, block((":status", "2x0"))),
                   Code.PROTOCOL_ERROR),
    "other digits": (frames.frame(FrameType.HEADERS, 4, 1, block((":status", "٢٠٠"))),
                     Code.PROTOCOL_ERROR),
    "no such field": (frames.frame(FrameType.HEADERS, 4, 1, b"\xfe"), Code.COMPRESSION_ERROR),
    "padding": (frames.frame(FrameType.HEADERS, 0xC, 1, b"\x09\x88"), Code.PROTOCOL_ERROR),
    "no padding": (frames.frame(FrameType.HEADERS, 0xC, 1, b""), Code.PROTOCOL_ERROR),
    "settings": (frames.frame(FrameType.SETTINGS, 0, 0, b"123"), Code.FRAME_SIZE_ERROR),
    "window setting": (frames.settings_frame({Setting.INITIAL_WINDOW_SIZE: 2**31}),
                       Code.FLOW_CONTROL_ERROR),
    "frame setting": (frames.settings_frame({Setting.MAX_FRAME_SIZE: 100}), Code.PROTOCOL_ERROR),
    "no increment": (frames.window_frame(0), Code.FLOW_CONTROL_ERROR),
    "too wide": (frames.window_frame(2**31 - 1), Code.FLOW_CONTROL_ERROR),
    "reset": (frames.frame(FrameType.RST_STREAM, 0, 1, b"1"), Code.FRAME_SIZE_ERROR),
    "goaway": (frames.frame(FrameType.GOAWAY, 0, 0, b"1"), Code.FRAME_SIZE_ERROR),
    "ping": (frames.frame(FrameType.PING, 0, 0, b"1"), Code.FRAME_SIZE_ERROR),
}  # fmt: skip


@pytest.mark.parametrize("name", VIOLATIONS)
def test_violations_end_the_connection(name: str) -> None:
    """A violation ends the connection, with its code; the frames before it count."""
    sent, code = VIOLATIONS[name]
    client = greeted()
    client.start(b"/", COMMON, (), b"body", 0.0)
    client.output.clear()
    answer = frames.frame(FrameType.HEADERS, 5, 3, b"\x88")
    with pytest.raises(Violation) as raised:
        client.receive(answer + sent)

    assert raised.value.code == code
    assert [stream.id for stream in client.finished] == [3]
    assert client.output[-1] == frames.goaway_frame(code)


def test_a_server_that_speaks_something_else() -> None:
    """An answer of HTTP/1.1 is not taken for frames."""
    with pytest.raises(Violation):
        ClientProtocol().receive(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@pytest.mark.parametrize("seed", range(20))
def test_broken_bytes_do_no_harm(seed: int) -> None:
    """Whatever arrives, either it is understood or the connection is refused."""
    chance = random.Random(seed)
    whole = b"".join(
        (
            frames.frame(FrameType.HEADERS, 4, 1, block((":status", "200"), ("a", "b" * 50))),
            frames.frame(FrameType.DATA, 1, 1, b"{}"),
            frames.window_frame(1000),
            frames.settings_frame({Setting.INITIAL_WINDOW_SIZE: 70_000}),
            frames.frame(FrameType.GOAWAY, 0, 0, bytes(8)),
        )
    )
    refused = 0
    for _ in range(500):
        broken = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        try:
            greeted().receive(bytes(broken))
        except Violation:
            refused += 1

    assert 0 < refused < 500


@pytest.mark.parametrize("encode", [lambda text: text, lambda text: text * 40])
def test_equal_header_fields_are_short(encode: Callable[[bytes], bytes]) -> None:
    """Common fields are sent as entries of the table, also if they alternate with others."""
    writer, reader = FieldWriter(), FieldReader()
    fields = [((b"authorization", encode(b"bearer %d" % at)),) for at in range(3)]
    for _ in range(3):
        blocks = [writer.write(b"/", each, ((b"own", b"1"),)) for each in fields]
        read = [reader.read(each) for each in blocks]
        assert [each["authorization"] for each in read] == [each[0][1].decode() for each in fields]

    assert all(len(each) < 20 for each in blocks)
