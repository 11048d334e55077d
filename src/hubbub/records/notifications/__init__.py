"""Stored push providers, settings, preferences and contact details."""
