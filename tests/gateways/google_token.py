"""Google's token endpoint for service accounts (RFC 7523)."""

import json
from base64 import urlsafe_b64decode
from typing import Any, ClassVar
from urllib.parse import parse_qs

from aiohttp import web
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from tests.clock import ManualClock
from tests.gateways.faults import LOST, RESET, Fault, Refused
from tests.gateways.http import HttpGateway

GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
LONGEST_ASSERTION = 3600
MOST_SKEW = 300
PATH = "/token"


def _error(error: str, description: str) -> dict[str, str]:
    return {"error": error, "error_description": description}


class GoogleTokenGateway(HttpGateway):
    """Gives access tokens to service accounts, whose keys it knows by their e-mail address."""

    ERRORS: ClassVar = {
        "invalid_grant": Fault(400, _error("invalid_grant", "Invalid JWT Signature.")),
        "invalid_scope": Fault(400, _error("invalid_scope", "Invalid OAuth scope or ID token.")),
        "invalid_request": Fault(400, _error("invalid_request", "Missing parameter.")),
        "unsupported_grant_type": Fault(
            400, _error("unsupported_grant_type", "Invalid grant_type.")
        ),
        "unauthorized_client": Fault(
            401, _error("unauthorized_client", "Client is unauthorized to retrieve access tokens.")
        ),
        "disabled_client": Fault(401, _error("disabled_client", "The OAuth client was disabled.")),
        "access_denied": Fault(403, _error("access_denied", "The account is restricted.")),
        "404": Fault(404, "not found"),
        "429": Fault(429, _error("rate_limit_exceeded", "Too many."), {"Retry-After": "30"}),
        "500": Fault(500, _error("internal_failure", "Internal.")),
        "503": Fault(503, "Service Unavailable", {"Retry-After": "5"}),
        "garbage": Fault(200, "<html>"),
    }
    PASSING: ClassVar = ("429", "500", "503", RESET, LOST)

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self.clock = clock
        self.keys: dict[str, tuple[str, RSAPublicKey]] = {}
        """By the e-mail address: the id of the key, and the key."""
        self.expires_in = 3599
        self.ends: dict[str, int] = {}
        """When each token that was given ends."""

    @property
    def token_url(self) -> str:
        """Return the address of the endpoint."""
        return self.url + PATH

    def is_known(self, token: str) -> bool:
        """Return whether a token was given, and has not ended."""
        return self.ends.get(token, 0) > self.clock.now()

    def revoke(self) -> None:
        """End all tokens."""
        self.ends.clear()

    async def accept(self, request: web.BaseRequest, body: bytes) -> web.Response:
        if request.path != PATH or request.method != "POST":
            raise Refused("404", request.path)
        form = parse_qs(body.decode(), strict_parsing=True)
        if form.get("grant_type") != [GRANT]:
            raise Refused("unsupported_grant_type")
        self._check(form.get("assertion", [""])[0])
        token = f"ya29.{len(self.received)}" + "x" * 200
        self.received.append(token)
        self.ends[token] = self.clock.now() + self.expires_in
        given = {"access_token": token, "expires_in": self.expires_in, "token_type": "Bearer"}
        return web.json_response(given)

    def _check(self, assertion: str) -> None:
        header, claims, signature, signed = read_jwt(assertion, "invalid_request")
        key_id, key = self.keys.get(claims.get("iss", ""), ("", None))
        if key is None or header != {"alg": "RS256", "typ": "JWT", "kid": key_id}:
            raise Refused("invalid_grant", "issuer or key")
        try:
            key.verify(signature, signed, PKCS1v15(), SHA256())
        except InvalidSignature:
            raise Refused("invalid_grant", "signature") from None
        if claims.get("aud") != self.token_url:
            raise Refused("invalid_grant", "audience")
        if claims.get("scope") != SCOPE:
            raise Refused("invalid_scope")
        now, begins, ends = self.clock.now(), claims.get("iat", 0), claims.get("exp", 0)
        if not begins - MOST_SKEW <= now < ends <= begins + LONGEST_ASSERTION:
            raise Refused("invalid_grant", "time")


def read_jwt(token: str, error: str) -> tuple[dict[str, Any], dict[str, Any], bytes, bytes]:
    """Return the header, the claims and the signature of a token, and what was signed.

    Raises:
        Refused: it is not a token; `error` is answered.
    """
    try:
        header, claims, signature = (
            urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in token.split(".")
        )
        signed = token.rpartition(".")[0].encode()
        return json.loads(header), json.loads(claims), signature, signed
    except ValueError:
        raise Refused(error, "not a token") from None
