"""Webhooks: who is told of what happens in an app."""
