"""CORS: pages of any origin may call with a user's token, but not with a key.

The interface uses no cookies, so `Access-Control-Allow-Origin: *` exposes no session.
"""

from typing import Any

ALLOWED_HEADERS = "appId, authToken, Content-Type, Idempotency-Key, onBehalfOf, X-Request-Id"
EXPOSED_HEADERS = (
    "X-Request-Id, Retry-After, Idempotent-Replayed,"
    " X-Rate-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset"
)
METHODS = "GET, POST, PUT, PATCH, DELETE"
MAX_AGE_SECONDS = "7200"
KEYS = ("apikey", "key", "secret")


def answer_preflight(req: Any, resp: Any) -> None:
    """Answer a preflight request; it is refused if the request would send a key."""
    requested = (req.context.header("access-control-request-headers") or "").lower()
    resp.complete = True
    resp.status = 204
    resp.set_header("Allow", METHODS)
    if not req.context.header("origin"):
        return
    names = {name.strip() for name in requested.split(",")}
    if not names.isdisjoint(KEYS):
        resp.status = 403
        return
    resp.set_header("Access-Control-Allow-Methods", METHODS)
    resp.set_header("Access-Control-Allow-Headers", ALLOWED_HEADERS)
    resp.set_header("Access-Control-Max-Age", MAX_AGE_SECONDS)


def allow(req: Any, resp: Any) -> None:
    """Allow a page to read the answer, unless the request has a key."""
    header = req.context.header
    if not header("origin") or any(header(name) for name in KEYS):
        return
    if req.method == "OPTIONS" and resp.status_code == 403:
        return
    resp.set_header("Access-Control-Allow-Origin", "*")
    resp.set_header("Access-Control-Expose-Headers", EXPOSED_HEADERS)
    resp.append_header("Vary", "Origin")
