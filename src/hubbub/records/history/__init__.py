"""Stored versions of messages that were edited."""
