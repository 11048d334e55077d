"""The gateway of a node: its sockets, the feeds of their apps, and what ends sessions."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import structlog

from hubbub.domain.access.credentials import learn_tokens
from hubbub.domain.identity.provider import recall_provider
from hubbub.domain.presence.nodes import Watch
from hubbub.domain.presence.tell import tell_changes
from hubbub.http.answer import Answer
from hubbub.http.app import HttpApplication
from hubbub.http.operation import PREFIXES
from hubbub.http.request import Request
from hubbub.http.server.websocket import accept_websocket
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.gathered import Gathered
from hubbub.realtime.feeds.feeds import Feeds
from hubbub.realtime.protocol.limits import SessionLimits, bounds_of, limits_of
from hubbub.realtime.protocol.methods import keep_handshake
from hubbub.realtime.protocol.own_methods import OWN_METHODS
from hubbub.realtime.sessions.origins import Origins, Refused
from hubbub.realtime.sessions.present import PresenceKeeper
from hubbub.realtime.sessions.session import Session, Shared
from hubbub.runtime import Runtime

log = structlog.get_logger()

PATH = "/realtime"
LOOK_SECONDS = 1.0
"""The pause between looks at the sessions, and at what other nodes have committed."""
AT_ONCE = 1_000
"""After so many sessions the event loop does other things."""


class Gateway:
    """The sockets of a node: it answers their handshakes, and looks after their sessions."""

    def __init__(
        self, runtime: Runtime, app: HttpApplication, limits: SessionLimits | None = None
    ) -> None:
        self.runtime = runtime
        limits = limits or limits_of(runtime.settings)
        self.feeds = Feeds(runtime, limits.most_kept)
        self.present = PresenceKeeper(runtime)
        self.sessions: set[Session] = set()
        self._shared = Shared(
            runtime=runtime,
            app=app,
            own_methods={name: app.endpoint_of(own.operation) for name, own in OWN_METHODS.items()},
            limits=limits,
            bounds=bounds_of(runtime.settings),
            tokens=Gathered(partial(learn_tokens, runtime), limits.arriving_at_once),
            feeds=self.feeds,
            present=self.present,
            sessions=self.sessions,
        )
        self._origins = Origins(runtime.settings.realtime_origins)
        self._shaking_hands = asyncio.Semaphore(limits.arriving_at_once)
        for prefix in PREFIXES:
            app.routes.add(prefix + PATH, "GET", self.shake_hands)

    async def shake_hands(self, request: Request, values: Sequence[str]) -> Answer:
        """Answer the handshake of a socket.

        Raises:
            BadInput: it is none.
        """
        origin, host = ((request.header(name) or "").lower() for name in (b"origin", b"host"))
        bounds = self._shared.bounds
        if not self._origins.allow(origin, host):
            self._origins.log(origin[:200])
            return accept_websocket(request, Refused(origin, self.runtime.sockets), bounds)
        async with self._shaking_hands:
            await asyncio.sleep(0)  # so that the event loop does other things after so many
            return accept_websocket(request, Session(self._shared, keep_handshake(request)), bounds)

    def watch_over_nodes(self) -> Watch:
        """Return the watch over the nodes, by which this one keeps its sessions."""
        return Watch(
            self.runtime, tell=partial(tell_changes, self.runtime), restore=self.present.restore
        )

    # What is looked at each second

    async def watch(self) -> None:
        """Look after sessions and feeds, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except Unavailable:
                pass  # the engine has logged it
            except Exception as defect:
                log.error("gateway_defect", exc_info=defect)

    async def look(self) -> None:
        """End silent sessions, compare the feeds with the logs, and drop what is not needed."""
        for place, session in enumerate(list(self.sessions)):
            if place % AT_ONCE == 0:
                await asyncio.sleep(0)
            session.check(self._shared.now())
        await self.feeds.look({session.feed for session in self.sessions})
        await self._check_jwts()

    async def _check_jwts(self) -> None:
        """End the sessions of JWTs that their app accepts no more."""
        holders = [session for session in self.sessions if session.trust is not None]
        for app_id in {session.listener.app_id for session in holders}:
            provider = await recall_provider(self.runtime, app_id)
            for session in holders:
                if session.listener.app_id == app_id:
                    session.check_provider(provider)

    def close(self) -> None:
        """End the feeds; the server ends the sockets."""
        self.feeds.close()


@asynccontextmanager
async def serving_sockets(
    runtime: Runtime, app: HttpApplication, limits: SessionLimits | None = None
) -> AsyncIterator[Gateway]:
    """Serve sockets beside the operations of `app` inside the block."""
    gateway = Gateway(runtime, app, limits)
    watching = asyncio.create_task(gateway.watch())
    try:
        yield gateway
    finally:
        watching.cancel()
        await asyncio.wait([watching])
        gateway.close()
        await gateway.present.finish()
