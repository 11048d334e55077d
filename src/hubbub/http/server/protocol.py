"""HTTP/1.1 on a connection: parsed requests become exchanges, one after the other.

httptools parses. A request whose body is small is dispatched when all of it has arrived, which
needs one task and one write. The server, uvicorn's, makes a protocol for each connection.
"""

import asyncio
import secrets
from collections import deque
from typing import Any

import httptools
import structlog
import uvicorn
from uvicorn.server import ServerState

from hubbub.http.answer import Upgraded
from hubbub.http.errors import error_answer
from hubbub.http.request import (
    HEADERS_TOO_LARGE,
    LARGEST_HEADERS,
    Request,
    find_host_fault,
    host_of,
)
from hubbub.http.server.exchange import ArrivingBody, Dispatcher, Exchange
from hubbub.http.server.flow import Flow, remote_host

log = structlog.get_logger()

LARGEST_SMALL_BODY = 64 * 1024
LINGER_SECONDS = 2.0
GONE_SECONDS = 5.0
"""A client that has closed its side waits so long for the answer to what only reads."""
MOST_IGNORED = 4 * 1024 * 1024
MOST_EARLY = 64 * 1024
"""The bytes of another protocol that may arrive before the request for it is answered."""
MALFORMED = "This is not a well-formed HTTP request."


