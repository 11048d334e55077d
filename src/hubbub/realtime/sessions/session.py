"""A session: one socket of a user's client, from its first frame to its end."""

import asyncio
from collections import deque
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any

import structlog
from msgspec.structs import replace

from hubbub.domain.presence.connect import check_device
from hubbub.http.errors import refusal_answer
from hubbub.http.request import Request
from hubbub.http.server.websocket import BAD_FRAME, SERVICE_RESTART, SLOW_CONSUMER, WebSocket
from hubbub.kernel.errors import BadInput, Forbidden, NotAuthenticated, NotFound, Refusal
from hubbub.outbox.heads import Position
from hubbub.outbox.positions import parse_position
from hubbub.realtime.feeds.feed import INTERNAL_ERROR, Feed
from hubbub.realtime.protocol.dialogue import (
    TOKEN_REFUSED,
    TOO_MANY_FRAMES,
    Close,
    Dialogue,
    Refuse,
    Step,
)
from hubbub.realtime.protocol.frames import (
    Call,
    Connect,
    Connected,
    Device,
    Ping,
    Presence,
    connected_frame,
    pong_frame,
    reply_frame,
)
from hubbub.realtime.protocol.methods import only_reads
from hubbub.realtime.protocol.own_methods import TypingNow, end_all_typing
from hubbub.realtime.sessions.join import FellBehind, Joining, prepare
from hubbub.realtime.sessions.watching import NOBODY, Watched, find_friends, find_watched
from hubbub.records.roles.model import RoleRules
from hubbub.records.users.model import AVAILABLE
from hubbub.rest.people.wire.users import user_shape
from hubbub.runtime import Runtime

if TYPE_CHECKING:
    from hubbub.realtime.gateway import Gateway

log = structlog.get_logger()

TRY_AGAIN_LATER = 1013
MOST_WAITING_BYTES = 1024 * 1024
"""The calls of a session that may wait for their turn."""


