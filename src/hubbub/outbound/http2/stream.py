"""A request on a connection, and its answer as far as it has arrived."""

from dataclasses import dataclass, field

from hubbub.outbound.http2.headers import Headers


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
