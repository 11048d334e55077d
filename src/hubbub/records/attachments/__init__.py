"""Stored files of messages."""
