"""The frames between a hub and its nodes: a length, a kind, a subject, a message."""

import struct
from collections.abc import Iterator
from enum import IntEnum

from hubbub.bus.interface import LARGEST_MESSAGE

_HEAD = struct.Struct(">IBH")
_LENGTH = struct.Struct(">I")
LARGEST_FRAME = _HEAD.size + 0xFFFF + LARGEST_MESSAGE


class FrameKind(IntEnum):
    """What a frame asks for, or brings."""

    SUBSCRIBE = 1
    UNSUBSCRIBE = 2
    PUBLISH = 3
    """From a node to the hub, and from the hub to the nodes that subscribed."""
    PING = 4
    PONG = 5
    """The answer to a ping, after all that was sent before it has taken effect."""


class BadBusFrame(Exception):
    """What arrived is no frame."""


Frame = tuple[FrameKind, str, bytes]


def encode_frame(kind: FrameKind, subject: str = "", message: bytes = b"") -> bytes:
    """Return a frame as it is sent; its length counts what follows the length."""
    name = subject.encode()
    length = _HEAD.size - _LENGTH.size + len(name) + len(message)
    return _HEAD.pack(length, kind, len(name)) + name + message


class FrameReader:
    """Cuts a stream of bytes into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def waiting(self) -> int:
        """Return how many bytes wait for the rest of their frame."""
        return len(self._buffer)

    def read(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are complete with `data`.

        Raises:
            BadFrame: the stream is not one of frames, or a frame is too large.
        """
        self._buffer += data
        begin = 0
        try:
            while (end := self._find_end(begin)) is not None:
                yield _decode(bytes(self._buffer[begin:end]))
                begin = end
        finally:
            del self._buffer[:begin]

    def _find_end(self, begin: int) -> int | None:
        if len(self._buffer) - begin < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer, begin)
        end = int(begin + _LENGTH.size + length)
        if end - begin > LARGEST_FRAME:
            raise BadBusFrame(f"a frame of {end - begin} bytes")
        return end if end <= len(self._buffer) else None


def _decode(frame: bytes) -> Frame:
    try:
        _, kind, size = _HEAD.unpack_from(frame)
        message_at = _HEAD.size + size
        if message_at > len(frame):
            raise BadBusFrame("a subject that is longer than its frame")
        return FrameKind(kind), frame[_HEAD.size : message_at].decode(), frame[message_at:]
    except (struct.error, ValueError) as fault:
        raise BadBusFrame(str(fault)) from fault
