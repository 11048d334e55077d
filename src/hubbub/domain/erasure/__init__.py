"""Erasing for good, bit by bit: what was asked for in one transaction is carried out in chunks."""
