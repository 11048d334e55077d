"""Identity providers, whose JWTs are taken for auth tokens, and their errors."""

from dataclasses import dataclass

from hubbub.kernel.errors import NotFound

LONGEST_JWT_LIFE = 30 * 24 * 3600
"""A JWT ends after so many seconds at the latest, so that old revocations may be forgotten."""
SHORTEST_SECRET = 32
"""The characters of a secret: RFC 7518, 3.2, asks for as many bits as the hash has."""


class IdentityProviderNotFound(NotFound):
    """The app has no identity provider."""

    code = "ERR_IDENTITY_PROVIDER_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("The app has no identity provider.")


@dataclass(frozen=True, slots=True)
class Trust:
    """By what JWTs are judged: one of `jwks_url` and `secret` is there."""

    jwks_url: str | None
    secret: str | None
    issuer: str
    audience: str
    uid_claim: str


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """The identity provider of an app."""

    trust: Trust
    creates_users: bool
    """Whether a user is created when their first JWT is seen."""
    valid_after: int
    """JWTs that were issued up to then are refused."""
    updated_at: int


def identity_key(app_id: str) -> tuple[str, str]:
    """Return the key under which a node caches the identity provider of an app."""
    return "identity", app_id
