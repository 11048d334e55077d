"""The client's side of HTTP/2 without I/O, against the library h2."""

import pytest
from h2.settings import SettingCodes
from tests.outbound.http2.pair import COMMON, OK, Pair

from hubbub.outbound.http2.protocol import MOST_ANSWER_BYTES, ClientProtocol


@pytest.mark.parametrize("pieces", [1, 7, 2**20])
def test_many_requests_and_their_answers(pieces: int) -> None:
    """Requests arrive as they were made, and answers in any order belong to theirs."""
    pair = Pair()
    streams = [pair.start(b"%d" % at, b"/%d" % at) for at in range(50)]
    pair.exchange()
    for stream in reversed(streams):
        pair.answer(stream, pair.bodies[stream.id] * 2)
    ended = pair.exchange(pieces)

    assert [stream.id for stream in ended] == [stream.id for stream in reversed(streams)]
    for at, stream in enumerate(streams):
        assert bytes(stream.content) == b"%d" % at * 2
        assert (stream.status, stream.fields["Apns-Id"]) == (200, "1")
        assert pair.requests[stream.id] == [
            (":path", f"/{at}"),
            *((name.decode(), value.decode()) for name, value in COMMON),
            ("apns-id", "7"),
        ]


def test_nothing_is_sent_before_the_settings_of_the_server() -> None:
    """There is room once the server has said how much."""
    assert not ClientProtocol().has_room
    assert Pair().client.has_room


def test_the_limit_of_streams_is_obeyed() -> None:
    """There is room for as many requests as the server allows, and again when one has ended."""
    pair = Pair({SettingCodes.MAX_CONCURRENT_STREAMS: 2})
    first, _ = pair.start(), pair.start()
    assert not pair.client.has_room
    pair.exchange()
    pair.answer(first)
    pair.exchange()

    assert pair.client.has_room


def test_the_window_of_a_stream_is_obeyed() -> None:
    """A body waits for the window of its stream, and is sent in pieces."""
    pair = Pair({SettingCodes.INITIAL_WINDOW_SIZE: 10})
    stream = pair.start(bytes(range(25)))
    pair.exchange()
    assert not pair.client.has_room
    for received in (10, 20, 25):
        assert pair.bodies[stream.id] == bytes(range(received))
        assert (stream.id in pair.ended) == (received == 25)
        if received < 25:
            pair.server.increment_flow_control_window(10, stream.id)
            pair.exchange()

    assert pair.client.has_room


def test_the_window_of_the_connection_is_obeyed() -> None:
    """When the window of the connection is used up, bodies wait for it, and new requests, too."""
    pair = Pair({SettingCodes.INITIAL_WINDOW_SIZE: 2**20})
    streams = [pair.start(b"x" * 40_000) for _ in range(2)]
    pair.exchange()
    assert not pair.client.has_room
    assert sum(map(len, pair.bodies.values())) == 65_535
    pair.server.increment_flow_control_window(2**20)
    pair.exchange()

    assert pair.ended == [stream.id for stream in streams]
    assert pair.client.has_room


def test_windows_follow_new_settings() -> None:
    """A smaller initial window applies to open streams; theirs may be negative for a while."""
    pair = Pair({SettingCodes.INITIAL_WINDOW_SIZE: 100})
    stream = pair.start(b"x" * 150)
    pair.exchange()
    pair.server.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: 20})
    pair.exchange()
    pair.server.increment_flow_control_window(80, stream.id)
    pair.exchange()
    assert len(pair.bodies[stream.id]) == 100
    pair.server.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: 200})
    pair.exchange()

    assert pair.ended == [stream.id]


def test_a_body_longer_than_a_frame() -> None:
    """A body is cut into frames that the server accepts."""
    pair = Pair()
    stream = pair.start(b"x" * 50_000)
    pair.exchange()

    assert pair.bodies[stream.id] == b"x" * 50_000
    assert pair.ended == [stream.id]


def test_header_blocks_longer_than_a_frame() -> None:
    """A block of header fields continues in further frames, in both directions."""
    pair = Pair()
    stream = pair.start(path=b"/" + b"x" * 20_000)
    pair.exchange()
    pair.server.send_headers(stream.id, [*OK, ("long", "y" * 20_000)], end_stream=True)
    (ended,) = pair.exchange()

    assert dict(pair.requests[stream.id])[":path"] == "/" + "x" * 20_000
    assert ended.fields["long"] == "y" * 20_000


def test_a_smaller_table_of_header_fields() -> None:
    """The table is made as small as the server wants it, in the midst of requests."""
    pair = Pair()
    for size in (4096, 0, 100, 2**20):
        pair.server.update_settings({SettingCodes.HEADER_TABLE_SIZE: size})
        pair.exchange()
        streams = [pair.start() for _ in range(3)]
        pair.exchange()
        assert all((":method", "POST") in pair.requests[stream.id] for stream in streams)


def test_interim_answers_and_trailers() -> None:
    """The answer is the final one, and ends with its trailers."""
    pair = Pair()
    stream = pair.start()
    pair.exchange()
    pair.server.send_headers(stream.id, [(":status", "103"), ("link", "x")])
    assert pair.exchange() == []
    pair.server.send_headers(stream.id, OK)
    pair.server.send_data(stream.id, b"body", pad_length=20)
    pair.server.send_headers(stream.id, [("checksum", "1")], end_stream=True)

    assert pair.exchange() == [stream]
    assert (stream.status, bytes(stream.content), "checksum" in stream.fields) == (
        200, b"body", False,
    )  # fmt: skip


def test_a_long_answer_is_cut() -> None:
    """At most 64 KB of an answer are kept; then its stream is reset."""
    pair = Pair()
    stream = pair.start()
    pair.exchange()
    pair.server.send_headers(stream.id, OK)
    for _ in range(4):
        pair.server.send_data(stream.id, b"x" * (MOST_ANSWER_BYTES // 4))

    assert pair.exchange() == [stream]
    assert len(stream.content) == MOST_ANSWER_BYTES
    assert pair.resets == [stream.id]


def test_a_cancelled_request() -> None:
    """The server learns that an answer is not waited for; an answer that still comes is ignored."""
    pair = Pair()
    first, second = pair.start(), pair.start()
    pair.exchange()
    pair.answer(first)
    pair.answer(second)
    late = pair.server.data_to_send()
    pair.client.cancel(first)
    pair.client.receive(late)

    assert pair.client.finished == [second]
    pair.client.finished.clear()
    pair.exchange()
    assert pair.client.has_room


def test_windows_for_answers_are_widened() -> None:
    """More than the first window of the connection can be answered."""
    pair = Pair()
    for _ in range(400):
        stream = pair.start()
        pair.exchange()
        pair.server.send_headers(stream.id, OK)
        for last in (False, False, True):
            pair.server.send_data(stream.id, b"x" * 16_384, end_stream=last)
        assert pair.exchange() == [stream]


def test_answered_before_the_request_was_whole() -> None:
    """If the answer comes early, the rest of the body is not sent, and the stream is given back."""
    pair = Pair({SettingCodes.INITIAL_WINDOW_SIZE: 10})
    stream = pair.start(b"x" * 100)
    pair.exchange()
    pair.answer(stream)

    assert pair.exchange() == [stream]
    assert pair.resets == [stream.id]
    assert pair.client.has_room
