"""For which app a call is made: what the calls of apps share is given out by it."""

from contextvars import ContextVar

APP: ContextVar[str] = ContextVar("app", default="")
"""The app that calls are made for; empty: the domain of the host stands for it."""


def party_of(host: str) -> str:
    """Return the app that a call to a host is made for, or the last two labels of its name."""
    return APP.get() or ".".join(host.rstrip(".").rsplit(".", 2)[-2:])
