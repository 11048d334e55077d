"""Presence: sessions open and close, nodes fail, users are available or offline."""
