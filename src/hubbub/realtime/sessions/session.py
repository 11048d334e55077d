"""A session: one socket of a user's client, from its first frame to its end."""

import asyncio
from collections import deque
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog
from msgspec.structs import replace

from hubbub.domain.access.credentials import AuthTokenUnknown, Credential
from hubbub.domain.access.rates import count_call
from hubbub.domain.identity.provider import recall_provider
from hubbub.domain.identity.read_jwt import is_jwt
from hubbub.domain.presence.connect import check_device
from hubbub.http.app import HttpApplication
from hubbub.http.authenticate import find_token_of
from hubbub.http.errors import error_answer, refusal_answer
from hubbub.http.request import Request
from hubbub.http.routes import Endpoint
from hubbub.http.server.websocket import (
    BAD_FRAME,
    SERVICE_RESTART,
    SLOW_CONSUMER,
    Bounds,
    WebSocket,
)
from hubbub.kernel.errors import BadInput, Forbidden, NotAuthenticated, NotFound, Refusal
from hubbub.kernel.gathered import Gathered
from hubbub.outbox.heads import Position
from hubbub.outbox.positions import parse_position
from hubbub.realtime.feeds.admission import Arrival
from hubbub.realtime.feeds.feed import Feed
from hubbub.realtime.feeds.feeds import Feeds
from hubbub.realtime.feeds.listeners import Listener
from hubbub.realtime.feeds.watching import find_watched
from hubbub.realtime.protocol.at_once import AT_ONCE
from hubbub.realtime.protocol.close_codes import (
    INTERNAL_ERROR,
    TOKEN_REFUSED,
    TOO_MANY_FRAMES,
    TRY_AGAIN_LATER,
)
from hubbub.realtime.protocol.dialogue import (
    Close,
    Dialogue,
    RefuseCall,
    Step,
)
from hubbub.realtime.protocol.frames import (
    Connect,
    Connected,
    MethodCall,
    Ping,
    Presence,
    connected_frame,
    pong_frame,
    reply_frame,
    token_expiring_frame,
)
from hubbub.realtime.protocol.limits import SessionLimits
from hubbub.realtime.protocol.methods import (
    METHODS,
    decode_params,
    keep_handshake,
    make_request,
    only_reads,
    rate_of,
)
from hubbub.realtime.protocol.own_methods import SessionRequest, Typing, end_all_typing
from hubbub.realtime.sessions.join import FellBehind, Joining, prepare
from hubbub.realtime.sessions.present import PresenceKeeper
from hubbub.records.identity.model import IdentityProvider, Trust
from hubbub.records.tokens.model import (
    WARNED_BEFORE,
    AuthTokenNotAccessible,
    name_jwt,
    when_issued,
)
from hubbub.records.users.model import AVAILABLE
from hubbub.rest.people.wire.users import user_shape
from hubbub.runtime import Runtime

log = structlog.get_logger()

NO_LONGER_VALID = "The auth token is no longer valid."
MOST_WAITING_BYTES = 1024 * 1024
"""The calls of a session that may wait for their turn."""


