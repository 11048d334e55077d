"""Blocks: neither user can write to the other."""
