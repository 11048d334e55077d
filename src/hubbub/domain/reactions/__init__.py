"""Reactions: short texts, mostly emoji, that users add to messages."""
