"""Stored apps and management keys."""
