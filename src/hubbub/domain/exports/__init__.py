"""Exports by REST: ask for one, follow it, download it."""
