"""Who may have a token of a demo person: pages of this server, in a browser on this machine."""

from urllib.parse import urlsplit

from hubbub.http.request import Request
from hubbub.http.rules import is_loopback
from hubbub.kernel.errors import Forbidden

HOSTS = {"127.0.0.1", "::1", "localhost"}
FORWARDED = (
    b"cf-connecting-ip",
    b"client-ip",
    b"forwarded",
    b"true-client-ip",
    b"via",
    b"x-client-ip",
    b"x-cluster-client-ip",
    b"x-forwarded-for",
    b"x-forwarded-host",
    b"x-forwarded-port",
    b"x-forwarded-proto",
    b"x-forwarded-server",
    b"x-original-host",
    b"x-real-ip",
    b"x-request-start",
)
"""Headers by which proxies say that they pass on a request of somebody else."""


class NotOfThisMachine(Forbidden):
    """Somebody else than a page of the demo, opened on this machine, asks for its people."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"Only the demo chat, opened in a browser on this machine, may do this: {reason}.",
            dev_message="Open /demo at 127.0.0.1 or localhost, on the machine that serves it.",
        )


def check_caller(request: Request, *, has_proxies: bool) -> None:
    """Refuse a request that a page of this server on this machine has not made.

    `has_proxies` says that the node serves others through proxies.

    Raises:
        NotOfThisMachine: it has not, or it can't be told.
    """
    if not request.client or not is_loopback(request.client):
        raise NotOfThisMachine("the request comes from another machine")
    if has_proxies or any(name in request.headers for name in FORWARDED):
        raise NotOfThisMachine("the request comes through a proxy")
    if (request.header(b"connection") or "").lower() == "close":
        # A proxy of nginx that is told nothing else says so, and names this machine as the host.
        # No browser does.
        raise NotOfThisMachine("the request comes through a proxy, or is not made by a page")
    # A name of somebody else that leads here, by which their page would be of the same origin.
    host = request.header(b"host") or ""
    if not _is_own(host):
        raise NotOfThisMachine("the header Host is not this machine")
    own = f"{'https' if request.is_secure else 'http'}://{host}"
    origin, site = request.header(b"origin"), request.header(b"sec-fetch-site")
    if origin is None and (site is None or request.method != "GET"):
        raise NotOfThisMachine("the request is not made by a page")
    if origin not in (None, own) or site not in (None, "same-origin"):
        raise NotOfThisMachine("the request is made by a page of another origin")


def _is_own(host: str) -> bool:
    """Return whether a header Host names this machine."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname in HOSTS and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
