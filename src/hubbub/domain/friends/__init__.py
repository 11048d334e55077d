"""Friendships: mutual, and managed by the customer's server."""
