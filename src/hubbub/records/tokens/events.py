"""Events of auth tokens."""

import msgspec

from hubbub.outbox.registry import event


@event("auth_token_revoked", internal=True)
class AuthTokenRevoked(msgspec.Struct, frozen=True):
    """The auth tokens with these keyed hashes were revoked; nodes drop them from their caches.

    `by` is the user who revoked them; empty if the app did, or a limit.
    """

    uid: str
    hashes: list[str]
    at: int
    by: str = ""
