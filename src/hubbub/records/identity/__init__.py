"""Stored identity providers of apps, and which of their JWTs are refused."""
