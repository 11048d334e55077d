"""Say who sends: a token signed for each push service (VAPID, RFC 8292)."""

from dataclasses import dataclass
from functools import partial

from hubbub.kernel.clock import Clock
from hubbub.providers.interface import Result, SendOutcome
from hubbub.providers.jwt import encode_base64, load_p256_key, sign_es256, sign_jwt
from hubbub.providers.tokens import NoToken
from hubbub.providers.webpush.encryption import to_point
from hubbub.records.notifications.setups import WebPushSetup

HEADER = {"typ": "JWT", "alg": "ES256"}
VALID_SECONDS = 12 * 3600
"""At most a day is allowed."""
USED_SECONDS = VALID_SECONDS - 3600
MOST_KEPT = 1000
"""People choose their push services, so there is no end to them."""
NO_KEY = Result(SendOutcome.REFUSED, "No token: the provider has no key of P-256.")


@dataclass(frozen=True, slots=True)
class _Kept:
    value: str
    used_until: float


class Vapid:
    """Signs tokens with the key of a provider, and keeps them for some hours."""

    def __init__(self, setup: WebPushSetup, clock: Clock) -> None:
        self._key = load_p256_key(setup.private_key or "")
        self._subject = setup.subject
        self._clock = clock
        self._kept: dict[str, _Kept] = {}

    def authorize(self, origin: str) -> str:
        """Return the header Authorization for a push service.

        Raises:
            NoToken: there is no key that can sign.
        """
        kept = self._kept.get(origin)
        if kept is None or self._clock.monotonic() >= kept.used_until:
            kept = self._keep(origin)
        return kept.value

    def _keep(self, origin: str) -> _Kept:
        if self._key is None:
            raise NoToken(NO_KEY)
        now = self._clock.now()
        claims = {"aud": origin, "exp": now + VALID_SECONDS, "sub": self._subject}
        token = sign_jwt(HEADER, claims, partial(sign_es256, self._key))
        public = encode_base64(to_point(self._key.public_key())).decode()
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        kept = _Kept(f"vapid t={token}, k={public}", self._clock.monotonic() + USED_SECONDS)
        self._kept[origin] = kept
        return kept
