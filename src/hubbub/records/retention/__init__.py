"""Retention: how long messages are kept, what a legal hold keeps, and what was removed."""
