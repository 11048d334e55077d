"""The limits of a session, as the settings of the node have them."""

from dataclasses import dataclass, fields

from hubbub.config import BadSetting, Settings
from hubbub.http.server.websocket import Bounds


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """What a session may do, and for how long it may be silent."""

    connect_seconds: float = 10.0
    """The time for the first frame, and for what it asks."""
    heartbeat: int = 25
    """A client that is silent for two heartbeats is gone."""
    frames_per_second: float = 50.0
    frames_at_once: int = 200
    largest_connect: int = 4096
    """The bytes of the first frame."""
    most_missed: int = 1_000
    """The events of one's own that a resume may bring."""
    most_kept: int = 10_000
    """The events of an app that a node keeps for resumes."""
    arriving_at_once: int = 16
    """The handshakes in a round of the event loop, and the tokens that are looked up together. When
    thousands of clients return at once, sends go on between them."""


def limits_of(settings: Settings) -> SessionLimits:
    """Return the limits of sessions.

    Raises:
        BadSetting: one of them is zero.
    """
    _check(settings)
    return SessionLimits(
        heartbeat=settings.realtime_heartbeat,
        frames_per_second=settings.realtime_frames_per_second,
        frames_at_once=settings.realtime_frames_at_once,
    )


def bounds_of(settings: Settings) -> Bounds:
    """Return the bounds of connections."""
    return Bounds(
        settings.realtime_frame_bytes,
        settings.realtime_queue_frames,
        settings.realtime_queue_bytes,
    )


def _check(settings: Settings) -> None:
    for setting in fields(Settings):
        if setting.name.startswith("realtime_") and getattr(settings, setting.name) == 0:
            raise BadSetting(f"{setting.metadata['environment']} must not be 0.")
