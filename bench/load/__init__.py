"""The load on running nodes: requests, what they are about, and their generator."""
