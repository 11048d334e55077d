"""Erasure: what a deletion requests in its transaction is carried out in chunks."""
