"""The rules that every request obeys before it is routed: size of headers, HTTPS, CORS.

CORS: pages of any origin may call with a user's token, but not with a key. The interface uses no
cookies, so `Access-Control-Allow-Origin: *` exposes no session. The console does; it is for its own
pages alone.
"""

import ipaddress
from functools import lru_cache

from hubbub.config import Settings, split_list
from hubbub.http.answer import Answer
from hubbub.http.errors import error_answer
from hubbub.http.request import HEADERS_TOO_LARGE, LARGEST_HEADERS, Request
from hubbub.kernel.errors import BadInput, Forbidden

ALLOWED_HEADERS = "appId, authToken, Content-Type, Idempotency-Key, onBehalfOf, X-Request-Id"
EXPOSED_HEADERS = (
    "X-Request-Id, Retry-After, Idempotent-Replayed, Hubbub-Ignored,"
    " X-Rate-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset"
)
METHODS = "GET, POST, PUT, PATCH, DELETE"
MAX_AGE_SECONDS = "7200"
KEYS = (b"apikey", b"key", b"secret")
HEALTH = b"/health/"
METRICS = b"/metrics"
"""Read by monitoring, never by pages of other origins; it has its own rule of who may."""
CONSOLE, PORTAL = b"/console", b"/portal"


class HttpsRequired(Forbidden):
    """The request came over HTTP."""

    code = "ERR_HTTPS_REQUIRED"

    def __init__(self) -> None:
        super().__init__(
            "This server is reached over HTTPS only.",
            dev_message=(
                "Start it with --tls-cert and --tls-key, or name the proxy that ends TLS in "
                "HUBBUB_TRUSTED_PROXIES and have it send X-Forwarded-Proto: https."
            ),
        )


class Rules:
    """The rules, as the settings of the node have them.

    HTTPS is TLS to this node, or to a trusted proxy that reports it. Clients on this machine need
    none.
    """

    def __init__(self, settings: Settings) -> None:
        self._proxies = frozenset(split_list(settings.trusted_proxies))
        self._allows_loopback = settings.allow_loopback_http

    def check(self, request: Request) -> Answer | None:
        """Return the answer to a request that is not to be routed, or None.

        Raises:
            HttpsRequired: it came over HTTP, and not from this machine.
            BadInput: it does not say to which host it goes.
        """
        if request.host_fault:
            raise BadInput.field("Host", request.host_fault)
        if request.header_bytes > LARGEST_HEADERS:
            return error_answer(431, "ERR_BAD_REQUEST", HEADERS_TOO_LARGE)
        # A load balancer asks for the health over HTTP, and shows no key. So does a Prometheus in a
        # network that the operator has named.
        if not (request.is_secure or request.path.startswith(HEALTH) or request.path == METRICS):
            self._check_http(request)
        if request.method == "OPTIONS" and request.path != METRICS:
            return answer_preflight(request)
        return None

    def _check_http(self, request: Request) -> None:
        if request.client in self._proxies:
            forwarded = request.header(b"x-forwarded-proto") or ""
            if forwarded.partition(",")[0].strip().lower() == "https":
                return
            raise HttpsRequired
        if not (self._allows_loopback and is_loopback(request.client)):
            raise HttpsRequired


@lru_cache(maxsize=1024)
def is_loopback(address: str) -> bool:
    """Return whether `address` is this machine; an empty one is a Unix socket or a test."""
    if not address:
        return True
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)  # a socket for both families shows IPv4 so
    return (mapped or found).is_loopback


def answer_preflight(request: Request) -> Answer:
    """Return the answer to a preflight request; it is refused if the request would send a key."""
    answer = Answer(status=204)
    answer.set_header("Allow", METHODS)
    if not request.headers.get(b"origin"):
        return answer
    requested = (request.header(b"access-control-request-headers") or "").lower()
    names = {name.strip().encode() for name in requested.split(",")}
    if not names.isdisjoint(KEYS):
        answer.status = 403
        return answer
    answer.set_header("Access-Control-Allow-Methods", METHODS)
    answer.set_header("Access-Control-Allow-Headers", ALLOWED_HEADERS)
    answer.set_header("Access-Control-Max-Age", MAX_AGE_SECONDS)
    return answer


def _is_for_own_pages(path: bytes) -> bool:
    return path in (METRICS, CONSOLE) or path.startswith((CONSOLE + b"/", PORTAL + b"/"))


def allow_origin(request: Request, answer: Answer) -> None:
    """Allow a page to read the answer, unless the request has a key."""
    headers = request.headers
    if not headers.get(b"origin") or any(headers.get(name) for name in KEYS):
        return
    if _is_for_own_pages(request.path) or (request.method == "OPTIONS" and answer.status == 403):
        return
    answer.set_header("Access-Control-Allow-Origin", "*")
    answer.set_header("Access-Control-Expose-Headers", EXPOSED_HEADERS)
    answer.set_header("Vary", "Origin")
