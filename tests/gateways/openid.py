"""An OpenID provider with one client: authorization code flow with PKCE (RFC 7636), over TLS."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar
from urllib.parse import parse_qs, quote_plus, urlencode, urlsplit

from aiohttp import web
from tests.api.identity.idp import jwk_of, new_key, sign
from tests.clock import ManualClock
from tests.gateways.faults import Fault, Refused
from tests.gateways.http import HttpGateway, basic_auth

CLIENT, SECRET = "console:1", "it's a secret + more"
CODE_SECONDS = 60
NEEDED = ("scope", "state", "nonce", "code_challenge")


@dataclass(frozen=True, slots=True)
class Grant:
    """What a code is redeemed for."""

    back: str
    nonce: str
    challenge: str
    claims: Mapping[str, Any]
    ends_at: int


class OpenIdGateway(HttpGateway):
    """Gives ID tokens for codes, to its one client."""

    ERRORS: ClassVar = {
        "invalid_grant": Fault(400, {"error": "invalid_grant"}),
        "invalid_client": Fault(401, {"error": "invalid_client"}),
        "404": Fault(404, "not found"),
        "500": Fault(500, "<html>"),
        "garbage": Fault(200, "<html>"),
        "no token": Fault(200, {"access_token": "x"}),
    }

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self.clock = clock
        self.back = ""
        """The only address to which it leads back."""
        self.key, self.algorithm, self.kid = new_key("RS256"), "RS256", "k1"
        self.is_lax = False
        """Whether a code can be redeemed more than once."""
        self.published: dict[str, Any] = {}
        """What its metadata has in place of the usual."""
        self.id_token = ""
        """What is given in place of the usual ID token."""
        self.grants: dict[str, Grant] = {}

    @property
    def issuer(self) -> str:
        """Return by which address it names itself."""
        return f"{self.url}/idp"

    def rotate(self, algorithm: str = "RS256") -> None:
        """Take another key."""
        self.key, self.algorithm = new_key(algorithm), algorithm
        self.kid = f"k{int(self.kid[1:]) + 1}"

    def authorize(self, address: str, email: str = "", /, **claims: Any) -> str:
        """Return where the browser of a person is led who proves at `address` who they are."""
        assert address.startswith(f"{self.issuer}/authorize?from=test&"), address
        asked = parse_qs(urlsplit(address).query)
        assert all(len(values) == 1 for values in asked.values())
        assert asked["response_type"] == ["code"]
        assert asked["client_id"] == [CLIENT]
        assert asked["redirect_uri"] == [self.back]
        assert asked["code_challenge_method"] == ["S256"]
        assert "openid" in asked["scope"][0].split()
        _, state, nonce, challenge = (asked[name][0] for name in NEEDED)
        person = {"email": email, "email_verified": True} if email else {}
        code = f"code {len(self.grants)}+"
        ends_at = self.clock.now() + CODE_SECONDS
        self.grants[code] = Grant(self.back, nonce, challenge, {**person, **claims}, ends_at)
        return f"{self.back}?{urlencode({'code': code, 'state': state, 'iss': self.issuer})}"

    def claims(self, nonce: str, **changed: Any) -> dict[str, Any]:
        """Return the claims of an ID token; one that is None is left out."""
        now = self.clock.now()
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "248289761001",
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
        }
        return {name: value for name, value in {**claims, **changed}.items() if value is not None}

    async def accept(self, request: web.BaseRequest, body: bytes) -> web.Response:
        asked = f"{request.method} {request.path}"
        if asked == "GET /idp/.well-known/openid-configuration":
            return web.json_response(self._metadata())
        if asked == "GET /idp/keys":
            return web.json_response({"keys": [jwk_of(self.key, self.kid, self.algorithm)]})
        if asked != "POST /idp/token":
            raise Refused("404", asked)
        form = {name: each[0] for name, each in parse_qs(body.decode()).items()}
        self._check_client(request.headers.get("Authorization", ""), form)
        claims = self.claims(**self._redeem(form))
        token = self.id_token or sign(claims, self.key, self.algorithm, {"kid": self.kid})
        given = {"access_token": "x", "token_type": "Bearer", "id_token": token}
        return web.json_response(given)

    def _metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize?from=test",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [self.algorithm],
            **self.published,
        }

    def _check_client(self, authorization: str, form: Mapping[str, str]) -> None:
        ways = self.published.get("token_endpoint_auth_methods_supported")
        if ways == ["client_secret_post"]:
            is_known = (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)
        else:
            is_known = authorization == basic_auth(quote_plus(CLIENT), quote_plus(SECRET))
        if not is_known:
            raise Refused("invalid_client")

    def _redeem(self, form: Mapping[str, str]) -> dict[str, Any]:
        code = form.get("code", "")
        grant = self.grants.get(code)
        if grant is None or form.get("grant_type") != "authorization_code":
            raise Refused("invalid_grant", "code")
        if not self.is_lax:
            del self.grants[code]
            self.grants[f"used {code}"] = grant
        digest = sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if challenge != grant.challenge or form.get("redirect_uri") != grant.back:
            raise Refused("invalid_grant", "verifier or redirect_uri")
        if grant.ends_at <= self.clock.now():
            raise Refused("invalid_grant", "time")
        return {"nonce": grant.nonce, **grant.claims}
