"""The bus over NATS: one connection at a time, to one of the servers of a cluster.

The client of `nats-py` could reconnect by itself. It gives up for some errors of the server though,
so each connection has a client of its own here, and `reconnecting.py` opens the next one.
"""

import asyncio
import secrets
import ssl
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from urllib.parse import quote

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error, MaxPayloadError

from hubbub.bus.addresses import NatsServer
from hubbub.bus.interface import LARGEST_MESSAGE
from hubbub.bus.reconnecting import Deliver, NotConnected, ReconnectingBus

log = structlog.get_logger()

CONNECT_SECONDS = 5
PING_SECONDS = 2
UNANSWERED_PINGS = 2
LOOK_SECONDS = 0.25
CLOSE_SECONDS = 1.0
FAILURES = (Error, OSError, TimeoutError)


def encode_subject(subject: str) -> str:
    """Return the subject as one token of NATS: no dot, wildcard or space is left in it."""
    return quote(subject, safe="").replace(".", "%2E")


def open_nats(servers: Sequence[NatsServer], prefix: str, authorities: str = "") -> ReconnectingBus:
    """Return a bus that connects to one of the servers.

    Its subjects begin with `prefix`, which keeps installations that share a server apart.
    """
    return ReconnectingBus(NatsDialer(servers, prefix, authorities), LARGEST_MESSAGE)


class NatsDialer:
    """Tries the servers in turn; each node begins with any of them."""

    def __init__(self, servers: Sequence[NatsServer], prefix: str, authorities: str) -> None:
        self._servers = servers
        self._prefix = prefix
        self._authorities = authorities
        self._next = secrets.randbelow(len(servers))

    async def __call__(self, deliver: Deliver) -> "NatsConnection":
        """Connect to the first server that lets us in.

        Raises:
            NotConnected: none does.
        """
        reasons = []
        for _ in self._servers:
            server = self._servers[self._next % len(self._servers)]
            self._next += 1
            connection = NatsConnection(server, self._prefix, deliver)
            try:
                await connection.open(self._trust())
            except NotConnected as failure:
                reasons.append(f"{server}: {failure}")
            else:
                return connection
        raise NotConnected("; ".join(reasons))

    def _trust(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self._authorities:
            context.load_verify_locations(self._authorities)
        return context


class NatsConnection:
    """A connection to one server."""

    def __init__(self, server: NatsServer, prefix: str, deliver: Deliver) -> None:
        self.largest_message = LARGEST_MESSAGE
        self._server = server
        self._prefix = prefix
        self._deliver = deliver
        self._client = Client()
        self._lost = asyncio.Event()
        self._reason = ""
        self._is_refused = False
        self._subscriptions: dict[str, Subscription] = {}
        self._changing = asyncio.Lock()

    async def open(self, tls: ssl.SSLContext) -> None:
        """Connect and log in.

        Raises:
            NotConnected: the server can't be reached, or refuses.
        """
        try:
            async with asyncio.timeout(2 * CONNECT_SECONDS):
                await self._connect(tls)
                self._refuse_plain()
                await self._client.flush(CONNECT_SECONDS)
        except FAILURES as failure:
            await self._abandon()
            raise NotConnected(self._reason or _describe(failure)) from failure
        except BaseException:
            await self._abandon()
            raise
        self.largest_message = self._client.max_payload

    async def _connect(self, tls: ssl.SSLContext) -> None:
        server = self._server
        is_token = server.password is None
        await self._client.connect(
            [server.url],
            name="hubbub",
            user=None if is_token or server.user is None else self._secret(server.user),
            password=None if server.password is None else self._secret(server.password),
            token=self._secret(server.user) if is_token and server.user is not None else None,
            tls=tls,
            tls_hostname=server.host,
            no_echo=True,
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=CONNECT_SECONDS,
            ping_interval=PING_SECONDS,
            max_outstanding_pings=UNANSWERED_PINGS,
            error_cb=self._note_error,
            closed_cb=self._note_closed,
        )

    async def publish(self, subject: str, message: bytes) -> None:
        try:
            await self._client.publish(self._name(subject), message)
        except MaxPayloadError:
            pass  # the server has lowered its limit; the message is dropped
        except FAILURES as failure:
            raise NotConnected(_describe(failure)) from failure

    async def subscribe(self, subjects: Collection[str]) -> None:
        try:
            async with self._changing:
                for subject in subjects:
                    await self._subscribe(subject)
            # Its PING may overtake what waits to be written, so the first flush writes the
            # subscriptions, and the second hears that the server has them.
            await self._client.flush(CONNECT_SECONDS)
            await self._client.flush(CONNECT_SECONDS)
        except FAILURES as failure:
            raise NotConnected(_describe(failure)) from failure

    async def unsubscribe(self, subject: str) -> None:
        try:
            async with self._changing:
                subscription = self._subscriptions.pop(subject, None)
                if subscription is not None:
                    await subscription.unsubscribe()
        except FAILURES as failure:
            raise NotConnected(_describe(failure)) from failure

    async def wait_lost(self) -> str:
        # The client calls back only after its socket is closed, which a server that hangs delays.
        while not self._client.is_closed:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._lost.wait()
        return f"{self._server}: {self._reason or _describe(self._client.last_error)}"

    async def close(self) -> None:
        await self._abandon()

    async def _abandon(self) -> None:
        with suppress(*FAILURES):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._client.close()

    async def _subscribe(self, subject: str) -> None:
        if subject in self._subscriptions:
            return

        async def take(message: Msg) -> None:
            self._deliver(subject, message.data)

        name = self._name(subject)
        self._subscriptions[subject] = await self._client.subscribe(name, cb=take)

    def _name(self, subject: str) -> str:
        return f"{self._prefix}.{encode_subject(subject)}"

    def _secret(self, text: str) -> Callable[[], str]:
        """Return what the client calls for a secret, just before it logs in."""

        def reveal() -> str:
            self._refuse_plain()
            return text

        return reveal

    def _refuse_plain(self) -> None:
        """Refuse a server that is to be encrypted and is not; the client would go on in plain."""
        if self._server.is_encrypted and not self._client._server_info.get("tls_required"):
            raise Error("the server does not ask for TLS")

    async def _note_error(self, failure: Exception) -> None:
        self._reason = _describe(failure)
        if "permissions violation" in self._reason.lower() and not self._is_refused:
            self._is_refused = True
            log.error("bus_refused", reason=self._reason)

    async def _note_closed(self) -> None:
        self._lost.set()


def _describe(failure: Exception | None) -> str:
    return str(failure) or type(failure).__name__
