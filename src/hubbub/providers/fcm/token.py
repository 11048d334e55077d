"""Access tokens of Google for a service account (RFC 7523): a signed assertion is exchanged."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from hubbub.outbound.answer import Response
from hubbub.outbound.errors import NotReached
from hubbub.providers.calls import ProviderCaller, clean, read_json
from hubbub.providers.interface import Result, SendOutcome
from hubbub.providers.jwt import sign_jwt
from hubbub.providers.tokens import NoToken, Token
from hubbub.records.notifications.setups import ServiceAccount

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
ASSERTION_SECONDS = 3600
EARLIER_SECONDS = 300.0
"""A token is replaced so long before it ends."""
SUCCESS = 200
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class _Granted(msgspec.Struct):
    access_token: str
    expires_in: float = 3600.0


class _Denied(msgspec.Struct):
    error: str
    error_description: str = ""


_read_granted = msgspec.json.Decoder(_Granted).decode
_read_denied = msgspec.json.Decoder(_Denied).decode


class GoogleTokens:
    """Gets access tokens for a service account."""

    def __init__(self, caller: ProviderCaller, account: ServiceAccount, url: str) -> None:
        self._caller = caller
        self._account = account
        self._url = url

    async def make(self) -> Token:
        """Return a new access token.

        Raises:
            NoToken: the endpoint does not give one now, or refuses the account.
        """
        form = urlencode({"grant_type": GRANT, "assertion": self._sign_assertion()}).encode()
        try:
            answer = await self._caller.outbound.post(
                self._url, form, FORM, seconds=self._caller.timeout_seconds
            )
        except NotReached as failure:
            raise NoToken(Result(SendOutcome.LATER, clean(f"No token: {failure}"))) from None
        if answer.status != SUCCESS:
            raise NoToken(self._judge(answer))
        granted = read_json(answer, _read_granted, _Granted(""))
        if not _is_token(granted.access_token):
            raise NoToken(
                Result(SendOutcome.LATER, "No token: the answer of the endpoint has none.")
            )
        lasts = max(0.0, granted.expires_in)
        return Token(granted.access_token, max(lasts - EARLIER_SECONDS, lasts / 2))

    def _judge(self, answer: Response) -> Result:
        """Return what becomes of pushes for which there is no token."""
        denied = read_json(answer, _read_denied, _Denied(""))
        said = ": ".join(filter(None, (denied.error, denied.error_description)))
        reason = f"No token: {said or f'the endpoint answered with the status {answer.status}.'}"
        return self._caller.judge(answer, clean(reason, self._account.private_key))

    def _sign_assertion(self) -> str:
        """Return the assertion that is exchanged.

        Raises:
            NoToken: the key of the account can't sign.
        """
        account, now = self._account, self._caller.clock.now()
        header = {"alg": "RS256", "typ": "JWT", "kid": account.private_key_id}
        claims = {
            "iss": account.client_email,
            "scope": SCOPE,
            "aud": self._url,
            "iat": now,
            "exp": now + ASSERTION_SECONDS,
        }
        return sign_jwt(header, claims, _signer(account.private_key or ""))


def _signer(pem: str) -> Callable[[bytes], bytes]:
    try:
        key = load_pem_private_key(pem.encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPrivateKey):
        raise NoToken(Result(SendOutcome.REFUSED, "No token: private_key is not an RSA key."))
    return partial(key.sign, padding=PKCS1v15(), algorithm=SHA256())


def _is_token(text: str) -> bool:
    """Return whether a text can be sent in a header."""
    return bool(text) and text.isascii() and text.isprintable() and " " not in text
