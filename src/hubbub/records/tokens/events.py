"""Events of auth tokens."""

import msgspec

from hubbub.outbox.audience import NODES_ALONE, Audience, user_key
from hubbub.outbox.registry import event
from hubbub.records.tokens.model import when_issued


def _ends(event: "AuthTokenRevoked", _: str, token: str) -> bool:
    issued_at = when_issued(token)
    return token in event.hashes if issued_at is None else issued_at <= event.jwts_upto


@event(
    "auth_token_revoked",
    told=Audience(NODES_ALONE, user_key, ends=_ends),
    actor="by",
    internal=True,
)
class AuthTokenRevoked(msgspec.Struct, frozen=True):
    """The auth tokens with these keyed hashes were revoked; nodes drop them from their caches.

    `by` is the user who revoked them; empty if the app did, or a limit. JWTs of the user that were
    issued up to `jwts_upto` were revoked, too; 0: none.
    """

    uid: str
    hashes: list[str]
    at: int
    by: str = ""
    jwts_upto: int = 0
