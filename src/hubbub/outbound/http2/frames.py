"""The frames of HTTP/2 (RFC 9113, sections 4 and 6) as bytes, without any state."""

import struct
from enum import IntEnum
from typing import NamedTuple

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEAD_BYTES = 9
LONGEST_FRAME = 16_384
"""What is accepted, and what every peer accepts."""
LARGEST_WINDOW = 2**31 - 1
INITIAL_WINDOW = 65_535

END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY_FLAG = 0x1, 0x1, 0x4, 0x8, 0x20
_HEAD = struct.Struct(">HBBBL")
_SETTING = struct.Struct(">HL")
_NUMBER = struct.Struct(">L")
_TWO_NUMBERS = struct.Struct(">LL")


class FrameType(IntEnum):
    """The types of frames."""

    DATA = 0
    HEADERS = 1
    PRIORITY = 2
    RST_STREAM = 3
    SETTINGS = 4
    PUSH_PROMISE = 5
    PING = 6
    GOAWAY = 7
    WINDOW_UPDATE = 8
    CONTINUATION = 9


class Setting(IntEnum):
    """The settings that matter to a client."""

    HEADER_TABLE_SIZE = 1
    ENABLE_PUSH = 2
    MAX_CONCURRENT_STREAMS = 3
    INITIAL_WINDOW_SIZE = 4
    MAX_FRAME_SIZE = 5
    MAX_HEADER_LIST_SIZE = 6


class Code(IntEnum):
    """The error codes that are sent or looked at."""

    NO_ERROR = 0
    PROTOCOL_ERROR = 1
    FLOW_CONTROL_ERROR = 3
    FRAME_SIZE_ERROR = 6
    REFUSED_STREAM = 7
    CANCEL = 8
    COMPRESSION_ERROR = 9


class Violation(Exception):
    """The peer has sent what the protocol does not allow; the connection is of no use."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class Head(NamedTuple):
    """The beginning of a frame."""

    length: int
    kind: int
    flags: int
    stream_id: int


def read_head(buffer: bytearray, at: int) -> Head:
    """Return the head of the frame that begins there."""
    high, low, kind, flags, stream_id = _HEAD.unpack_from(buffer, at)
    return Head(high << 8 | low, kind, flags, stream_id & LARGEST_WINDOW)


def frame(kind: FrameType, flags: int, stream_id: int, payload: bytes = b"") -> bytes:
    """Return a frame."""
    length = len(payload)
    return _HEAD.pack(length >> 8, length & 0xFF, kind, flags, stream_id) + payload


def settings_frame(settings: dict[Setting, int]) -> bytes:
    """Return a frame with settings."""
    payload = b"".join(_SETTING.pack(name, value) for name, value in settings.items())
    return frame(FrameType.SETTINGS, 0, 0, payload)


def window_frame(increment: int, stream_id: int = 0) -> bytes:
    """Return the frame that allows the peer to send so many more bytes."""
    return frame(FrameType.WINDOW_UPDATE, 0, stream_id, _NUMBER.pack(increment))


def reset_frame(stream_id: int, code: Code) -> bytes:
    """Return the frame that ends a stream early."""
    return frame(FrameType.RST_STREAM, 0, stream_id, _NUMBER.pack(code))


def goaway_frame(code: Code) -> bytes:
    """Return the frame that ends the connection."""
    return frame(FrameType.GOAWAY, 0, 0, _TWO_NUMBERS.pack(0, code))


def read_settings(payload: bytes) -> list[tuple[int, int]]:
    """Return the names and values of a frame of settings.

    Raises:
        Violation: it has not the length of such a frame.
    """
    if len(payload) % _SETTING.size:
        raise Violation(Code.FRAME_SIZE_ERROR, "SETTINGS of a wrong length")
    return list(_SETTING.iter_unpack(payload))


def read_number(payload: bytes) -> int:
    """Return the 32-bit number that a frame consists of.

    Raises:
        Violation: it has not that length.
    """
    if len(payload) != _NUMBER.size:
        raise Violation(Code.FRAME_SIZE_ERROR, "a frame of a wrong length")
    number: int = _NUMBER.unpack(payload)[0]
    return number


def read_last_stream(payload: bytes) -> int:
    """Return the last stream that a GOAWAY says was looked at.

    Raises:
        Violation: the frame is too short.
    """
    if len(payload) < _TWO_NUMBERS.size:
        raise Violation(Code.FRAME_SIZE_ERROR, "GOAWAY of a wrong length")
    last: int = _TWO_NUMBERS.unpack_from(payload)[0]
    return last & LARGEST_WINDOW


def unpad(head: Head, payload: bytes) -> bytes:
    """Return the payload of DATA or HEADERS without its padding and its priority.

    Raises:
        Violation: there is more padding than payload.
    """
    begin, padding = 0, 0
    if head.flags & PADDED:
        begin, padding = 1, payload[0] if payload else 0
    if head.kind == FrameType.HEADERS and head.flags & PRIORITY_FLAG:
        begin += 5
    end = len(payload) - padding
    if begin > end:
        raise Violation(Code.PROTOCOL_ERROR, "more padding than payload")
    return payload[begin:end]
