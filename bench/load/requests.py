"""Prebuilt HTTP/1.1 requests to repeat, and what their answers must contain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HOST = "127.0.0.1"
SERIAL_PLACE = b"<serial---->"
"""A placeholder for a number that is different each time a request is sent: for muids."""
TIME_PLACE = b"<-----time----->"
"""A placeholder for the time at which the request is sent, in microseconds."""


def encode_request(
    target: str, headers: Mapping[str, str], body: bytes = b"", method: str = "POST"
) -> bytes:
    """Return a request as bytes on the wire."""
    lines = [
        f"{method} {target} HTTP/1.1",
        f"Host: {HOST}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *(f"{name}: {text}" for name, text in headers.items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@dataclass(frozen=True, slots=True)
class Load:
    """Requests to repeat, and what each answer must contain."""

    requests: Sequence[bytes]
    expected: bytes
    times: int = 1
    """The number of times that an answer contains `expected`."""
    connections: int = 1
    rate: float | None = None
    """The requests in a second; None: each connection sends when its last one is answered."""