class MethodUnknown(BadInput):
    """There is no such method."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "Failed to validate the data sent with the request.",
            details={"method": [f"There is no method {name[:50]!r}."]},
        )


@dataclass(frozen=True, slots=True)
class Shared:
    """What all sessions of a node use."""

    runtime: Runtime
    app: HttpApplication
    own_methods: Mapping[str, Endpoint]
    """What answers the calls of the methods that REST does not have."""
    limits: SessionLimits
    bounds: Bounds
    tokens: Gathered[str, Credential | None]
    """Looks tokens up; several at a time when many clients come back."""
    feeds: Feeds
    present: PresenceKeeper
    sessions: "set[Session]" = field(default_factory=set)
    """All that are open."""

    def now(self) -> float:
        """Return the time for the dialogues of sessions."""
        return self.runtime.clock.monotonic()


class Session:
    """What a socket does, as its dialogue says. Calls run and are answered in order."""

    __slots__ = (
        "_calls",
        "_dialogue",
        "_is_reading",
        "_is_stopping",
        "_is_warned",
        "_shared",
        "_task",
        "_token_ends",
        "_typing",
        "_waiting_bytes",
        "feed",
        "listener",
        "request",
        "socket",
        "trust",
    )

    socket: WebSocket
    listener: Listener
    """The session as others know it."""

    def __init__(self, shared: Shared, request: Request) -> None:
        self._shared = shared
        self._dialogue = Dialogue(shared.limits, shared.now())
        self._calls: deque[MethodCall | Ping] | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting_bytes = 0
        """The size of the calls that wait."""
        self._is_reading = False
        """Whether the call that is carried out only reads."""
        self._is_stopping = False
        self._typing: Typing = {}
        self._token_ends: int | None = None
        """When the token ends, if it does."""
        self.trust: Trust | None = None
        """By what its JWT was judged, if it has one."""
        self._is_warned = False
        """Whether the client knows that the token ends."""
        self.request = request
        """What is kept of the handshake: the headers say which app is meant."""
        self.feed: Feed | None = None

    # What the socket tells

    def begin(self, socket: WebSocket) -> None:
        runtime = self._shared.runtime
        self.socket = socket
        self.listener = Listener(
            socket,
            id=runtime.ids.hexadecimal(24),
            connected_at=runtime.clock.now(),
            most_held=self._shared.bounds.most_queued,
        )
        self._shared.sessions.add(self)
        runtime.sockets.open += 1

    def receive(self, message: bytes) -> None:
        self._take(self._dialogue.receive(message, self._shared.now()))

    def hear(self) -> None:
        self._take(self._dialogue.hear(self._shared.now()))

    def stop(self) -> None:
        """End the session once the calls that have arrived are answered."""
        self._is_stopping = True
        if self._task is None:
            self.socket.close(SERVICE_RESTART, "The server restarts.")

    def end(self) -> None:
        self._shared.sessions.discard(self)
        if self._is_reading and self._task is not None:
            self._task.cancel()
        measures = self._shared.runtime.sockets
        measures.open -= 1
        if self.socket.closed_with:
            measures.closes[str(self.socket.closed_with)] += 1
        end_all_typing(self._typing)
        if self.feed is not None and self.feed.listeners.leave(self.listener):
            measures.connected -= 1
            self._shared.present.close(self.listener)

    def check(self, now: float) -> None:
        """End the session if its client is too late, or silent for too long, or its token ends."""
        self._take(self._dialogue.check(now))
        if self._token_ends is not None:
            self._check_token(self._token_ends)

    def _check_token(self, ends: int) -> None:
        """End the session if its token has ended; warn its client a minute before."""
        left = ends - self._shared.runtime.clock.now()
        if left <= 0:
            self.socket.close(TOKEN_REFUSED, "The auth token has ended.")
        elif left <= WARNED_BEFORE and not self._is_warned and self._dialogue.is_open:
            self._is_warned = True
            self.socket.send(token_expiring_frame(ends))

    def _take(self, step: Step) -> None:
        match step:
            case None:
                pass
            case Close(code, reason):
                self.socket.close(code, reason)
            case Connect():
                self._start(self._join(step))
            case Ping() if self._task is None:
                self.socket.send(pong_frame(self.cursor))
            case MethodCall() if self._task is None and self._answer_at_once(step):
                pass
            case MethodCall() | Ping():
                self._enqueue(step)
            case RefuseCall(ref, sentence):
                answer = refusal_answer(BadInput.field("op", sentence))
                self.socket.send(reply_frame(ref, answer.body))

    @property
    def cursor(self) -> Position | None:
        """Return the position up to which events were sent."""
        if self.feed is None or self.listener not in self.feed.listeners.everyone:
            return None
        return self.feed.position

    # Calls

    def _answer_at_once(self, call: MethodCall) -> bool:
        """Answer a call that needs nothing to be waited for; return whether it was one."""
        quick, listener = AT_ONCE.get(call.method), self.listener
        if quick is None or self._is_stopping:
            return False
        if not self._shared.runtime.allowances.take(listener.app_id, quick.seconds):
            return False
        listener.held = []
        try:
            body = quick.answer(self._shared.runtime, listener.app_id, listener.uid, call.params)
        finally:
            held, listener.held = listener.held, None
        if body is not None:
            self.socket.send(reply_frame(call.ref, body))
        if held:
            self.socket.send_all(held, b"".join(held))
        return body is not None

    def _enqueue(self, call: MethodCall | Ping) -> None:
        if self._is_stopping:
            return
        if self._calls is None:
            self._calls = deque()
        self._calls.append(call)
        self._waiting_bytes += _size(call)
        is_too_much = self._waiting_bytes > MOST_WAITING_BYTES
        if is_too_much or len(self._calls) > self._shared.limits.frames_at_once:
            self.socket.close(TOO_MANY_FRAMES, "Too many calls wait for their turn.")
            return
        if self._task is None:
            self._start(self._answer_calls())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = asyncio.create_task(work)

    async def _answer_calls(self) -> None:
        while self._calls and not self.socket.is_ended:
            call = self._calls.popleft()
            self._waiting_bytes -= _size(call)
            if isinstance(call, Ping):
                self.socket.send(pong_frame(self.cursor))
            else:
                await self._answer(call)
            await self.socket.drain()
        self._calls = self._task = None
        if self._is_stopping:
            self.socket.close(SERVICE_RESTART, "The server restarts.")

    async def _answer(self, call: MethodCall) -> None:
        """Carry out a call and send its reply, then the events that came meanwhile."""
        self.listener.held = []
        self._is_reading = only_reads(call.method)
        try:
            body = await self._carry_out(call)
        finally:
            self._is_reading = False
        self.socket.send(reply_frame(call.ref, body))
        held, self.listener.held = self.listener.held, None
        if held:
            self.socket.send_all(held, b"".join(held))

    async def _carry_out(self, call: MethodCall) -> bytes:
        """Return the answer to a call: an object with `data` or `error`."""
        shared, listener = self._shared, self.listener
        try:
            endpoint = shared.own_methods.get(call.method)
            if endpoint is not None:
                own = SessionRequest(
                    self.request, call.params, self._typing, self.watch, self.renew
                )
                return await (await shared.app.answer(own, endpoint)).whole_body()
            answered = await self._answer_in_turn(call)
            if answered is not None:
                return answered
            method = METHODS.get(call.method)
            if method is None:
                raise MethodUnknown(call.method)
            # Before the parameters are decoded, which costs more than to refuse the call.
            await count_call(shared.runtime, listener.app_id, listener.uid, rate_of(method))
            request = make_request(method, decode_params(call.params), self.request)
            request.is_counted = True
        except Refusal as refusal:
            return refusal_answer(refusal).body
        except Exception as defect:
            log.error("call_defect", session=listener.id, method=call.method[:100], exc_info=defect)
            reason = f"The server failed; its log has the reason under the session {listener.id}."
            return error_answer(500, "ERR_EXCEPTION", reason).body
        return await (await shared.app.answer(request)).whole_body()

    async def _answer_in_turn(self, call: MethodCall) -> bytes | None:
        """Return the answer to a call that is quick, once its app may take the time for it."""
        quick, listener, runtime = AT_ONCE.get(call.method), self.listener, self._shared.runtime
        if quick is None:
            return None
        await runtime.allowances.wait(listener.app_id, quick.seconds)
        return quick.answer(runtime, listener.app_id, listener.uid, call.params)

    # The beginning

    async def _join(self, connect: Connect) -> None:
        try:
            joining = await self._prepare(connect)
            if not self.socket.is_ended:
                await self._open(joining, connect)
        except BadInput as fault:  # not of the token: the client must not log its user out
            self.socket.close(BAD_FRAME, _reason_of(fault))
        except (NotAuthenticated, Forbidden, NotFound) as refusal:
            self.socket.close(TOKEN_REFUSED, refusal.message)
        except Refusal as refusal:
            self.socket.close(TRY_AGAIN_LATER, refusal.message)
        except FellBehind:
            self.socket.close(SLOW_CONSUMER, "The client reads too slowly.")
        except Exception as defect:
            log.error("join_defect", session=self.listener.id, exc_info=defect)
            self.socket.close(INTERNAL_ERROR, "The server failed; its log has the reason.")
        await self._answer_calls()

    async def _prepare(self, connect: Connect) -> Joining:
        check_device(connect.device.platform, connect.device.resource)
        since = parse_position(connect.since, "since") if connect.since is not None else None
        credential = await self._authenticate(connect)
        listener, shared = self.listener, self._shared
        listener.app_id, listener.uid = credential.app_id, credential.uid or ""
        listener.device = connect.device
        await self._hold(credential)
        self.feed = await shared.feeds.find(credential.app_id)
        return await prepare(self.feed, listener, since, shared.limits.most_missed)

    async def _authenticate(self, connect: Connect) -> Credential:
        """Return the token of the user, as the first frame or the handshake shows it.

        Raises:
            Refusal: the token or the app is refused.
        """
        headers = dict(self.request.headers)
        for name, text in ((b"authtoken", connect.auth_token), (b"appid", connect.app_id)):
            if text is not None:
                headers[name] = text.encode("latin-1", "replace")
        self.request.headers = headers
        shown = self.request.header(b"authtoken")
        is_known = shown and (is_jwt(shown) or await self._shared.tokens.find(shown) is not None)
        if not is_known:
            raise AuthTokenUnknown
        return await find_token_of(self._shared.runtime, self.request)

    async def _open(self, joining: Joining, connect: Connect) -> None:
        """Tell the client that it is connected, then what it has missed."""
        has_resumed = joining.missed is not None
        listener, measures = self.listener, self._shared.runtime.sockets
        measures.resumed += has_resumed
        measures.reloaded += connect.since is not None and not has_resumed
        self._dialogue.open(self._shared.now())
        user = replace(joining.admission.user, status=AVAILABLE)
        connected = Connected(
            session_id=listener.id,
            user=user_shape(user, viewer=listener.uid),
            cursor=connect.since or "" if has_resumed else str(joining.position),
            resumed=has_resumed,
            heartbeat=self._shared.limits.heartbeat,
        )
        self.socket.send(connected_frame(connected))
        if has_resumed:
            await joining.replay()
        else:
            joining.enter()
        if listener in joining.feed.listeners.everyone:
            measures.connected += 1
            self._shared.present.open(listener)
            if connect.presence != "none":
                await self.watch(connect.presence)

    async def renew(self, auth_token: str) -> None:
        """Go on with another auth token of the same user.

        Raises:
            NotAuthenticated: the token is unknown, is refused, or has ended.
            AuthTokenNotAccessible: it is that of another user.
        """
        shared, listener = self._shared, self.listener
        request = keep_handshake(self.request)
        shown = auth_token.encode("latin-1", "replace")
        request.headers = {**request.headers, b"authtoken": shown}
        credential = await find_token_of(shared.runtime, request)
        if (credential.app_id, credential.uid) != (listener.app_id, listener.uid):
            raise AuthTokenNotAccessible
        await self._hold(credential)
        self.request = request
        # From here on the feed tells that it is revoked. It may have been before.
        admissions = self.feed.admissions if self.feed is not None else None
        if (
            admissions is not None
            and await admissions.find(Arrival(listener.token, None, listener.uid)) is None
        ):
            self.socket.close(TOKEN_REFUSED, NO_LONGER_VALID)

    async def _hold(self, credential: Credential) -> None:
        """Be the session of this token from here on.

        Raises:
            AuthTokenUnknown: it is a JWT, and the provider of the app is gone.
        """
        issued_at, trust = credential.issued_at, None
        if issued_at is not None:
            provider = await recall_provider(self._shared.runtime, credential.app_id)
            if provider is None:
                raise AuthTokenUnknown
            trust = provider.trust
        self.trust = trust
        self.listener.token = credential.hash if issued_at is None else name_jwt(issued_at)
        self._token_ends, self._is_warned = credential.expires_at, False

    def check_provider(self, provider: IdentityProvider | None) -> None:
        """End the session if its JWT would be refused by now, as the app's settings have it."""
        issued_at = when_issued(self.listener.token) or 0
        is_trusted = provider is not None and provider.trust == self.trust
        if not is_trusted or provider is None or issued_at <= provider.valid_after:
            self.socket.close(TOKEN_REFUSED, NO_LONGER_VALID)

    async def watch(self, presence: Presence) -> None:
        """Choose of whom the session is told when they come and go."""
        listener = self.listener
        listener.watched = await find_watched(
            self._shared.runtime,
            listener.app_id,
            listener.uid,
            presence,
            rules=listener.visibility.rules,
        )
        if self.feed is not None and not self.socket.is_ended:
            self.feed.listeners.watch(listener)


def _reason_of(fault: BadInput) -> str:
    """Return what is wrong with the first frame, with the field named."""
    details = fault.details or {}
    return next((f"`{name}`: {sentences[0]}" for name, sentences in details.items()), fault.message)


def _size(call: MethodCall | Ping) -> int:
    return len(bytes(call.params)) if isinstance(call, MethodCall) else 0
