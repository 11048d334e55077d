"""Searches in the text of messages: the index, what keeps it, and what looks in it."""
