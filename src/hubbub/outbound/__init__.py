"""Calls to other servers: each address is checked when it is connected to."""
