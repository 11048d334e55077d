"""Stored push tokens: the devices to which notifications go."""
