"""Which pages of other origins may call: those with a user's token may, keys stay on servers.

The interface uses no cookies, so an open `Access-Control-Allow-Origin` gives nobody's session away.
"""

from typing import Any

ALLOWED_HEADERS = "appId, authToken, Content-Type, Idempotency-Key, onBehalfOf, X-Request-Id"
EXPOSED_HEADERS = (
    "X-Request-Id, Retry-After, Idempotent-Replayed,"
    " X-Rate-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset"
)
METHODS = "GET, POST, PUT, PATCH, DELETE"
KEPT_SECONDS = "7200"
KEYS = ("apikey", "key", "secret")


def answer_preflight(req: Any, resp: Any) -> None:
    """Answer a browser's question whether it may send a request; one for keys is refused."""
    asked = (req.context.header("access-control-request-headers") or "").lower()
    resp.complete = True
    resp.status = 204
    resp.set_header("Allow", METHODS)
    if not req.context.header("origin"):
        return
    names = {name.strip() for name in asked.split(",")}
    if not names.isdisjoint(KEYS):
        resp.status = 403
        return
    resp.set_header("Access-Control-Allow-Methods", METHODS)
    resp.set_header("Access-Control-Allow-Headers", ALLOWED_HEADERS)
    resp.set_header("Access-Control-Max-Age", KEPT_SECONDS)


def allow(req: Any, resp: Any) -> None:
    """Let a page read the answer to a request that shows no key."""
    header = req.context.header
    if not header("origin") or any(header(name) for name in KEYS):
        return
    if req.method == "OPTIONS" and resp.status_code == 403:
        return
    resp.set_header("Access-Control-Allow-Origin", "*")
    resp.set_header("Access-Control-Expose-Headers", EXPOSED_HEADERS)
    resp.append_header("Vary", "Origin")
