"""The OpenID provider by which operators sign in: what it publishes, and what it says of a person.

OpenID Connect Core 1.0 and Discovery 1.0, by the authorization code flow alone.
"""

import asyncio
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from typing import Any, TypeVar
from urllib.parse import quote_plus, urlencode

import msgspec

from hubbub.domain.access.credentials import AuthTokenUnknown
from hubbub.domain.identity.authenticate import check_published
from hubbub.domain.identity.keys import KeysNotFetched
from hubbub.domain.identity.read_jwt import check_parties, read_jwt
from hubbub.kernel.errors import BadInput, NotAuthenticated, Unavailable
from hubbub.outbound.client import HTTPS, check_url
from hubbub.outbound.errors import NotReached
from hubbub.records.operators.model import check_name
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

WELL_KNOWN = "/.well-known/openid-configuration"
CALL_SECONDS = 5.0
FRESH_SECONDS = 300.0
"""What the provider publishes is fetched again after so long."""
PAUSE_SECONDS = 10.0
"""So long after a fetch that failed there is no other one."""
LARGEST_ANSWER = 64 * 1024
FORM = "application/x-www-form-urlencoded"
BASIC, IN_FORM = "client_secret_basic", "client_secret_post"
DONE = 200
_ERROR = re.compile(r"[a-z_]{1,40}")
"""The codes of errors of OAuth; nothing else of what strangers may send is recorded."""
Read = TypeVar("Read")


class OpenIdRefused(NotAuthenticated):
    """What a provider or a browser shows signs nobody in; `reason` is for the audit log alone."""

    def __init__(self, reason: str, *, name: str = "") -> None:
        super().__init__(
            "Nobody is signed in by the identity provider. Try again; if it goes on, whoever runs"
            " this server finds the reason in the audit log."
        )
        self.reason = reason
        self.name = name
        """Whom the provider names; empty if that is not proven."""


