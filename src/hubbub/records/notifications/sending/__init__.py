"""Stored notifications that are still to be sent."""
