"""Pages that may open sockets, and what the others are told.

A browser hides from a page why a handshake was refused. So the handshake of such a page is
accepted, and its socket closed at once, with a code and a reason that the page can show.
"""

import ipaddress
from urllib.parse import urlsplit

import structlog

from hubbub.config import ANY, LOOPBACK
from hubbub.http.server.websocket import WebSocket
from hubbub.kernel.measures import SocketMeasures
from hubbub.realtime.protocol.close_codes import ORIGIN_REFUSED

log = structlog.get_logger()

MOST_LOGGED = 100
"""After so many refused origins no further ones are logged."""


class Origins:
    """The origins whose pages may open sockets, as `HUBBUB_REALTIME_ORIGINS` has them."""

    def __init__(self, setting: str) -> None:
        named = {each.strip().lower() for each in setting.split(",") if each.strip()}
        self._is_any, self._is_loopback = ANY in named, LOOPBACK in named
        self._listed = named - {ANY, LOOPBACK}
        self._logged: set[str] = set()

    def allow(self, origin: str, host: str) -> bool:
        """Return whether pages of an origin may open sockets on a host; programs have none."""
        if not origin or self._is_any or origin in self._listed:
            return True
        try:
            page = urlsplit(origin)
        except ValueError:  # not a URL, such as http://[
            return False
        if self._is_loopback and is_loopback(page.hostname or ""):
            return True
        return not self._listed and page.netloc == host

    def log(self, origin: str) -> None:
        """Log once that pages of an origin are refused."""
        if origin not in self._logged and len(self._logged) < MOST_LOGGED:
            self._logged.add(origin)
            log.warning("origin_refused", origin=origin)


def is_loopback(host: str) -> bool:
    """Return whether a host name is that of this machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class Refused:
    """The receiver of a socket that is closed at once: a page of its origin may open none."""

    def __init__(self, origin: str, measures: SocketMeasures) -> None:
        self._origin = origin
        self._measures = measures

    def begin(self, socket: WebSocket) -> None:
        # The reason of a close frame has 123 bytes at most (RFC 6455, section 5.5).
        name = self._origin[:60].encode("ascii", "replace").decode()
        socket.close(ORIGIN_REFUSED, f"HUBBUB_REALTIME_ORIGINS does not name {name}.")
        self._measures.closes[str(ORIGIN_REFUSED)] += 1

    def receive(self, message: bytes) -> None:
        """Ignore what was sent before the end."""

    def hear(self) -> None:
        """Ignore a sign of life."""

    def stop(self) -> None:
        """Stop: it is closed already."""

    def end(self) -> None:
        """End."""
