"""The gateway of a node: its sockets, the feeds of their apps, and what ends sessions."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import structlog

from hubbub.domain.access.credentials import AuthTokenUnknown, Credential, learn_tokens
from hubbub.domain.access.rates import count_call
from hubbub.domain.presence.tell import tell_changes
from hubbub.domain.presence.watch import Watch
from hubbub.http.answer import Answer
from hubbub.http.app import HttpApplication
from hubbub.http.authenticate import find_token_of
from hubbub.http.errors import error_answer, refusal_answer
from hubbub.http.operation import PREFIXES
from hubbub.http.request import Request
from hubbub.http.server.websocket import accept_websocket
from hubbub.kernel.errors import BadInput, Refusal, Unavailable
from hubbub.kernel.gathered import Gathered
from hubbub.realtime.feeds.feed import Feed
from hubbub.realtime.feeds.feeds import Feeds
from hubbub.realtime.protocol.frames import Call, Connect
from hubbub.realtime.protocol.limits import Limits, bounds_of, limits_of
from hubbub.realtime.protocol.methods import (
    METHODS,
    decode_params,
    keep_handshake,
    make_request,
    rate_of,
)
from hubbub.realtime.protocol.own_methods import OWN_METHODS, SessionRequest
from hubbub.realtime.sessions.origins import Origins, Refused
from hubbub.realtime.sessions.present import PresenceKeeper
from hubbub.realtime.sessions.session import Session
from hubbub.runtime import Runtime

log = structlog.get_logger()

PATH = "/realtime"
ARRIVING_AT_ONCE = 16
"""The handshakes in a round of the event loop, and the tokens that are looked up together. When
thousands of clients return at once, sends go on between them."""
LOOK_SECONDS = 1.0
"""The pause between looks at the sessions, and at what other nodes have committed."""
AT_ONCE = 1_000
"""After so many sessions the event loop does other things."""


class MethodUnknown(BadInput):
    """There is no such method."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "Failed to validate the data sent with the request.",
            details={"method": [f"There is no method {name[:50]!r}."]},
        )


class Gateway:
    """The sockets of a node. It answers the handshakes, and dispatches the calls of sessions."""

    def __init__(
        self, runtime: Runtime, app: HttpApplication, limits: Limits | None = None
    ) -> None:
        self.runtime = runtime
        self.limits = limits or limits_of(runtime.settings)
        self.bounds = bounds_of(runtime.settings)
        self.sessions: set[Session] = set()
        self._app = app
        self._own_methods = {
            name: app.endpoint_of(own.operation) for name, own in OWN_METHODS.items()
        }
        self._feeds = Feeds(runtime, self.limits.most_kept)
        self._origins = Origins(runtime.settings.realtime_origins)
        self.present = PresenceKeeper(runtime)
        self._shaking_hands = asyncio.Semaphore(ARRIVING_AT_ONCE)
        self._tokens = Gathered(partial(learn_tokens, runtime), ARRIVING_AT_ONCE)
        for prefix in PREFIXES:
            app.routes.add(prefix + PATH, "GET", self.shake_hands)

    def now(self) -> float:
        """Return the time for the dialogues of sessions."""
        return self.runtime.clock.monotonic()

    async def shake_hands(self, request: Request, values: Sequence[str]) -> Answer:
        """Answer the handshake of a socket.

        Raises:
            BadInput: it is none.
        """
        origin, host = ((request.header(name) or "").lower() for name in (b"origin", b"host"))
        if not self._origins.allow(origin, host):
            self._origins.log(origin[:200])
            return accept_websocket(request, Refused(origin, self.runtime.sockets), self.bounds)
        async with self._shaking_hands:
            await asyncio.sleep(0)  # so that the event loop does other things after so many
            return accept_websocket(request, Session(self, keep_handshake(request)), self.bounds)

    async def admit(self, session: Session, connect: Connect) -> Credential:
        """Return the token of a session's user, as the first frame or the handshake shows it.

        Raises:
            Refusal: the token or the app is refused.
        """
        headers = dict(session.request.headers)
        for name, text in ((b"authtoken", connect.auth_token), (b"appid", connect.app_id)):
            if text is not None:
                headers[name] = text.encode("latin-1", "replace")
        session.request.headers = headers
        shown = session.request.header(b"authtoken")
        if not shown or await self._tokens.find(shown) is None:
            raise AuthTokenUnknown
        return await find_token_of(self.runtime, session.request)

    async def carry_out(self, session: Session, call: Call) -> bytes:
        """Return the answer to a call: an object with `data` or `error`."""
        try:
            endpoint = self._own_methods.get(call.method)
            if endpoint is not None:
                answer = await self._app.answer(SessionRequest(session, call.params), endpoint)
                return await answer.whole_body()
            method = METHODS.get(call.method)
            if method is None:
                raise MethodUnknown(call.method)
            # Before the parameters are decoded, which costs more than to refuse the call.
            await count_call(self.runtime, session.app_id, session.uid, rate_of(method))
            request = make_request(method, decode_params(call.params), session.request)
            request.is_counted = True
        except Refusal as refusal:
            return refusal_answer(refusal).body
        except Exception as defect:  # noqa: BLE001  # it is logged, and the session goes on
            return _report(session, call, defect)
        return await (await self._app.answer(request)).whole_body()

    def watch_over_nodes(self) -> Watch:
        """Return the watch over the nodes, by which this one keeps its sessions."""
        return Watch(
            self.runtime, tell=partial(tell_changes, self.runtime), restore=self.present.restore
        )

    async def feed_of(self, app_id: str) -> Feed:
        """Return the feed of an app, which is opened with its first session."""
        return await self._feeds.find(app_id)

    def on_joined(self, session: Session) -> None:
        """Store that a session is open."""
        self.present.open(session)

    def on_left(self, session: Session) -> None:
        """Store that a session is closed."""
        self.present.close(session)

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
            session.check(self.now())
        await self._feeds.look({session.feed for session in self.sessions})

    def close(self) -> None:
        """End the feeds; the server ends the sockets."""
        self._feeds.close()


@asynccontextmanager
async def serving_sockets(
    runtime: Runtime, app: HttpApplication, limits: Limits | None = None
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


def _report(session: Session, call: Call, defect: Exception) -> bytes:
    """Log a defect with its traceback; return the answer, which names the session's id."""
    log.error("call_defect", session=session.id, method=call.method[:100], exc_info=defect)
    message = f"The server failed; its log has the reason under the session {session.id}."
    return error_answer(500, "ERR_EXCEPTION", message).body
