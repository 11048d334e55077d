"""Hubbub: a self-hosted chat backend."""

__version__ = "0.1.0"
