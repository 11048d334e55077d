"""Pinned messages of a conversation, and saved messages of a user."""
