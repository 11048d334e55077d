"""Sockets: their memory, how fast they connect, and how fast events reach them."""
