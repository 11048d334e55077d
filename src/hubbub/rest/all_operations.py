"""Every area's operations: importing this module declares them all."""

from hubbub.rest import apps, keys, tokens, users

__all__ = ["apps", "keys", "tokens", "users"]
