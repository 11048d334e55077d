"""Stored providers, settings, preferences and contact details, and the log of notifications."""
