"""An identity provider on loopback: it publishes its keys, and signs whatever a test wants."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt import PyJWS
from jwt.algorithms import get_default_algorithms
from tests.clock import ManualClock
from tests.receiver import Receiver, receiving
from tests.world import Json, World

from hubbub.kernel.cache import KEPT_SECONDS

ISSUER, AUDIENCE = "https://id.example.com/", "chat"
SECRET = "a secret that is at least as long as the longest hash, or longer"  # of nobody
_SIGNER = PyJWS()
_KINDS = get_default_algorithms()


def new_key(algorithm: str = "ES256") -> Any:
    """Return a new private key for an algorithm."""
    if algorithm[:2] in ("RS", "PS"):
        return rsa.generate_private_key(65537, 2048)
    if algorithm == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    return ec.generate_private_key(ec.SECP384R1() if algorithm == "ES384" else ec.SECP256R1())


def jwk_of(key: Any, kid: str | None, algorithm: str, **fields: Any) -> Json:
    """Return the public key as a JWK Set has it."""
    public = key.public_key() if hasattr(key, "public_key") else key
    jwk: Json = json.loads(_KINDS[algorithm].to_jwk(public))
    jwk.pop("key_ops", None)
    return {**jwk, **({"kid": kid} if kid is not None else {}), "use": "sig", **fields}


@dataclass(slots=True)
class Idp:
    """An identity provider, with a key by its name."""

    receiver: Receiver
    clock: ManualClock
    keys: dict[str, tuple[Any, str]] = field(default_factory=dict)
    """Private keys and their algorithms; those that are published."""

    def rotate(self, kid: str, algorithm: str = "ES256", *, keeps: bool = False) -> None:
        """Make another key, and publish it; without `keeps` alone."""
        kept = dict(self.keys) if keeps else {}
        self.keys = {**kept, kid: (new_key(algorithm), algorithm)}
        self.publish(*(jwk_of(key, each, alg) for each, (key, alg) in self.keys.items()))

    def publish(self, *keys: Json) -> None:
        """Publish JWKs."""
        self.receiver.reply = lambda _: 200
        self.receiver.answer = json.dumps({"keys": keys}).encode()

    def claims(self, **changed: Any) -> Json:
        """Return the claims of a JWT for Anna; one that is None is left out."""
        now = self.clock.now()
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "anna", "iat": now, "exp": now + 3_600}
        return {name: value for name, value in {**claims, **changed}.items() if value is not None}

    def sign(self, kid: str = "k1", header: Mapping[str, Any] | None = None, **changed: Any) -> str:
        """Return a JWT that a key of this provider has signed."""
        key, algorithm = self.keys[kid]
        return sign(self.claims(**changed), key, algorithm, {"kid": kid, **(header or {})})

    @property
    def fetched(self) -> int:
        """Return how often the keys were asked for."""
        return len(self.receiver.received)


def sign(
    claims: Mapping[str, Any], key: Any, algorithm: str, header: Mapping[str, Any] | None = None
) -> str:
    """Return a JWT."""
    return _SIGNER.encode(json.dumps(claims).encode(), key, algorithm, dict(header or {}))


@asynccontextmanager
async def serving_idp(clock: ManualClock) -> AsyncIterator[Idp]:
    """Run an identity provider with a key."""
    async with receiving() as receiver:
        idp = Idp(receiver, clock)
        idp.rotate("k1")
        yield idp


async def set_up(world: World, **fields: Any) -> Json:
    """Set up the identity provider of an app."""
    body = {"issuer": ISSUER, "audience": AUDIENCE, **fields}
    answer: Json = await world.put("/identity_provider", body)
    return answer


async def is_accepted(world: World, jwt: str) -> bool:
    """Return whether a JWT opens a call; if not, it is refused with the documented error."""
    answer = await world.ask("GET", "/users/anna", token=jwt, headers={"appId": world.app_id})
    if answer.status == 200:
        return True
    assert answer.status == 401, answer
    assert answer.error["code"] == "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    return False


def forget(clock: ManualClock) -> None:
    """Advance the clock by as long as a node remembers a caller."""
    clock.advance(KEPT_SECONDS + 1)
