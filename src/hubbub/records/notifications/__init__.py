"""Stored push providers and contact details."""
