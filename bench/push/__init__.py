"""Measure pushes: how fast they reach a gateway, and what they cost those who send messages."""
