"""Sockets of people's clients: what happens in their app reaches them as it is committed."""
