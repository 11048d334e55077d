"""The protocol of one session, without I/O: what a client may say when, and what follows.

Time is given with each message, in seconds of a clock that never goes back.
"""

import enum
from dataclasses import dataclass

from hubbub.http.server.websocket import BAD_FRAME
from hubbub.realtime.protocol.close_codes import TOO_LATE, TOO_MANY_FRAMES
from hubbub.realtime.protocol.frames import (
    BadFrame,
    Connect,
    MethodCall,
    Ping,
    Unknown,
    decode_frame,
)
from hubbub.realtime.protocol.limits import SessionLimits


class Phase(enum.Enum):
    """How far a session has come."""

    WAITING = enum.auto()
    """Nothing has arrived yet."""
    JOINING = enum.auto()
    """The token is being checked; calls wait."""
    OPEN = enum.auto()


@dataclass(frozen=True, slots=True)
class Close:
    """The session is closed with a code and a reason."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class RefuseCall:
    """The frame is answered with an error; the session goes on."""

    ref: str | None
    sentence: str


Step = Connect | MethodCall | Ping | RefuseCall | Close | None
"""What is to be done about a message; None: nothing."""


class Dialogue:
    """The state of a session as its client's messages change it."""

    __slots__ = ("_allowance", "_counted_at", "_heard_at", "_limits", "phase")

    def __init__(self, limits: SessionLimits, now: float) -> None:
        self._limits = limits
        self.phase = Phase.WAITING
        self._heard_at = self._counted_at = now
        self._allowance = float(limits.frames_at_once)

    def hear(self, now: float) -> Close | None:
        """Count a frame of any kind as a sign of life; too many of them end the session."""
        limits = self._limits
        refilled = self._allowance + (now - self._counted_at) * limits.frames_per_second
        self._allowance = min(float(limits.frames_at_once), refilled) - 1
        self._counted_at = now
        if self.phase is Phase.OPEN:
            self._heard_at = now
        if self._allowance < 0:
            return Close(TOO_MANY_FRAMES, "Too many frames.")
        return None

    def receive(self, message: bytes, now: float) -> Step:
        """Return what is to be done about a message."""
        too_many = self.hear(now)
        if too_many is not None:
            return too_many
        if self.phase is Phase.WAITING and len(message) > self._limits.largest_connect:
            return Close(
                BAD_FRAME, f"The first frame has at most {self._limits.largest_connect} B."
            )
        try:
            frame = decode_frame(message)
        except BadFrame as bad:
            return Close(BAD_FRAME, str(bad))
        return self._step(frame)

    def _step(self, frame: object) -> Step:
        if isinstance(frame, Connect):
            if self.phase is not Phase.WAITING:
                return Close(BAD_FRAME, "The session is connected already.")
            self.phase = Phase.JOINING
            return frame
        if self.phase is Phase.WAITING:
            return Close(BAD_FRAME, "The first frame is connect.")
        match frame:
            case MethodCall() | Ping():
                return frame
            case Unknown(op, ref):
                return RefuseCall(ref, f"There is no op {op[:50]!r}.")
        return None

    def open(self, now: float) -> None:
        """Begin the session: its client is connected."""
        self.phase = Phase.OPEN
        self._heard_at = now

    @property
    def is_open(self) -> bool:
        """Return whether the client is connected."""
        return self.phase is Phase.OPEN

    def check(self, now: float) -> Close | None:
        """Return why the session ends by now, if it does."""
        silent = now - self._heard_at
        if self.phase is not Phase.OPEN:
            is_late = silent > self._limits.connect_seconds
            return Close(TOO_LATE, "The client did not connect in time.") if is_late else None
        if silent > 2 * self._limits.heartbeat:
            return Close(TOO_LATE, "The client was silent for too long.")
        return None
