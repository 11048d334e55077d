"""Stored auth tokens."""