class OpenIdNotReached(Unavailable):
    """The provider does not answer as one does; `reason` is for the audit log alone."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The identity provider can't be reached at the moment. Try again shortly.",
            retry_after_seconds=round(PAUSE_SECONDS),
        )
        self.reason = reason
        self.name = ""


class Published(msgspec.Struct, frozen=True):
    """What the provider publishes of itself (OpenID Connect Discovery 1.0, 3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = (BASIC,)


class _Tokens(msgspec.Struct):
    id_token: str


class _OAuthError(msgspec.Struct):
    error: str


def describe_error(code: str) -> str:
    """Return a code of an error as it may be recorded."""
    return code if _ERROR.fullmatch(code) else "an error"


class OpenIdProvider:
    """The provider of the settings, as this node knows it."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._settings = runtime.settings
        self._published: Published | None = None
        self._fetched_at = 0.0
        self._failed_at: float | None = None
        self._failure = ""
        self._fetching = asyncio.Lock()

    @property
    def issuer(self) -> str:
        return self._settings.openid_issuer

    async def find_address(self, back: str, state: str, nonce: str, verifier: str) -> str:
        """Return the address at which the provider asks who somebody is, and then leads `back`.

        Raises:
            OpenIdNotReached: the provider does not say it.
        """
        published = await self._find()
        is_email = self._settings.openid_claim == "email"
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=")
        asked = {
            "response_type": "code",
            "client_id": self._settings.openid_client_id,
            "redirect_uri": back,
            "scope": "openid email" if is_email else "openid email profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge.decode(),
            "code_challenge_method": "S256",
        }
        address = published.authorization_endpoint.partition("#")[0]
        return f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}"

    async def redeem(self, code: str, back: str, verifier: str) -> str:
        """Return the ID token that the provider gives for a code, not verified yet.

        Raises:
            OpenIdRefused: it gives none.
            OpenIdNotReached: it does not answer.
        """
        published = await self._find()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": back,
            "code_verifier": verifier,
        }
        headers = {"Content-Type": FORM, "Accept": "application/json"}
        client, secret = self._settings.openid_client_id, self._settings.openid_client_secret
        ways = published.token_endpoint_auth_methods_supported
        if BASIC not in ways and IN_FORM in ways:
            form |= {"client_id": client, "client_secret": secret}
        else:  # RFC 6749, 2.3.1: both are encoded as in a form
            pair = f"{quote_plus(client)}:{quote_plus(secret)}".encode()
            headers["Authorization"] = f"Basic {b64encode(pair).decode()}"
        try:
            answer = await self._runtime.outbound.post_once(
                published.token_endpoint,
                urlencode(form).encode(),
                headers,
                seconds=CALL_SECONDS,
                keeps=False,
            )
        except NotReached as failure:
            raise OpenIdNotReached(f"The code can't be redeemed: {failure.detail}") from None
        if answer.status != DONE:
            found = _read(answer.body, _OAuthError)
            said = "" if found is None else f" ({describe_error(found.error)})"
            raise OpenIdRefused(f"The code is refused: status {answer.status}{said}.")
        tokens = _read(answer.body, _Tokens)
        if tokens is None:
            raise OpenIdRefused("The answer to the code has no ID token.")
        return tokens.id_token

    async def identify(self, id_token: str, nonce: str) -> str:
        """Return the name that an ID token claims for whoever it is about.

        Raises:
            OpenIdRefused: it is not by this provider, for this sign-in, or names nobody.
            OpenIdNotReached: the keys of the provider can't be fetched.
        """
        published = await self._find()
        client, now = self._settings.openid_client_id, self._runtime.clock.now()
        try:
            jwt = read_jwt(id_token)
            check_parties(jwt.claims, self.issuer, client, now)
            await check_published(self._runtime, INSTALLATION, published.jwks_uri, jwt)
        except AuthTokenUnknown as refusal:
            raise OpenIdRefused(f"The ID token is not accepted. {refusal.message}") from None
        except KeysNotFetched:
            held = self._runtime.key_sets.find(INSTALLATION)
            why = held.failure if held is not None else ""
            raise OpenIdNotReached(f"The provider's keys can't be fetched. {why}") from None
        _check_party(jwt.claims, client)
        if not _is_same(jwt.claims.get("nonce"), nonce):
            raise OpenIdRefused("The ID token is of another sign-in (nonce).")
        return _name_in(jwt.claims, self._settings.openid_claim)

    async def _find(self) -> Published:
        """Return what the provider publishes, fetched once by whoever needs it first.

        Raises:
            OpenIdNotReached: it can't be fetched.
        """
        async with self._fetching:
            now = self._runtime.clock.monotonic()
            if self._published is not None and now - self._fetched_at < FRESH_SECONDS:
                return self._published
            if self._failed_at is not None and now - self._failed_at < PAUSE_SECONDS:
                raise OpenIdNotReached(self._failure)
            try:
                self._published = self._check(await self._download())
            except NotReached as failure:
                self._published, self._failed_at = None, now
                self._failure = f"What the provider publishes can't be fetched: {failure.detail}"
                raise OpenIdNotReached(self._failure) from None
            self._fetched_at, self._failed_at = now, None
            return self._published

    async def _download(self) -> bytes:
        content = bytearray()
        url = self.issuer.rstrip("/") + WELL_KNOWN
        async with self._runtime.outbound.download(url, seconds=CALL_SECONDS) as pieces:
            async for piece in pieces:
                content += piece
                if len(content) > LARGEST_ANSWER:
                    raise NotReached(f"The answer has more than {LARGEST_ANSWER:,} bytes.")
        return bytes(content)

    def _check(self, content: bytes) -> Published:
        published = _read(content, Published)
        if published is None:
            raise NotReached("The answer is no OpenID Provider Metadata.")
        if published.issuer != self.issuer:
            raise NotReached("The answer is that of another issuer.")
        for url in (published.token_endpoint, published.jwks_uri):
            self._runtime.outbound.check_stored(url)
        # The browser goes there, not this node: it may be an address that only people can reach.
        scheme = check_url(published.authorization_endpoint)
        if scheme not in {HTTPS, check_url(self.issuer)}:
            raise NotReached("The authorization endpoint has no TLS.")
        return published


def _read(content: bytes, kind: type[Read]) -> Read | None:
    """Return a JSON object of an answer; None if it is none of that kind."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _check_party(claims: Mapping[str, Any], client: str) -> None:
    """Check to whom an ID token was given, if it is for several (OpenID Connect Core 1.0, 3.1.3.7).

    Raises:
        OpenIdRefused: not to the console.
    """
    audience = claims.get("aud")
    is_for_several = isinstance(audience, list) and len(audience) > 1
    if claims.get("azp", None if is_for_several else client) != client:
        raise OpenIdRefused("The ID token was given to another party (azp).")


def _is_same(claimed: object, nonce: str) -> bool:
    return isinstance(claimed, str) and compare_digest(
        claimed.encode("utf-8", "replace"), nonce.encode()
    )


def _name_in(claims: Mapping[str, Any], claim: str) -> str:
    """Return the name of an operator that a claim is.

    Raises:
        OpenIdRefused: it is none, or an e-mail address that the provider has not verified.
    """
    value = claims.get(claim)
    if not isinstance(value, str) or not value.isascii():
        raise OpenIdRefused(f"The ID token has no claim {claim} that is a name.")
    if claim == "email":
        if claims.get("email_verified") is not True:
            raise OpenIdRefused("The e-mail address in the ID token is not verified.")
        value = value.lower()
    try:
        name = check_name(value)
    except BadInput:
        name = ""
    # Names have no capitals; whether Anna is anna is up to the provider.
    if name != value:
        raise OpenIdRefused(f"The claim {claim} is not the name of an operator.")
    return name
