"""The rules that a node remembers of an app, for a few seconds."""

from hubbub.runtime import Runtime

RULES = "moderation"
"""With the id of an app, the key of its rules in the cache of a node."""


def forget_rules(runtime: Runtime, app_id: str) -> None:
    """Drop what this node remembers of the app's rules; other nodes look after a few seconds."""
    runtime.cache.drop((RULES, app_id), app_id=app_id)
