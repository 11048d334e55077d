"""Provider tokens of APNs: signed here with the key of a team."""

from functools import partial

from hubbub.kernel.clock import Clock
from hubbub.providers.interface import Result, SendOutcome
from hubbub.providers.jwt import load_p256_key, sign_es256, sign_jwt
from hubbub.providers.tokens import NoToken, Token
from hubbub.records.notifications.setups import ApnsSetup

USE_SECONDS = 40 * 60.0
"""APNs takes a token for an hour, and refuses new ones that come sooner than after 20 minutes."""


class ProviderTokens:
    """Signs provider tokens."""

    def __init__(self, clock: Clock, setup: ApnsSetup) -> None:
        self._clock = clock
        self._setup = setup

    async def make(self) -> Token:
        """Return a new token.

        Raises:
            NoToken: the key can't sign.
        """
        setup = self._setup
        key = load_p256_key(setup.p8_key or "")
        if key is None:
            raise NoToken(Result(SendOutcome.REFUSED, "No token: p8Key is not an EC key of P-256."))
        header = {"alg": "ES256", "kid": setup.key_id}
        claims = {"iss": setup.team_id, "iat": self._clock.now()}
        return Token(sign_jwt(header, claims, partial(sign_es256, key)), USE_SECONDS)
