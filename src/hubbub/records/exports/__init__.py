"""The exports that were asked for."""
