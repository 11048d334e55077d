"""Reactions: short texts, mostly emoji, that users put to messages."""
