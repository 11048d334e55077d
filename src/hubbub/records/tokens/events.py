"""What happens to auth tokens."""

from typing import ClassVar

import msgspec


class AuthTokensRevoked(msgspec.Struct, frozen=True):
    """These keyed hashes open nothing any more; internal: every node forgets them."""

    event_name: ClassVar[str] = "auth_token_revoked"
    uid: str
    hashes: list[str]
    at: int
