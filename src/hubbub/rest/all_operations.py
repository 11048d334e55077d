"""Every area's operations: importing this module declares them all."""

from hubbub.rest import apps, contact_details, imports, keys, messages, providers, tokens, users

__all__ = ["apps", "contact_details", "imports", "keys", "messages", "providers", "tokens", "users"]