class Protocol(asyncio.Protocol):
    """A connection.

    Malformed requests and oversized headers, for which the parser has no limit, are refused once
    the requests before them are answered. After that answer the connection is half closed. What
    still arrives is dropped for a moment, so that the client can read the answer.

    A client may close its side after its requests: they are answered, then the connection ends.
    """

    transport: asyncio.Transport
    flow: Flow

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: object,
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """Begin with no connection; the parameters are those that uvicorn's server gives."""
        self.app: Dispatcher = config.loaded_app
        self.loop = _loop or asyncio.get_running_loop()
        self.connections: set[Any] = server_state.connections
        self.tasks = server_state.tasks
        self._server_state = server_state
        self._idle_seconds = config.timeout_keep_alive
        self._parser: Any = httptools.HttpRequestParser(self)
        # What follows the last request of a connection is not HTTP; the answer is due all the same.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._client, self._is_secure = "", False
        self._url = b""
        self._newest: Exchange | None = None
        """The newest exchange, which is answered last."""
        self.is_over = False
        """Whether no further answer can be sent."""
        self._arrived_headers: dict[bytes, bytes] = {}
        self._header_bytes = self._hosts = 0
        self._under_way: Exchange | None = None
        self._early: bytearray | None = None
        """What follows a request for another protocol."""
        self._waiting: deque[Exchange] = deque()
        """Pipelined exchanges behind the one that is under way."""
        self._refusal: tuple[int, str] | None = None
        """The last answer, to what is no request, which is due behind those to requests."""
        self._is_finished_by_client = False
        """Whether the client has closed its side, and reads only."""
        self._unparsed_bytes = self._ignored_bytes = 0
        self._answered_at = self._begun_at = self._heard_at = 0.0
        """When the last answer was sent, the last request began, and bytes arrived."""
        self._unread_bytes, self._read_at = 0, 0.0
        """The bytes that wait for a client that reads too slowly, and when they last got fewer."""
        self._idle_timer: asyncio.TimerHandle | None = None
        self._linger_timer: asyncio.TimerHandle | None = None
        self._gone_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.connections.add(self)
        self.transport = transport
        self.flow = Flow(transport)
        self._client = remote_host(transport)
        self._is_secure = bool(transport.get_extra_info("sslcontext"))
        self._answered_at = self.loop.time()
        self._idle_timer = self.loop.call_later(self._idle_seconds, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        self.connections.discard(self)
        self._end()
        self._leave()
        self.flow.resume_writing()
        self._release()

    def _leave(self) -> None:
        """End what only reads: its client is gone."""
        if self._under_way is not None:
            self._under_way.leave()

    def _release(self) -> None:
        for timer in (self._idle_timer, self._linger_timer, self._gone_timer):
            if timer is not None:
                timer.cancel()
        self._parser = None  # they refer to each other

    def interrupt(self) -> None:
        """End the waits of long polls: nobody reads their answers, or the node stops."""
        for exchange in (self._under_way, *self._waiting):
            if exchange is not None:
                exchange.request.interrupt()

    def _end(self) -> None:
        """Send no further answer; requests that were begun are carried out all the same."""
        self.is_over = True
        self.interrupt()
        self._waiting.clear()
        if self._newest is not None and self._newest.arriving is not None:
            self._newest.arriving.wake()

    def eof_received(self) -> bool:
        """Keep the connection for the answers that are due, as far as there are any.

        A client that has left looks the same. So what a long poll waits for is over, and what only
        reads may go on for a few seconds. Over TLS the transport does not keep the connection, and
        changes are carried out all the same.
        """
        if self._under_way is None or self._early is not None:
            return False
        self._is_finished_by_client = True
        self._gone_timer = self.loop.call_later(GONE_SECONDS, self._leave)
        for exchange in (self._under_way, *self._waiting):
            exchange.request.interrupt()
            exchange.cut_off()
        return True

    def data_received(self, data: bytes) -> None:
        if self._linger_timer is not None or self._refusal is not None:
            self._ignore(data)
            return
        if self._early is not None:
            self._keep_early(data)
            return
        self._unparsed_bytes += len(data)
        self._heard_at = self.loop.time()
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._keep_early(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._refuse(400, MALFORMED)
        if self._unparsed_bytes > 2 * LARGEST_HEADERS:
            self._refuse(431, HEADERS_TOO_LARGE)

    def _ignore(self, data: bytes) -> None:
        self._ignored_bytes += len(data)
        if self._ignored_bytes > MOST_IGNORED:
            self.transport.abort()

    def _keep_early(self, data: bytes) -> None:
        """Keep what may be of another protocol until the request for that is answered."""
        self._early = (self._early or bytearray()) + data
        self._unparsed_bytes = 0
        if len(self._early) > MOST_EARLY:
            self.transport.abort()

    def hand_over(self, upgraded: Upgraded) -> None:
        """Leave the connection to another protocol, as the answer to the last request says."""
        self._end()
        self.connections.discard(self)
        self._release()
        upgraded.take_over(self.transport, bytes(self._early or b""), self.connections)

    def _refuse(self, status: int, message: str) -> None:
        """Refuse what is no request, behind the answers that are due; nothing else is read.

        A request whose own body is malformed is answered with this refusal.
        """
        if self.transport.is_closing() or self._refusal is not None:
            return
        self._refusal = status, message
        if self._newest is not None:
            self._newest.is_malformed = self._newest.cut_off()
        if self._under_way is None:
            self._end_with_refusal()

    def _end_with_refusal(self) -> None:
        """Send the refusal that is due, unless the client wanted no answer after the last one."""
        assert self._refusal is not None, "it is due"
        newest = self._newest
        is_wanted = newest is None or newest.keep_alive or newest.is_malformed
        self._end()
        if is_wanted:
            status, message = self._refusal
            answer = error_answer(status, "ERR_BAD_REQUEST", message)
            answer.headers["x-request-id"] = request_id = secrets.token_hex(10)
            log.info("request_refused", request_id=request_id, status=status)
            self.transport.write(answer.encode_head(is_last=True) + answer.body)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._linger_timer = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _close_if_idle(self) -> None:
        """Close the connection if its client was waited for as long as it is kept alive.

        One timer looks again and again. A timer for each request would cost more.
        """
        left = self._waiting_since() + self._idle_seconds - self.loop.time()
        if left > 0:
            self._idle_timer = self.loop.call_later(left, self._close_if_idle)
        elif self.transport.get_write_buffer_size():
            self.transport.abort()  # otherwise it would wait until all of that is read
        else:
            self.transport.close()

    def shutdown(self) -> None:
        """Stop after the answers that are due: the server stops."""
        if self._newest is None or self._newest.is_answered:
            self.transport.close()
        else:
            self._newest.keep_alive = False

    def resume_writing(self) -> None:
        self.flow.resume_writing()

    def pause_writing(self) -> None:
        self.flow.pause_writing()
        self._unread_bytes, self._read_at = self.transport.get_write_buffer_size(), self.loop.time()

    def _reading_since(self) -> float:
        """Return when the client last read something of what waits for it, as far as is known."""
        unread = self.transport.get_write_buffer_size()
        if unread < self._unread_bytes:
            self._unread_bytes, self._read_at = unread, self.loop.time()
        return self._read_at

    def _waiting_since(self) -> float:
        """Return when the client began to be waited for; now if it is not.

        The head of a request must arrive as a whole in the time for which we wait. Of a body only
        the next bytes must: it may be large, and the network slow. So it is with an answer.
        """
        if self.flow.write_paused:
            return self._reading_since()
        newest = self._newest
        if newest is None or newest.is_answered:
            return max(self._answered_at, self._begun_at)
        body = newest.arriving
        is_arriving = self._under_way is None if body is None else not body.is_whole
        return self._heard_at if is_arriving and not self.flow.read_paused else self.loop.time()

    # The parser's callbacks

    def on_message_begin(self) -> None:
        self._begun_at = self._heard_at
        self._url = b""
        self._arrived_headers = {}
        self._header_bytes = self._hosts = 0

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_bytes += len(name) + len(value)
        lowered = name.lower()
        self._arrived_headers[lowered] = value
        if lowered == b"host":
            self._hosts += 1

    def on_headers_complete(self) -> None:
        self._unparsed_bytes = 0
        url, headers = httptools.parse_url(self._url), self._arrived_headers
        self._arrived_headers = {}  # for trailers, which nobody reads
        version = self._parser.get_http_version()
        fault = find_host_fault(self._hosts, headers.get(b"host", b""), version)
        if url.host:  # it counts in place of the header
            headers[b"host"] = host_of(url.host, url.port)
        exchange = self._newest = Exchange(
            self,
            Request(
                self._parser.get_method().decode("ascii"),
                url.path or b"/",
                url.query or b"",
                headers,
                header_bytes=self._header_bytes,
                client=self._client,
                is_secure=self._is_secure,
            ),
            # What follows a request for another protocol is not HTTP, whatever the answer is.
            keep_alive=self._parser.should_keep_alive()
            and version != "1.0"
            and not fault
            and not self._parser.should_upgrade(),
        )
        exchange.request.host_fault = fault
        awaits_continue = headers.get(b"expect", b"").lower() == b"100-continue"
        is_small = int(headers.get(b"content-length", 0)) <= LARGEST_SMALL_BODY
        if awaits_continue or not is_small or b"transfer-encoding" in headers:
            exchange.arriving = ArrivingBody(self, awaits_continue=awaits_continue)
            exchange.request.body = exchange.arriving
            self._begin(exchange)

    def on_body(self, body: bytes) -> None:
        self._unparsed_bytes = 0
        exchange = self._newest
        assert exchange is not None, "a body follows its headers"
        if exchange.arriving is None:
            exchange.parts.append(body)
        elif not exchange.is_answered:  # the rest of a refused body is dropped
            exchange.arriving.add(body)

    def on_message_complete(self) -> None:
        self._unparsed_bytes = 0
        exchange = self._newest
        assert exchange is not None, "a message has headers"
        if exchange.arriving is None:
            exchange.request.body = b"".join(exchange.parts)
            self._begin(exchange)
        else:
            exchange.arriving.end()

    # Exchanges, one after the other

    def _begin(self, exchange: Exchange) -> None:
        if self._under_way is None:
            self._start(exchange)
        else:
            self.flow.pause_reading()
            self._waiting.append(exchange)

    def _start(self, exchange: Exchange) -> None:
        self._under_way = exchange
        exchange.task = self.loop.create_task(exchange.run())
        self.tasks.add(exchange.task)

    def on_answered(self, exchange: Exchange) -> None:
        """Go on with the next request."""
        self._server_state.total_requests += 1
        self._under_way = None
        if self._waiting and exchange.keep_alive:
            self._start(self._waiting.popleft())
        elif self._refusal is not None:
            self._end_with_refusal()
            return
        elif not exchange.keep_alive or self._is_finished_by_client:
            self.transport.close()
            return
        if self.flow.read_paused and not self._waiting:
            self.flow.resume_reading()
        self._answered_at = self.loop.time()
