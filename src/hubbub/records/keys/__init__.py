"""Stored API keys."""