class Session:
    """What a socket does, as its dialogue says. Calls run and are answered in order."""

    __slots__ = (
        "_calls",
        "_dialogue",
        "_gateway",
        "_held",
        "_is_reading",
        "_is_stopping",
        "_task",
        "_waiting_bytes",
        "app_id",
        "connected_at",
        "device",
        "feed",
        "id",
        "request",
        "rules",
        "socket",
        "token",
        "typing",
        "uid",
        "watched",
    )

    socket: WebSocket

    def __init__(self, gateway: "Gateway", request: Request) -> None:
        self._gateway = gateway
        self._dialogue = Dialogue(gateway.limits, gateway.now())
        self._calls: deque[Call | Ping] | None = None
        self._task: asyncio.Task[None] | None = None
        self._held: list[bytes] | None = None
        """Events that wait for the reply to a call."""
        self._waiting_bytes = 0
        """The size of the calls that wait."""
        self._is_reading = False
        """Whether the call that is carried out only reads."""
        self._is_stopping = False
        self.connected_at = gateway.runtime.clock.now()
        self.request = request
        """What is kept of the handshake: the headers say which app is meant."""
        self.id = gateway.runtime.ids.hexadecimal(24)
        self.app_id = self.uid = ""
        self.token = ""
        """The keyed hash of the auth token."""
        self.device = Device()
        self.feed: Feed | None = None
        self.typing: dict[tuple[str, str], TypingNow] = {}
        """To whom the user types, by kind and name."""
        self.watched: Watched = NOBODY
        self.rules = RoleRules("")
        """Those of the user's role, up to the event that was told last."""

    # What the socket tells

    def begin(self, socket: WebSocket) -> None:
        self.socket = socket
        self._gateway.sessions.add(self)
        self.runtime.sockets.open += 1

    def receive(self, message: bytes) -> None:
        self._take(self._dialogue.receive(message, self._gateway.now()))

    def hear(self) -> None:
        self._take(self._dialogue.hear(self._gateway.now()))

    def stop(self) -> None:
        """End the session once the calls that have arrived are answered."""
        self._is_stopping = True
        if self._task is None:
            self.socket.close(SERVICE_RESTART, "The server restarts.")

    def end(self) -> None:
        self._gateway.sessions.discard(self)
        if self._is_reading and self._task is not None:
            self._task.cancel()
        measures = self.runtime.sockets
        measures.open -= 1
        if self.socket.closed_with:
            measures.closes[str(self.socket.closed_with)] += 1
        end_all_typing(self)
        if self.feed is not None and self.feed.crowd.leave(self):
            measures.connected -= 1
            self._gateway.on_left(self)

    def check(self, now: float) -> None:
        """End the session if its client is too late, or silent for too long."""
        self._take(self._dialogue.check(now))

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
            case Call() | Ping():
                self._enqueue(step)
            case Refuse(ref, sentence):
                answer = refusal_answer(BadInput.field("op", sentence))
                self.socket.send(reply_frame(ref, answer.body))

    @property
    def runtime(self) -> Runtime:
        """Return the parts of the node."""
        return self._gateway.runtime

    @property
    def cursor(self) -> Position | None:
        """Return the position up to which events were sent."""
        is_told = self.feed is not None and self in self.feed.crowd.sessions
        return self.feed.position if is_told and self.feed is not None else None

    # Calls

    def _enqueue(self, call: Call | Ping) -> None:
        if self._is_stopping:
            return
        if self._calls is None:
            self._calls = deque()
        self._calls.append(call)
        self._waiting_bytes += _size(call)
        is_too_much = self._waiting_bytes > MOST_WAITING_BYTES
        if is_too_much or len(self._calls) > self._gateway.limits.frames_at_once:
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

    async def _answer(self, call: Call) -> None:
        """Carry out a call and send its reply, then the events that came meanwhile."""
        self._held = []
        self._is_reading = only_reads(call.method)
        try:
            body = await self._gateway.carry_out(self, call)
        finally:
            self._is_reading = False
        self.socket.send(reply_frame(call.ref, body))
        held, self._held = self._held, None
        if held:
            self.socket.send_all(held, b"".join(held))

    def tell(self, frame: bytes) -> None:
        """Send an event. While a call is carried out it waits, so that the reply comes first."""
        if self._held is None:
            self.socket.send(frame)
        else:
            self.tell_all([frame], frame)

    def tell_all(self, frames: Sequence[bytes], joined: bytes) -> None:
        """Send events, which are also given as one sequence of bytes."""
        if self._held is None:
            self.socket.send_all(frames, joined)
        elif len(self._held) + len(frames) <= self._gateway.bounds.most_queued:
            self._held += frames
        else:
            self.socket.close(SLOW_CONSUMER, "Too much happened during a call.")

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
            log.error("join_defect", session=self.id, exc_info=defect)
            self.socket.close(INTERNAL_ERROR, "The server failed; its log has the reason.")
        await self._answer_calls()

    async def _prepare(self, connect: Connect) -> Joining:
        check_device(connect.device.platform, connect.device.resource)
        since = parse_position(connect.since, "since") if connect.since is not None else None
        gateway = self._gateway
        credential = await gateway.admit(self, connect)
        self.app_id = credential.app_id
        self.uid, self.token = credential.uid or "", credential.hash
        self.device = connect.device
        self.feed = await gateway.feed_of(credential.app_id)
        return await prepare(gateway, self.feed, self, since)

    async def _open(self, joining: Joining, connect: Connect) -> None:
        """Tell the client that it is connected, then what it has missed."""
        has_resumed = joining.missed is not None
        measures = self.runtime.sockets
        measures.resumed += has_resumed
        measures.reloaded += connect.since is not None and not has_resumed
        self._dialogue.open(self._gateway.now())
        connected = Connected(
            session_id=self.id,
            user=user_shape(replace(joining.standing.user, status=AVAILABLE), viewer=self.uid),
            cursor=connect.since or "" if has_resumed else str(joining.standing.position),
            resumed=has_resumed,
            heartbeat=self._gateway.limits.heartbeat,
        )
        self.socket.send(connected_frame(connected))
        if has_resumed:
            await joining.replay()
        else:
            joining.enter()
        if self in joining.feed.crowd.sessions:
            measures.connected += 1
            self._gateway.on_joined(self)
            if connect.presence != "none":
                await self.watch(connect.presence)

    async def watch(self, presence: Presence) -> None:
        """Choose of whom the session is told when they come and go."""
        self.watched = await find_watched(
            self.runtime, self.app_id, self.uid, presence, rules=self.rules
        )
        if self.feed is not None and not self.socket.is_ended:
            self.feed.crowd.watch(self)

    async def learn_friends(self) -> None:
        """Find the user's friends, on whom it depends by now who may be shown to them."""
        self.watched.friends = await find_friends(self.runtime, self.app_id, self.uid)


def _reason_of(fault: BadInput) -> str:
    """Return what is wrong with the first frame, with the field named."""
    details = fault.details or {}
    return next((f"`{name}`: {sentences[0]}" for name, sentences in details.items()), fault.message)


def _size(call: Call | Ping) -> int:
    return len(bytes(call.params)) if isinstance(call, Call) else 0
