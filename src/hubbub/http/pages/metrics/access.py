"""Who may read the metrics: this machine and named networks, and with a token if there is one."""

from hmac import compare_digest

from hubbub.config import Settings
from hubbub.http.answer import Answer
from hubbub.http.errors import error_answer
from hubbub.http.request import Request
from hubbub.http.rules import is_loopback
from hubbub.outbound.addresses import parse_rule

CODE = "AUTH_ERR_NO_ACCESS"
FORWARDED = (
    b"x-forwarded-for",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"x-real-ip",
    b"forwarded",
    b"via",
)
"""Headers of requests that came through a proxy, whose address says nothing about the reader."""


class MetricsAccess:
    """The rule, as the settings of the node have it.

    Raises:
        BadSetting: the networks that may read the metrics are none.
    """

    def __init__(self, settings: Settings) -> None:
        self._networks = parse_rule(settings.metrics_allow, "HUBBUB_METRICS_ALLOW")
        self._token = settings.metrics_token.encode()

    def refuse(self, request: Request) -> Answer | None:
        """Return the answer to a reader who may not read the metrics, or None."""
        client = request.client
        if not (is_loopback(client) or self._networks.is_allowed(client)):
            message = "Metrics are read from this machine, and from HUBBUB_METRICS_ALLOW."
            return error_answer(403, CODE, message)
        if self._token:
            return None if self._has_token(request) else _ask_for_token()
        if any(name in request.headers for name in FORWARDED):
            message = "Metrics are read through a proxy only if HUBBUB_METRICS_TOKEN is set."
            return error_answer(403, CODE, message)
        return None

    def _has_token(self, request: Request) -> bool:
        scheme, _, token = request.headers.get(b"authorization", b"").partition(b" ")
        return compare_digest(token.strip(), self._token) and scheme.lower() == b"bearer"


def _ask_for_token() -> Answer:
    message = "Metrics are read with HUBBUB_METRICS_TOKEN: Authorization: Bearer <token>."
    answer = error_answer(401, CODE, message)
    answer.set_header("WWW-Authenticate", 'Bearer realm="metrics"')
    return answer
