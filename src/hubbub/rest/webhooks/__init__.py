"""Webhooks: their operations, and what they are sent."""
