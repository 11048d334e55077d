"""Events of auth tokens."""

import msgspec

from hubbub.outbox.audience import NODES_ALONE, Audience, user_key
from hubbub.outbox.registry import event


def _ends(event: "AuthTokenRevoked", _: str, token: str) -> bool:
    return token in event.hashes


@event(
    "auth_token_revoked",
    told=Audience(NODES_ALONE, user_key, ends=_ends),
    actor="by",
    internal=True,
)
class AuthTokenRevoked(msgspec.Struct, frozen=True):
    """The auth tokens with these keyed hashes were revoked; nodes drop them from their caches.

    `by` is the user who revoked them; empty if the app did, or a limit.
    """

    uid: str
    hashes: list[str]
    at: int
    by: str = ""
