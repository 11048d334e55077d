"""Moderation: what the rules of an app say about a text, and what is done about it."""
