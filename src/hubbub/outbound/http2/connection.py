"""A connection of a pool: takes calls from its queue, and ends them."""

import asyncio
from collections import deque
from typing import Protocol, cast

from hubbub.outbound.answer import Response
from hubbub.outbound.errors import NotReached
from hubbub.outbound.http2.calls import PendingRequest
from hubbub.outbound.http2.frames import Violation
from hubbub.outbound.http2.protocol import ClientProtocol, Stream

MOST_UNSENT_BYTES = 2**22
"""A server that makes us write so much and reads none of it is cut."""


class Owner(Protocol):
    """The pool of a connection."""

    queue: deque[PendingRequest]
    seconds: float
    """The time limit of a request."""

    def repeat(self, call: PendingRequest, reason: str) -> None:
        """Make a call again that the server has not looked at."""
        ...

    def fill(self) -> None:
        """Start calls that wait, on any connection."""
        ...

    def add(self, connection: "Http2Connection") -> None:
        """Use a connection that is open."""
        ...

    def remove(self, connection: "Http2Connection", reason: str) -> None:
        """Forget a connection that has ended."""
        ...


class Http2Connection(asyncio.Protocol):
    """One connection; the protocol of its transport."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._protocol = ClientProtocol()
        self._calls: dict[int, PendingRequest] = {}
        self._transport: asyncio.Transport
        self._loop = asyncio.get_running_loop()
        self._is_paused = self._is_ending = False
        self._reason = "The connection was closed."
        self.heard_at = self.used_at = self._loop.time()
        self.was_used = False

    @property
    def has_room(self) -> bool:
        """Return whether it can take a call now."""
        return self._protocol.has_room and not self._is_paused and not self._is_ending

    @property
    def is_ready(self) -> bool:
        """Return whether the server has said what it allows."""
        return self._protocol.is_ready

    @property
    def is_idle(self) -> bool:
        """Return whether no answer is waited for."""
        return not self._calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        self._owner.add(self)
        self._flush()

    def data_received(self, data: bytes) -> None:
        self.heard_at = self._loop.time()
        try:
            self._protocol.receive(data)
        except Violation as violation:
            self._settle()
            self._flush()
            self.end(f"The server broke the protocol: {violation}.")
            return
        self._settle()
        self.fill()
        if self._owner.queue:
            self._owner.fill()

    def connection_lost(self, failure: Exception | None) -> None:
        if failure is not None and not self._is_ending:
            self._reason = f"The connection was closed: {failure}."
        for call in self._calls.values():
            call.end(NotReached(self._reason))
        self._calls.clear()
        self._owner.remove(self, self._reason)

    def pause_writing(self) -> None:
        self._is_paused = True

    def resume_writing(self) -> None:
        self._is_paused = False
        self.fill()

    def fill(self) -> None:
        """Start calls of the queue while there is room for them, and send what is to be sent."""
        queue, protocol, now = self._owner.queue, self._protocol, self._loop.time()
        while queue and self.has_room:
            call = queue.popleft()
            batch = call.batch
            if batch.done.done():
                continue  # whoever waited has given up
            request = batch.requests[call.index]
            stream = protocol.start(request.path, batch.common, request.fields, request.body, now)
            self._calls[stream.id] = call
            self.used_at, self.was_used = now, True
        self._flush()

    def expire(self, now: float) -> None:
        """End the calls that take too long; if nothing at all arrives, end the connection."""
        oldest = now - self._owner.seconds
        reason = f"It took more than {self._owner.seconds:g} seconds."
        late = [each for each in self._protocol.streams.values() if each.started_at <= oldest]
        if (late or not self.is_ready) and self.heard_at <= oldest:
            self.end(reason)
            return
        for stream in late:
            self._protocol.cancel(stream)
            self._calls.pop(stream.id).end(NotReached(reason))
        self._flush()

    def end(self, reason: str) -> None:
        """Close the connection at once; the calls that are under way fail."""
        if not self._is_ending:
            self._is_ending, self._reason = True, reason
            self._transport.abort()

    def _settle(self) -> None:
        """End the calls whose streams have ended."""
        finished, self._protocol.finished = self._protocol.finished, []
        for stream in finished:
            self._end(self._calls.pop(stream.id), stream)

    def _end(self, call: PendingRequest, stream: Stream) -> None:
        if not stream.failure:
            call.end(Response(stream.status, stream.fields, bytes(stream.content)))
        elif stream.is_untouched:
            self._owner.repeat(call, stream.failure)
        else:
            call.end(NotReached(stream.failure))

    def _flush(self) -> None:
        output = self._protocol.output
        if output:
            self._transport.write(b"".join(output))
            output.clear()
        if self._transport.get_write_buffer_size() > MOST_UNSENT_BYTES:
            self.end("The server does not read.")
        elif self._protocol.is_leaving and not self._calls:
            self._transport.close()
