"""Drafts: what users have begun to write, on all of their devices."""
